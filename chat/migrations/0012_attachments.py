from importlib import import_module
from pathlib import Path
from typing import Any

from django.db import migrations

SQL = Path(__file__).with_name("attachments.sql").read_text()
FORGET = (
    import_module("chat.migrations.0011_message_sources")
    .SQL.partition("CREATE OR REPLACE FUNCTION app_forget_passages()")[2]
    .partition("END $$;")[0]
)
UNDO = [
    f"CREATE OR REPLACE FUNCTION app_forget_passages(){FORGET}END $$;",
    "DROP FUNCTION app_is_open_source(uuid)",
    "DROP FUNCTION app_attached_below(uuid)",
    "ALTER TABLE entities_entity DROP CONSTRAINT entities_entity_attached_to_ws",
]


class Migration(migrations.Migration):
    """What is attached to a conversation goes with it."""

    dependencies = [("chat", "0011_message_sources"), ("entities", "0033_attached")]

    operations: list[Any] = [migrations.RunSQL([SQL], UNDO)]
