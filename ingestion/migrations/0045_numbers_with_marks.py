from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "numbers_with_marks.sql").read_text()


class Migration(migrations.Migration):
    """A number is found however its thousands are marked."""

    dependencies = [("ingestion", "0044_folder_addresses")]

    operations = [migrations.RunSQL([SQL])]
