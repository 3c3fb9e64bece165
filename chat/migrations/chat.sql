-- The event log follows its answer: when the answer gets its label, and whenever that label changes, so do its events.
CREATE FUNCTION app_relabel_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.role = 'assistant' AND NEW.data_classification IS NOT NULL THEN
    UPDATE chat_event SET data_classification = NEW.data_classification
    WHERE workspace_id = NEW.workspace_id AND turn_id = NEW.turn_id AND kind IN ('step', 'token', 'citation')
      AND data_classification <> NEW.data_classification;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER relabel_events AFTER UPDATE OF data_classification ON chat_message
  FOR EACH ROW EXECUTE FUNCTION app_relabel_events();

-- While an answer is being written it has no label, and its events are raised by the service. Used by chat.log only.
CREATE FUNCTION app_raise_events(wanted uuid, label integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT app_service() THEN RAISE EXCEPTION 'events are raised by the service'; END IF;
  UPDATE chat_event SET data_classification = label
  WHERE workspace_id = app_workspace() AND turn_id = wanted AND kind IN ('step', 'token', 'citation')
    AND data_classification <> label;
END $$;

-- What a message leaves elsewhere goes with it, by whatever cascade it is deleted: of an answer also the log of its text.
CREATE FUNCTION app_delete_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_source WHERE workspace_id = OLD.workspace_id AND derived = OLD.id;
  DELETE FROM references_reference WHERE workspace_id = OLD.workspace_id AND owner = OLD.id;
  IF OLD.role = 'assistant' THEN
    DELETE FROM chat_event
    WHERE workspace_id = OLD.workspace_id AND turn_id = OLD.turn_id AND kind IN ('step', 'token', 'citation');
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER delete_message AFTER DELETE ON chat_message FOR EACH ROW EXECUTE FUNCTION app_delete_message();

-- A record that goes takes the answers that were drawn from it with it, wherever they were asked for.
CREATE TRIGGER forget_messages BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_forget_derived('chat_message');
CREATE TRIGGER forget_titles BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_forget_derived('chat_title');

CREATE FUNCTION app_delete_session() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM retrieval_citation WHERE workspace_id = OLD.workspace_id AND owner_kind = 'chat_session' AND owner = OLD.id;
  DELETE FROM retrieval_citationcounter
    WHERE workspace_id = OLD.workspace_id AND owner_kind = 'chat_session' AND owner = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER delete_session AFTER DELETE ON chat_session FOR EACH ROW EXECUTE FUNCTION app_delete_session();

-- Wakes whoever tails a turn or runs it. The payload is the turn's id and nothing else.
CREATE FUNCTION app_notify_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chat_turn', 'event ' || NEW.turn_id);
  RETURN NULL;
END $$;

CREATE TRIGGER notify_turn AFTER INSERT ON chat_event FOR EACH ROW EXECUTE FUNCTION app_notify_turn();

-- Ids and labels, never text, of the caller's own messages that they may know of but not read. Used by chat.access only.
CREATE FUNCTION app_hidden_messages(conversation uuid) RETURNS TABLE (id uuid, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.id, m.data_classification FROM chat_message m
  WHERE m.workspace_id = app_workspace() AND m.session_id = conversation AND m.audience = app_principal()
    AND m.data_classification IS NOT NULL
    AND NOT m.data_classification = ANY((SELECT app_allowed())::int[])
    AND m.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;
