from django.db import migrations

SQL = """
-- A file that is deleted for good takes with it what was drawn from its text, that of its earlier versions too: answers and
-- references are deleted, Pulses are withdrawn, so that they are written again. Nobody would know any more what they were
-- drawn from. Rows are locked in the order of their ids, as where a record is deleted.
CREATE FUNCTION app_forget_passages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE drawn uuid[] := ARRAY(SELECT DISTINCT s.derived FROM entities_source s
  WHERE s.workspace_id = OLD.workspace_id AND s.passage IN (
    SELECT p.id FROM ingestion_paragraph p WHERE p.file_id = OLD.id
    UNION SELECT p.paragraph FROM ingestion_pastparagraph p WHERE p.file_id = OLD.id));
BEGIN
  DELETE FROM chat_message m WHERE m.id = ANY(drawn) AND m.workspace_id = OLD.workspace_id;
  PERFORM FROM pulse_pulse p WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id ORDER BY p.id FOR UPDATE;
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = ''
  WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id AND p.data_classification IS NOT NULL;
  DELETE FROM references_reference r WHERE r.id = ANY(drawn) AND r.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;
CREATE TRIGGER forget_passages BEFORE DELETE ON ingestion_file FOR EACH ROW EXECUTE FUNCTION app_forget_passages();
"""


class Migration(migrations.Migration):
    """What was drawn from a file that is deleted for good goes with it."""

    dependencies = [
        ("chat", "0003_titles"),
        ("ingestion", "0047_bin"),
        ("pulse", "0005_withdrawn"),
        ("references", "0002_protect"),
    ]

    operations = [migrations.RunSQL([SQL], ["DROP FUNCTION app_forget_passages() CASCADE"])]
