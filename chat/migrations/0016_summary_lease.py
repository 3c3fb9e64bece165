import uuid

import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect

SQL = """
-- A lease has the readers of its conversation, and is the service's to write.
ALTER TABLE chat_summarylease ADD CONSTRAINT chat_summarylease_session_readers
    FOREIGN KEY (workspace_id, session_id, audience)
    REFERENCES chat_session (workspace_id, id, audience) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
CREATE TRIGGER service_writes BEFORE INSERT OR UPDATE ON chat_summarylease FOR EACH ROW
  WHEN (NOT app_service()) EXECUTE FUNCTION app_keep_readers();
"""
UNDO = """
DROP TRIGGER service_writes ON chat_summarylease;
ALTER TABLE chat_summarylease DROP CONSTRAINT chat_summarylease_session_readers;
"""


class Migration(migrations.Migration):
    """Who makes a summary of a conversation, and when it is tried again."""

    dependencies = [("chat", "0015_summary")]

    operations = [
        migrations.CreateModel(
            name="SummaryLease",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("audience", models.BigIntegerField()),
                ("owner", entities.fields.OwnerField()),
                ("holder", models.UUIDField(null=True)),
                ("until", models.DateTimeField()),
                ("failures", models.PositiveSmallIntegerField(default=0)),
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
                    models.UniqueConstraint(fields=("session", "owner"), name="one_summary_lease_per_asker"),
                ],
            },
        ),
        Protect("SummaryLease"),
        migrations.RunSQL([SQL], [UNDO]),
    ]
