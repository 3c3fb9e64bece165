from django.db import migrations, models


class Migration(migrations.Migration):
    """Whether who sent a version said who reads it."""

    dependencies = [("ingestion", "0055_name_judged"), ("entities", "0037_stewards_alone")]

    operations = [
        migrations.AddField("filerevision", "declared", models.BooleanField(db_default=False, default=False)),
    ]
