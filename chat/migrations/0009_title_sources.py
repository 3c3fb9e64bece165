from django.db import migrations

SQL = """
-- A title says what a question said, or what its author read: it goes with the records and files behind it, and its own
-- sources go with it.
CREATE TRIGGER forget_titles BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_forget_derived('chat_title');
CREATE TRIGGER forget_sources AFTER DELETE ON chat_title FOR EACH ROW EXECUTE FUNCTION app_forget_sources();

CREATE FUNCTION app_forget_passages_of_titles() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM chat_title t USING entities_source s
  WHERE t.id = s.derived AND t.workspace_id = OLD.workspace_id AND s.workspace_id = OLD.workspace_id AND s.passage IN (
    SELECT p.id FROM ingestion_paragraph p WHERE p.file_id = OLD.id
    UNION SELECT p.paragraph FROM ingestion_pastparagraph p WHERE p.file_id = OLD.id);
  RETURN OLD;
END $$;
CREATE TRIGGER forget_passages_of_titles BEFORE DELETE ON ingestion_file
  FOR EACH ROW EXECUTE FUNCTION app_forget_passages_of_titles();
"""
UNDO = """
DROP TRIGGER forget_titles ON entities_entity;
DROP TRIGGER forget_sources ON chat_title;
DROP FUNCTION app_forget_passages_of_titles() CASCADE;
"""


class Migration(migrations.Migration):
    """Titles have sources, as messages have."""

    dependencies = [("chat", "0008_shared"), ("references", "0002_protect")]

    operations = [migrations.RunSQL([SQL], [UNDO])]
