from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = (Path(__file__).parent / "pulse.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security on Pulses, and what goes when a text or a record goes."""

    dependencies = [
        ("pulse", "0001_initial"),
        ("entities", "0003_protect"),
        ("references", "0002_protect"),
        ("retrieval", "0002_protect"),
    ]

    operations = [Protect("Variant", target=True), Protect("Pulse"), migrations.RunSQL([SQL])]
