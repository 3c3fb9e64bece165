from django.db import migrations, models


class Migration(migrations.Migration):
    """Sources that texts of one conversation have in common are told apart by a number."""

    dependencies = [("entities", "0031_kept_sources")]

    operations = [
        migrations.AddField("source", "number", models.BigIntegerField(null=True)),
        migrations.AddIndex(
            "source", models.Index(fields=["derived"], condition=models.Q(number=None), name="sources_of_one_text")
        ),
    ]
