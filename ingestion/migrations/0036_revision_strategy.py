from django.db import migrations, models


class Migration(migrations.Migration):
    """A way of reading that comes with a version is kept with it until it is published."""

    dependencies = [("ingestion", "0035_inside")]

    operations = [
        migrations.AddField(
            "filerevision", "strategy", models.CharField(blank=True, db_default="", default="", max_length=10)
        ),
    ]
