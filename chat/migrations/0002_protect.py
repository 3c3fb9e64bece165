from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = Path(__file__).with_name("chat.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security on conversations, and the triggers that keep the event log in step with its answer."""

    dependencies = [("chat", "0001_initial"), ("references", "0002_protect"), ("retrieval", "0002_protect")]

    operations = [
        Protect("Session", target=True),
        Protect("Title"),
        Protect("Turn", target=True),
        Protect("Message"),
        Protect("Event", append_only=True),
        migrations.RunSQL([SQL], migrations.RunSQL.noop),
    ]
