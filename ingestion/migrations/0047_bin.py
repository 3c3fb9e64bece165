from django.db import migrations, models
from django.db.models import Q

from entities.rls import RenewPolicy

SQL = """
-- Files that somebody deleted by themselves, of the open workspace: their text exists for nobody. Those that went with
-- their record are not among them: no scope finds the record.
CREATE FUNCTION app_binned_files() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = public, pg_temp AS $$
  SELECT f.id FROM ingestion_file f
  WHERE f.workspace_id = app_workspace() AND f.deleted_at IS NOT NULL AND f.deleted_with IS NULL AND NOT app_bin()
$$;

-- Whether a passage stands in such a file, or stood in an earlier version of it: what was drawn from it is hidden as long as
-- the file is in the bin.
CREATE FUNCTION app_is_binned(passage uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM ingestion_file f
    WHERE f.workspace_id = app_workspace() AND f.deleted_at IS NOT NULL AND f.id IN (
      SELECT p.file_id FROM ingestion_paragraph p WHERE p.id = passage
      UNION ALL SELECT p.file_id FROM ingestion_pastparagraph p WHERE p.paragraph = passage))
$$;

-- The files of a record go to the bin with it and come back with it. One that was there already stays there.
CREATE FUNCTION app_bin_files() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    UPDATE ingestion_file SET deleted_at = NEW.deleted_at, deleted_by = NEW.deleted_by, deleted_with = NEW.id
    WHERE workspace_id = NEW.workspace_id AND entity_id = NEW.id AND deleted_at IS NULL;
  ELSE
    UPDATE ingestion_file SET deleted_at = NULL, deleted_by = 0, deleted_with = NULL
    WHERE workspace_id = NEW.workspace_id AND deleted_with = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bin_files AFTER UPDATE OF deleted_at ON entities_entity FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION app_bin_files();

-- The rows of a file that goes to the bin by itself are for nobody (-2147483648), in the index tables too; rows of files are
-- for everybody (0) otherwise.
CREATE FUNCTION app_bin_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ingestion_contextrow SET audience = CASE WHEN NEW.deleted_at IS NULL THEN 0 ELSE -2147483648 END
  WHERE workspace_id = NEW.workspace_id AND file_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER bin_rows AFTER UPDATE OF deleted_at ON ingestion_file FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
    AND OLD.deleted_with IS NULL AND NEW.deleted_with IS NULL) EXECUTE FUNCTION app_bin_rows();
"""
BACK = """
DROP TRIGGER bin_rows ON ingestion_file;
DROP TRIGGER bin_files ON entities_entity;
DROP FUNCTION app_bin_rows();
DROP FUNCTION app_bin_files();
DROP FUNCTION app_is_binned(uuid);
DROP FUNCTION app_binned_files();
"""


class Migration(migrations.Migration):
    """A file that is deleted goes to the bin first, and the files of a record with it."""

    dependencies = [("ingestion", "0046_dates_as_words"), ("entities", "0026_bin")]

    operations = [
        migrations.AddField("file", "deleted_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("file", "deleted_by", models.BigIntegerField(default=0, db_default=0, editable=False)),
        migrations.AddField("file", "deleted_with", models.UUIDField(editable=False, null=True)),
        migrations.RemoveConstraint("file", "file_identity"),
        migrations.AddConstraint(
            "file",
            models.UniqueConstraint(
                condition=Q(deleted_at__isnull=True),
                fields=("entity", "collection", "name", "twin"),
                name="file_identity",
            ),
        ),
        migrations.AddIndex(
            "file",
            models.Index(
                condition=Q(deleted_at__isnull=False), fields=["workspace", "-deleted_at"], name="file_binned"
            ),
        ),
        migrations.AddIndex("pastparagraph", models.Index(fields=["paragraph"], name="past_by_paragraph")),
        migrations.RunSQL([SQL], [BACK]),
        *[
            RenewPolicy(name)
            for name in ("File", "Paragraph", "PastParagraph", "ContextRow", "DocumentLink", "RequalifiedFile")
        ],
    ]
