from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = (Path(__file__).parent / "work.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security on the pipeline's own tables; what goes with derived rows; what a caller may know of a file."""

    dependencies = [("ingestion", "0003_work")]

    operations = [
        Protect("StepResult"),
        Protect("RecordIndex"),
        migrations.RunSQL([SQL]),
    ]
