from django.db import migrations, models


class Migration(migrations.Migration):
    """Rows that a decision took out are made again although a newer version ended badly."""

    dependencies = [("ingestion", "0032_known_versions")]

    operations = [
        migrations.AddField("file", "rows_due", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("file", "aside", models.JSONField(null=True)),
    ]
