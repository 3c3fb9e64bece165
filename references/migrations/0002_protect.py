from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = (Path(__file__).parent / "derived.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security on references, and what goes when a record goes."""

    dependencies = [("references", "0001_initial"), ("entities", "0003_protect")]

    operations = [Protect("Reference"), migrations.RunSQL([SQL])]
