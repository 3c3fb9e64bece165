import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Value

import entities.fields
from entities.rls import Protect

SQL = """
-- A summary has the readers of its conversation, and is the service's to write.
ALTER TABLE chat_summary ADD CONSTRAINT chat_summary_session_readers FOREIGN KEY (workspace_id, session_id, audience)
    REFERENCES chat_session (workspace_id, id, audience) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
CREATE TRIGGER service_writes BEFORE INSERT OR UPDATE ON chat_summary FOR EACH ROW
  WHEN (NOT app_service()) EXECUTE FUNCTION app_keep_readers();

-- It says what messages said: it goes with any of them, by whatever cascade that goes, and where the label of one changes.
-- What a record behind them takes with it goes so too: it has no sources of its own.
CREATE FUNCTION app_forget_summaries_of_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM chat_summary s
  WHERE s.workspace_id = OLD.workspace_id AND s.session_id = OLD.session_id AND OLD.id = ANY(s.messages);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_summaries AFTER DELETE ON chat_message
  FOR EACH ROW EXECUTE FUNCTION app_forget_summaries_of_message();
CREATE TRIGGER forget_risen_summaries AFTER UPDATE OF data_classification ON chat_message FOR EACH ROW
  WHEN (old.data_classification IS DISTINCT FROM new.data_classification)
  EXECUTE FUNCTION app_forget_summaries_of_message();
"""
UNDO = """
DROP FUNCTION app_forget_summaries_of_message() CASCADE;
DROP TRIGGER service_writes ON chat_summary;
ALTER TABLE chat_summary DROP CONSTRAINT chat_summary_session_readers;
"""


class Migration(migrations.Migration):
    """A summary of what was said earlier in a conversation."""

    dependencies = [("chat", "0014_started")]

    operations = [
        migrations.CreateModel(
            name="Summary",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("data_classification", entities.fields.LabelField(null=True)),
                ("audience", models.BigIntegerField()),
                ("owner", entities.fields.OwnerField()),
                ("last_turn", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("messages", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("source_numbers", entities.fields.RangesField(db_default=Value("{}"))),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("session", entities.fields.WorkspaceForeignKey(related_name="+", to="chat.session")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "owner"), name="one_summary_per_asker"),
                ],
            },
        ),
        Protect("Summary"),
        migrations.RunSQL([SQL], [UNDO]),
    ]
