-- What holds the attachments of a conversation goes with it, by whatever cascade it is deleted, and its files with that.
ALTER TABLE entities_entity ADD CONSTRAINT entities_entity_attached_to_ws FOREIGN KEY (workspace_id, attached_to)
  REFERENCES chat_session (workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

-- What holds the attachments of conversations about a record, whoever reads these: it goes to the bin with the record, comes
-- back with it, and is locked with it where the record is deleted. Ids alone. Used by entities.actions only.
CREATE FUNCTION app_attached_below(record uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.id FROM chat_session s JOIN entities_entity e ON e.attached_to = s.id AND e.workspace_id = s.workspace_id
  WHERE s.entity_id = record AND s.workspace_id = app_workspace()
$$;

-- Whether that a file of a record was deleted may be told to who could read what was drawn from it: the record is open to
-- the workspace, or holds what the one reader of a private conversation has attached to it.
CREATE FUNCTION app_is_open_source(record uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM entities_entity e LEFT JOIN chat_session s ON s.id = e.attached_to
    WHERE e.id = record AND (e.visibility = 'workspace' OR e.visibility = 'attached' AND s.audience = s.owner))
$$;

CREATE OR REPLACE FUNCTION app_forget_passages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE drawn uuid[] := app_texts_drawn_from(OLD.workspace_id, ARRAY(SELECT s.id FROM entities_source s
  WHERE s.workspace_id = OLD.workspace_id AND s.passage IN (
    SELECT p.id FROM ingestion_paragraph p WHERE p.file_id = OLD.id
    UNION SELECT p.paragraph FROM ingestion_pastparagraph p WHERE p.file_id = OLD.id)));
BEGIN
  PERFORM app_remove_answers(OLD.workspace_id, drawn, '00000000-0000-0000-0000-000000000000',
    app_is_open_source(OLD.entity_id));
  PERFORM FROM pulse_pulse p WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id ORDER BY p.id FOR UPDATE;
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = ''
  WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id AND p.data_classification IS NOT NULL;
  DELETE FROM references_reference r WHERE r.id = ANY(drawn) AND r.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;
