from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "dates.sql").read_text()


class Migration(migrations.Migration):
    """A day is found however it is written."""

    dependencies = [("ingestion", "0045_numbers_with_marks")]

    operations = [migrations.RunSQL([SQL])]
