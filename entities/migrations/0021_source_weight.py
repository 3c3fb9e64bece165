import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    """A source says whether its text, its name or a number that includes it went into the derived text. What was made
    before is of text: it goes with its sources as it did.
    """

    dependencies = [("entities", "0020_levels_once")]

    operations = [
        migrations.AddField(
            "source",
            "weight",
            models.CharField(
                choices=[("text", "Its text"), ("name", "Its name"), ("count", "A number that includes it")],
                db_default="text",
                default="text",
                max_length=5,
            ),
        ),
        migrations.AddField(
            "source",
            "counted",
            django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), null=True, size=None),
        ),
        migrations.AddIndex(
            "source",
            models.Index(
                condition=models.Q(("counted__isnull", False)), fields=["derived"], name="sources_with_a_list"
            ),
        ),
        migrations.AddConstraint(
            "source",
            models.CheckConstraint(
                condition=models.Q(("counted__isnull", True), ("weight", "count"), _connector="OR"),
                name="only_a_count_lists_records",
            ),
        ),
    ]
