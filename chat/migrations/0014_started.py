from django.db import migrations, models

FUNCTIONS = """
-- The event log follows its answer: when the answer gets its label, and whenever that label changes, so do its events.
CREATE OR REPLACE FUNCTION app_relabel_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.role = 'assistant' AND NEW.data_classification IS NOT NULL THEN
    UPDATE chat_event SET data_classification = NEW.data_classification
    WHERE workspace_id = NEW.workspace_id AND turn_id = NEW.turn_id AND {}
      AND data_classification <> NEW.data_classification;
  END IF;
  RETURN NULL;
END $$;

-- While an answer is being written it has no label, and its events are raised by the service. Used by chat.log only.
CREATE OR REPLACE FUNCTION app_raise_events(wanted uuid, label integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT app_service() THEN RAISE EXCEPTION 'events are raised by the service'; END IF;
  UPDATE chat_event SET data_classification = label
  WHERE workspace_id = app_workspace() AND turn_id = wanted AND {}
    AND data_classification <> label;
END $$;

-- What a message leaves elsewhere goes with it, by whatever cascade it is deleted: of an answer also the log of its text.
CREATE OR REPLACE FUNCTION app_delete_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_source WHERE workspace_id = OLD.workspace_id AND derived = OLD.id;
  DELETE FROM references_reference WHERE workspace_id = OLD.workspace_id AND owner = OLD.id;
  IF OLD.role = 'assistant' THEN
    DELETE FROM chat_event
    WHERE workspace_id = OLD.workspace_id AND turn_id = OLD.turn_id AND {};
  END IF;
  RETURN NULL;
END $$
"""
LISTED = "kind IN ('step', 'token', 'citation')"
# How a turn ended is no text of its answer; whatever else is logged follows the answer.
ALL_BUT_ENDS = "kind NOT IN ('done', 'stopped', 'error')"
# The functions before would leave these behind where an answer rises or goes.
FORGET = "DELETE FROM chat_event WHERE kind = 'started'"
KINDS = [
    ("step", "Step"),
    ("started", "Answer begins"),
    ("token", "Text"),
    ("citation", "Citation"),
    ("approval", "Approval"),
    ("done", "Done"),
    ("stopped", "Stopped"),
    ("error", "Error"),
]


class Migration(migrations.Migration):
    """An answer tells before its first word how sure it is."""

    dependencies = [("chat", "0013_own_questions")]

    operations = [
        migrations.AlterField("event", "kind", models.CharField(choices=KINDS, max_length=10)),
        migrations.RunSQL([FUNCTIONS.format(*[ALL_BUT_ENDS] * 3)], [FUNCTIONS.format(*[LISTED] * 3), FORGET]),
    ]
