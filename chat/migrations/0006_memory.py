from pathlib import Path

from django.db import migrations

from entities.rls import LABELLED, WORKSPACE, policy_sql

SQL = Path(__file__).with_name("memory.sql").read_text()
NARROW = f"{WORKSPACE} AND {LABELLED} AND (audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"
UNDO = [
    "DROP FUNCTION app_index_message() CASCADE",
    "DROP FUNCTION app_message_terms(text)",
    "DROP FUNCTION app_likely_config(text)",
    "DROP TABLE chat_posting",
]


class Migration(migrations.Migration):
    """The words of messages, by which a conversation finds what was said in it."""

    dependencies = [("chat", "0005_about_workspace"), ("ingestion", "0047_bin")]

    operations = [migrations.RunSQL([SQL], UNDO), migrations.RunSQL(policy_sql("chat_posting", NARROW, NARROW), [])]
