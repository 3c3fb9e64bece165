from django.db import migrations

from entities.fields import LabelField
from entities.rls import WHOLE, build_sent_sql

KEY = """
ALTER TABLE chat_message ADD CONSTRAINT chat_message_own_classification_ws FOREIGN KEY (workspace_id, own_classification)
  REFERENCES entities_classification (workspace_id, value) DEFERRABLE INITIALLY DEFERRED
"""
HIDDEN = """
-- Ids and labels, never text, of the messages of a conversation that the caller may know of but not read. The caller has
-- it from an access function. Used by chat.access only.
CREATE OR REPLACE FUNCTION app_hidden_messages(conversation uuid) RETURNS TABLE (id uuid, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.id, m.data_classification FROM chat_message m
  WHERE m.workspace_id = app_workspace() AND m.session_id = conversation
    AND m.audience = ANY((SELECT app_audiences())::bigint[])
    AND m.data_classification IS NOT NULL
    AND NOT m.data_classification = ANY((SELECT app_allowed())::int[])
    AND m.data_classification = ANY((SELECT app_acknowledged())::int[]){}
$$
"""
BUT_OWN = f"""
    AND (m.owner = app_principal() AND m.own_classification = ANY((SELECT app_allowed())::int[]) AND {WHOLE}) IS NOT TRUE"""


class Migration(migrations.Migration):
    """Who typed a question where others read along reads it while it rests."""

    dependencies = [("chat", "0012_attachments"), ("entities", "0036_keys_and_versions")]

    operations = [
        migrations.AddField("message", "own_classification", LabelField(null=True)),
        migrations.RunSQL([KEY], ["ALTER TABLE chat_message DROP CONSTRAINT chat_message_own_classification_ws"]),
        migrations.RunSQL([build_sent_sql("chat_message")], ["DROP POLICY sent ON chat_message"]),
        migrations.RunSQL([HIDDEN.format(BUT_OWN)], [HIDDEN.format("")]),
    ]
