from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "drawn.sql").read_text()


class Migration(migrations.Migration):
    """Nearly no row is drawn from other records than its own, and those are not asked for their sources."""

    dependencies = [("ingestion", "0010_row_and_term")]

    operations = [migrations.RunSQL([SQL])]
