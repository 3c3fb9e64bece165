from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_name("known_versions.sql").read_text()


class Migration(migrations.Migration):
    """Which versions of a file a caller may know of."""

    dependencies = [("ingestion", "0031_words_apart")]

    operations = [migrations.RunSQL([SQL], ["DROP FUNCTION app_known_versions(uuid[])"])]
