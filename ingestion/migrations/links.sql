-- A link is text of its paragraph: whatever changes that one's label changes the link's, in the same statement.
CREATE FUNCTION app_label_links() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ingestion_documentlink SET data_classification = NEW.data_classification, floor = NEW.floor
    WHERE paragraph_id = NEW.id AND workspace_id = NEW.workspace_id;
  RETURN NULL;
END $$;

CREATE TRIGGER label_links AFTER UPDATE OF data_classification, floor ON ingestion_paragraph FOR EACH ROW
  WHEN (OLD.data_classification IS DISTINCT FROM NEW.data_classification OR OLD.floor IS DISTINCT FROM NEW.floor)
  EXECUTE FUNCTION app_label_links();
