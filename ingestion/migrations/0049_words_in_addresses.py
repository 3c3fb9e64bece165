from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "words_in_addresses.sql").read_text()


class Migration(migrations.Migration):
    """Words within addresses and names of files are words."""

    dependencies = [("ingestion", "0048_text_grants")]

    operations = [migrations.RunSQL([SQL])]
