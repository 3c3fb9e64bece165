from importlib import import_module
from pathlib import Path

from django.db import migrations, models

from entities.fields import LabelField

SQL = Path(__file__).with_name("removed.sql").read_text()
LINK = (
    "ALTER TABLE chat_turn ADD CONSTRAINT chat_turn_removed_label_ws FOREIGN KEY (workspace_id, removed_label)"
    " REFERENCES entities_classification (workspace_id, value) ON DELETE SET NULL (removed_label)"
    " DEFERRABLE INITIALLY DEFERRED"
)
PASSAGES = import_module("chat.migrations.0004_bin").SQL.partition("CREATE TRIGGER")[0]
UNDO = [
    "DROP TRIGGER forget_sources ON chat_turn",
    "DELETE FROM entities_source s USING chat_turn t WHERE s.derived = t.id",
    PASSAGES.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
    "DROP FUNCTION app_forget_answers() CASCADE",
    "DROP FUNCTION app_remove_answers(integer, uuid[], uuid, boolean)",
    "CREATE TRIGGER forget_messages BEFORE DELETE ON entities_entity FOR EACH ROW"
    " EXECUTE FUNCTION app_forget_derived('chat_message')",
    "ALTER TABLE chat_turn DROP CONSTRAINT chat_turn_removed_label_ws",
]


class Migration(migrations.Migration):
    """An answer that was removed with a source says so in its place, to who may know."""

    dependencies = [("chat", "0006_memory"), ("entities", "0029_joined_at"), ("pulse", "0005_withdrawn")]

    operations = [
        migrations.AddField("turn", "removed_label", LabelField(null=True)),
        migrations.AddIndex("turn", models.Index(fields=["answer"], name="turn_of_answer")),
        migrations.RunSQL([LINK, SQL], UNDO),
    ]
