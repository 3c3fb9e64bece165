from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = (Path(__file__).parent / "audit.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security of the audit, its chain, and the door of redaction and retention."""

    dependencies = [("entities", "0009_audit_tables")]

    operations = [
        Protect("AuditText", append_only=True),
        Protect("AuditLink", append_only=True),
        migrations.RunSQL([SQL]),
    ]
