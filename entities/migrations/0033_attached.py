from django.db import migrations, models
from django.db.models import Q

SQL = """
-- Whose attachments the open scope finds: '' of no conversation, the id of one, or 'own' for one's own of all.
CREATE FUNCTION app_attachments() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(current_setting('app.attachments', true), '') $$;

-- What is attached to a conversation stays that, its sender's, and becomes nothing else; nor does a record become that.
CREATE FUNCTION app_keep_attached() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'what is attached to a conversation stays there'; END $$;
CREATE TRIGGER keep_attached BEFORE UPDATE OF workspace_id, attached_to, created_by ON entities_entity FOR EACH ROW
  WHEN (old.attached_to IS DISTINCT FROM new.attached_to
        OR old.attached_to IS NOT NULL AND (old.workspace_id, old.created_by) <> (new.workspace_id, new.created_by))
  EXECUTE FUNCTION app_keep_attached();
"""


class Migration(migrations.Migration):
    """A record of no type, on which hang the files that somebody has attached to a conversation."""

    dependencies = [("entities", "0032_source_number")]

    operations = [
        migrations.AddField("entity", "attached_to", models.UUIDField(editable=False, null=True)),
        migrations.AddConstraint(
            "entity",
            models.UniqueConstraint(
                condition=Q(attached_to__isnull=False),
                fields=("attached_to", "created_by"),
                name="attachments_of_person",
            ),
        ),
        migrations.AddConstraint(
            "entity",
            models.CheckConstraint(
                condition=Q(visibility="attached", attached_to__isnull=False)
                | (~Q(visibility="attached") & Q(attached_to__isnull=True)),
                name="attachments_stay_attached",
            ),
        ),
        migrations.RunSQL(
            [SQL],
            [
                # Nobody would know any more what they belong to.
                "DELETE FROM entities_entity WHERE attached_to IS NOT NULL",
                "SET CONSTRAINTS ALL IMMEDIATE",
                "SET CONSTRAINTS ALL DEFERRED",
                "DROP FUNCTION app_keep_attached() CASCADE",
                "DROP FUNCTION app_attachments()",
            ],
        ),
    ]
