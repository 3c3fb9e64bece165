from django.db import migrations, models


class Migration(migrations.Migration):
    """What a version lost on the way, and what a steward decided of it."""

    dependencies = [
        ("ingestion", "0025_requalify"),
    ]

    operations = [
        migrations.AddField(
            model_name="filerevision",
            name="losses",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="filerevision",
            name="review",
            field=models.CharField(
                blank=True,
                choices=[("", "Not reviewed"), ("released", "Released"), ("rejected", "Rejected")],
                default="",
                max_length=8,
            ),
        ),
    ]
