-- An answer that goes with a source leaves a note on its turn: the label that it had, and what else it was drawn from, which
-- decide who may know. Run by the triggers below, as the owner. Where the source was not open to the workspace there is
-- none: nobody learns that it was deleted. Nor where the answer lists records: they are no keys, and may be deleted later.
-- Of two sources that are deleted at once the second waits for the turn, and then reads what the first has left.
CREATE FUNCTION app_remove_answers(tenant integer, texts uuid[], source uuid, is_open boolean) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF texts = '{}' THEN RETURN; END IF;
  PERFORM FROM chat_turn t WHERE t.workspace_id = tenant AND (t.id = ANY(texts) OR t.answer = ANY(texts))
  ORDER BY t.id FOR UPDATE;
  IF is_open THEN
    UPDATE chat_turn t SET removed_label = m.data_classification FROM chat_message m
    WHERE m.id = ANY(texts) AND m.workspace_id = tenant AND m.role = 'assistant' AND t.id = m.turn_id
      AND m.data_classification IS NOT NULL
      AND NOT EXISTS (SELECT FROM entities_source s WHERE s.derived = m.id AND s.counted IS NOT NULL);
    UPDATE entities_source s SET derived = t.id FROM chat_turn t
    WHERE s.derived = ANY(texts) AND s.entity_id <> source AND t.answer = s.derived AND t.removed_label IS NOT NULL;
  ELSE
    UPDATE chat_turn t SET removed_label = NULL
    WHERE t.workspace_id = tenant AND (t.id = ANY(texts) OR t.answer = ANY(texts)) AND t.removed_label IS NOT NULL;
  END IF;
  DELETE FROM chat_message m WHERE m.id = ANY(texts) AND m.workspace_id = tenant;
END $$;

CREATE FUNCTION app_forget_answers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM app_remove_answers(OLD.workspace_id, ARRAY(SELECT DISTINCT s.derived FROM entities_source s
    WHERE s.entity_id = OLD.id AND s.workspace_id = OLD.workspace_id), OLD.id, OLD.visibility = 'workspace');
  RETURN OLD;
END $$;
DROP TRIGGER forget_messages ON entities_entity;
CREATE TRIGGER forget_messages BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_forget_answers();

CREATE OR REPLACE FUNCTION app_forget_passages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE drawn uuid[] := ARRAY(SELECT DISTINCT s.derived FROM entities_source s
  WHERE s.workspace_id = OLD.workspace_id AND s.passage IN (
    SELECT p.id FROM ingestion_paragraph p WHERE p.file_id = OLD.id
    UNION SELECT p.paragraph FROM ingestion_pastparagraph p WHERE p.file_id = OLD.id));
BEGIN
  PERFORM app_remove_answers(OLD.workspace_id, drawn, '00000000-0000-0000-0000-000000000000',
    EXISTS (SELECT FROM entities_entity e WHERE e.id = OLD.entity_id AND e.visibility = 'workspace'));
  PERFORM FROM pulse_pulse p WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id ORDER BY p.id FOR UPDATE;
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = ''
  WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id AND p.data_classification IS NOT NULL;
  DELETE FROM references_reference r WHERE r.id = ANY(drawn) AND r.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;

CREATE TRIGGER forget_sources AFTER DELETE ON chat_turn FOR EACH ROW EXECUTE FUNCTION app_forget_sources();
