from django.db import migrations, models


class Migration(migrations.Migration):
    """What each step made of a revision and how long it took, told after the fact."""

    dependencies = [("ingestion", "0005_file_twin")]

    operations = [migrations.AddField("filerevision", "stages", models.JSONField(default=list))]
