from django.db import migrations, models
from django.db.models.expressions import F, Func

from entities.fields import KeptColumn


class Migration(migrations.Migration):
    """What waits for a steward's decision is a column that the database keeps."""

    dependencies = [("ingestion", "0019_held"), ("entities", "0013_review")]

    operations = [
        migrations.AddField(
            "paragraph",
            "review",
            KeptColumn(
                db_persist=True,
                expression=Func(F("votes"), F("data_classification"), function="app_review_causes"),
                output_field=models.SmallIntegerField(),
            ),
        ),
        migrations.AddIndex(
            "paragraph",
            models.Index(
                condition=models.Q(("review", 0), _negated=True), fields=["workspace", "file"], name="paragraph_review"
            ),
        ),
    ]
