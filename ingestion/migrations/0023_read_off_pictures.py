from django.db import migrations, models


class Migration(migrations.Migration):
    """What was read off a picture says so, and a file what people should know of how it was read."""

    dependencies = [("ingestion", "0022_protect_links")]

    operations = [
        migrations.AddField(
            "file",
            "notes",
            models.JSONField(default=list, db_default=models.Value([], models.JSONField())),
        ),
        migrations.AddField(
            "paragraph", "read_by", models.CharField(max_length=8, default="", db_default="", blank=True)
        ),
    ]
