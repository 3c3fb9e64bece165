from django.db import migrations

SQL = """
-- A file that goes out of the bin for good takes the answers that were drawn from its text with it, as a record does: in the
-- bin they were hidden, and would be shown again when nobody knew any more what they were drawn from.
CREATE FUNCTION app_forget_passages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM chat_message m USING entities_source s JOIN ingestion_paragraph p ON p.id = s.passage
  WHERE p.file_id = OLD.id AND s.derived = m.id AND m.workspace_id = OLD.workspace_id;
  DELETE FROM chat_title t USING entities_source s JOIN ingestion_paragraph p ON p.id = s.passage
  WHERE p.file_id = OLD.id AND s.derived = t.id AND t.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;
CREATE TRIGGER forget_passages BEFORE DELETE ON ingestion_file FOR EACH ROW
  WHEN (OLD.deleted_at IS NOT NULL) EXECUTE FUNCTION app_forget_passages();
"""


class Migration(migrations.Migration):
    """What was drawn from a file that is deleted for good goes with it."""

    dependencies = [("chat", "0003_titles"), ("ingestion", "0047_bin")]

    operations = [migrations.RunSQL([SQL], ["DROP FUNCTION app_forget_passages() CASCADE"])]
