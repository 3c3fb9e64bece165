from django.db import migrations, models

from entities.fields import OwnerField
from entities.rls import RenewPolicy

OWNED = ("session", "title", "turn", "message")

SQL = """
-- Ids and labels, never text, of the messages of a conversation that the caller may know of but not read. The caller has
-- it from an access function. Used by chat.access only.
CREATE OR REPLACE FUNCTION app_hidden_messages(conversation uuid) RETURNS TABLE (id uuid, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.id, m.data_classification FROM chat_message m
  WHERE m.workspace_id = app_workspace() AND m.session_id = conversation
    AND m.audience = ANY((SELECT app_audiences())::bigint[])
    AND m.data_classification IS NOT NULL
    AND NOT m.data_classification = ANY((SELECT app_allowed())::int[])
    AND m.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;

-- What the members of a role said to each other goes with the role: nobody would be left who may read it.
CREATE FUNCTION app_forget_role() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM chat_session WHERE workspace_id = OLD.workspace_id AND audience = -OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_role AFTER DELETE ON entities_role FOR EACH ROW EXECUTE FUNCTION app_forget_role();

-- What stands in a conversation has its readers; what belongs to a turn has its asker too.
ALTER TABLE chat_session ADD CONSTRAINT chat_session_readers UNIQUE (workspace_id, id, audience);
ALTER TABLE chat_turn ADD CONSTRAINT chat_turn_place UNIQUE (workspace_id, id, session_id, audience, owner),
  ADD CONSTRAINT chat_turn_asker UNIQUE (workspace_id, id, owner),
  ADD CONSTRAINT chat_turn_session_readers FOREIGN KEY (workspace_id, session_id, audience)
    REFERENCES chat_session (workspace_id, id, audience) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE chat_title ADD CONSTRAINT chat_title_session_readers FOREIGN KEY (workspace_id, session_id, audience)
    REFERENCES chat_session (workspace_id, id, audience) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE chat_message ADD CONSTRAINT chat_message_turn_place
    FOREIGN KEY (workspace_id, turn_id, session_id, audience, owner)
    REFERENCES chat_turn (workspace_id, id, session_id, audience, owner) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
-- While it is written, an answer is its asker's alone.
ALTER TABLE chat_event ADD CONSTRAINT chat_event_turn_asker FOREIGN KEY (workspace_id, turn_id, audience)
    REFERENCES chat_turn (workspace_id, id, owner) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

-- Nor is text moved to other readers, by whomever: not with its conversation, and not by a label but the service's. Text
-- enters without one, and what has one stays as it is.
CREATE FUNCTION app_keep_readers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'who reads what was said is settled when it is said'; END $$;
CREATE TRIGGER keep_readers BEFORE UPDATE OF workspace_id, audience, owner, entity_id ON chat_session FOR EACH ROW
  WHEN ((old.workspace_id, old.audience, old.owner) <> (new.workspace_id, new.audience, new.owner)
        OR old.entity_id IS DISTINCT FROM new.entity_id)
  EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, question, answer
  ON chat_turn FOR EACH ROW
  WHEN ((old.workspace_id, old.audience, old.owner, old.session_id, old.question, old.answer)
        <> (new.workspace_id, new.audience, new.owner, new.session_id, new.question, new.answer))
  EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, data_classification, text
  ON chat_title FOR EACH ROW
  WHEN ((old.workspace_id, old.audience, old.owner, old.session_id)
        <> (new.workspace_id, new.audience, new.owner, new.session_id)
        OR (old.data_classification IS DISTINCT FROM new.data_classification OR old.text <> new.text)
          AND NOT app_service())
  EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, turn_id, data_classification, content
  ON chat_message FOR EACH ROW
  WHEN ((old.workspace_id, old.audience, old.owner, old.session_id, old.turn_id)
        <> (new.workspace_id, new.audience, new.owner, new.session_id, new.turn_id)
        OR (old.data_classification IS DISTINCT FROM new.data_classification OR old.content <> new.content)
          AND NOT app_service())
  EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER service_labels BEFORE INSERT ON chat_message FOR EACH ROW
  WHEN (new.data_classification IS NOT NULL AND NOT app_service()) EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER service_labels BEFORE INSERT ON chat_title FOR EACH ROW
  WHEN (new.data_classification IS NOT NULL AND NOT app_service()) EXECUTE FUNCTION app_keep_readers();
CREATE TRIGGER service_writes BEFORE INSERT ON chat_event FOR EACH ROW
  WHEN (NOT app_service()) EXECUTE FUNCTION app_keep_readers();
"""

UNDO = """
DROP FUNCTION app_forget_role() CASCADE;
DROP FUNCTION app_keep_readers() CASCADE;
ALTER TABLE chat_session DROP CONSTRAINT chat_session_readers CASCADE;
ALTER TABLE chat_turn DROP CONSTRAINT chat_turn_place CASCADE, DROP CONSTRAINT chat_turn_asker CASCADE;
"""


class Migration(migrations.Migration):
    """Conversations that others read along, and what questions mention. What there is belongs to the one person whom it
    is for.
    """

    dependencies = [("chat", "0007_removed")]

    operations = [
        *(migrations.AddField(name, "owner", OwnerField(null=True)) for name in OWNED),
        migrations.RunSQL(
            [f"UPDATE chat_{name} SET owner = audience" for name in OWNED]  # noqa: S608
            # Keys are checked now: a table whose checks are pending cannot be changed.
            + ["SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED"],
            migrations.RunSQL.noop,
        ),
        *(migrations.AlterField(name, "owner", OwnerField()) for name in OWNED),
        *(RenewPolicy(name.capitalize()) for name in OWNED),
        migrations.RemoveConstraint("turn", "one_open_turn_per_session"),
        migrations.RemoveConstraint("turn", "one_turn_per_client_id"),
        migrations.AddConstraint(
            "turn",
            models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("session", "owner"),
                name="one_open_turn_per_asker",
            ),
        ),
        migrations.AddConstraint(
            "turn",
            models.UniqueConstraint(
                condition=models.Q(("client_id", ""), _negated=True),
                fields=("workspace", "owner", "client_id"),
                name="one_turn_per_client_id",
            ),
        ),
        migrations.AddField(
            "turn",
            "mentions",
            models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.RunSQL([SQL], [UNDO]),
    ]
