from django.db import migrations, models
from django.db.models import Q

from entities.rls import RenewPolicy

SQL = """
-- Whether the bin is being looked into: the pages of the bin and its sweep do, and nothing else.
CREATE FUNCTION app_bin() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(current_setting('app.bin', true) = 'on', false) $$;

-- Which of these records are in the bin. What counts a record says so of it after it went there (entities.access.objects).
CREATE FUNCTION app_any_binned(records uuid[]) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM entities_entity e
    WHERE e.workspace_id = app_workspace() AND e.deleted_at IS NOT NULL AND e.id = ANY(records))
$$;
"""


class Migration(migrations.Migration):
    """A record that is deleted goes to the bin first."""

    dependencies = [("entities", "0025_author_of_own_texts")]

    operations = [
        migrations.AddField("entity", "deleted_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("entity", "deleted_by", models.BigIntegerField(default=0, editable=False)),
        migrations.AddField("entity", "deleted_with", models.UUIDField(editable=False, null=True)),
        migrations.RemoveConstraint("entity", "entity_identity"),
        migrations.AddConstraint(
            "entity",
            models.UniqueConstraint(
                condition=Q(deleted_at__isnull=True),
                fields=("workspace", "source_system", "source_id"),
                name="entity_identity",
            ),
        ),
        migrations.RemoveIndex("entity", "entity_list"),
        migrations.RemoveIndex("entity", "entity_seen"),
        migrations.AddIndex(
            "entity",
            models.Index(
                fields=["workspace", "content_type", "-updated_at", "id"],
                include=["visibility", "created_by", "archived_at", "deleted_at"],
                name="entity_list",
            ),
        ),
        migrations.AddIndex(
            "entity",
            models.Index(
                fields=["workspace", "visibility", "created_by", "number"],
                include=["content_type", "deleted_at"],
                name="entity_seen",
            ),
        ),
        migrations.AddIndex(
            "entity",
            models.Index(
                condition=Q(deleted_at__isnull=False), fields=["workspace", "-deleted_at"], name="entity_binned"
            ),
        ),
        migrations.RunSQL([SQL], ["DROP FUNCTION app_any_binned(uuid[])", "DROP FUNCTION app_bin()"]),
        RenewPolicy("Entity"),
    ]
