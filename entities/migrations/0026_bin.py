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

TOKENS = """
CREATE OR REPLACE FUNCTION app_open_token(wanted text) RETURNS TABLE (user_id bigint, slug text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.user_id, w.slug FROM entities_token t
  JOIN entities_membership m ON m.id = t.membership_id
  JOIN entities_workspace w ON w.id = m.workspace_id
  WHERE t.digest = wanted AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
$$;

-- As app_open_token, for a request that begins: it notes that the token was used today.
CREATE FUNCTION app_use_token(wanted text) RETURNS TABLE (user_id bigint, slug text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE entities_token t SET last_used_on = current_date
  WHERE t.digest = wanted AND t.last_used_on IS DISTINCT FROM current_date;
  RETURN QUERY SELECT o.user_id, o.slug FROM app_open_token(wanted) o;
END $$;
"""


class Migration(migrations.Migration):
    """A record that is deleted goes to the bin first. A token may end, and says when it was last used."""

    dependencies = [("entities", "0025_author_of_own_texts")]

    operations = [
        migrations.AddField("entity", "deleted_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("entity", "deleted_by", models.BigIntegerField(default=0, db_default=0, editable=False)),
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
        migrations.AddField("token", "expires_at", models.DateTimeField(null=True)),
        migrations.AddField("token", "last_used_on", models.DateField(null=True)),
        migrations.RunSQL([TOKENS], ["DROP FUNCTION app_use_token(text)"]),
        RenewPolicy("Token"),
    ]
