from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "one_at_a_time.sql").read_text()


class Migration(migrations.Migration):
    """What is derived from index rows holds whatever else is going on: the rows or files are locked before they are
    read.
    """

    dependencies = [("ingestion", "0014_work_floor")]

    operations = [migrations.RunSQL([SQL])]
