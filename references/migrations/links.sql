-- A link that goes takes the references that were made of it with it, whoever may see them.
CREATE FUNCTION app_forget_linked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM references_reference
    WHERE owner = OLD.id AND origin = 'document' AND workspace_id = OLD.workspace_id;
  RETURN NULL;
END $$;

-- A file that goes is no longer led to; its record may stay.
CREATE FUNCTION app_forget_leading() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM references_reference
    WHERE target_id = OLD.entity_id AND origin = 'document' AND workspace_id = OLD.workspace_id
      AND location_detail ->> 'file' = OLD.id::text;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_linked AFTER DELETE ON ingestion_documentlink
  FOR EACH ROW EXECUTE FUNCTION app_forget_linked();
CREATE TRIGGER forget_leading AFTER DELETE ON ingestion_file
  FOR EACH ROW EXECUTE FUNCTION app_forget_leading();
