from django.db import migrations, models


class Migration(migrations.Migration):
    """Where the folders of a version live elsewhere."""

    dependencies = [("ingestion", "0043_workers")]

    operations = [
        migrations.AddField(
            "filerevision",
            "addresses",
            models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
    ]
