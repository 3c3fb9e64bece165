-- The texts that sources were given to: what stands in `derived`, or of a conversation the messages in whose set the number
-- of a source is. Of an answer that is gone with a source too, on whose turn there may be a note of it.
CREATE FUNCTION app_texts_drawn_from(tenant integer, given bigint[]) RETURNS uuid[]
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH gave AS MATERIALIZED (
    SELECT s.* FROM entities_source s WHERE s.workspace_id = tenant AND s.id = ANY(given)),
  numbers AS MATERIALIZED (
    SELECT g.derived, range_agg(int8range(g.number, g.number, '[]')) AS given FROM gave g
    WHERE g.number IS NOT NULL AND g.counted IS NULL GROUP BY g.derived),
  texts (id) AS (
    SELECT g.derived FROM gave g WHERE g.number IS NULL
    UNION ALL SELECT v.text FROM numbers n JOIN chat_turn t ON t.session_id = n.derived AND t.workspace_id = tenant
      CROSS JOIN LATERAL (VALUES (t.question, t.question_from), (t.answer, t.answer_from)) v (text, drawn)
    WHERE v.drawn && n.given
    -- Records that a text counts are in several lists: it goes when nobody is left of all of them.
    UNION ALL SELECT v.text FROM gave g JOIN chat_turn t ON t.session_id = g.derived AND t.workspace_id = tenant
      CROSS JOIN LATERAL (VALUES (t.question, t.question_from), (t.answer, t.answer_from)) v (text, drawn)
    WHERE g.number <@ v.drawn AND g.counted IS NOT NULL AND NOT EXISTS (SELECT FROM entities_source o
      WHERE o.derived = g.derived AND o.counted IS NOT NULL AND o.number <@ v.drawn AND o.entity_id <> g.entity_id))
  SELECT coalesce(array_agg(DISTINCT x.id), '{}') FROM texts x
$$;

-- An answer that goes with a source leaves a note on its turn: the label that it had, beside what it was drawn from, which
-- decide who may know. Run by the triggers below, as the owner. Where the source was not open to the workspace there is
-- none: nobody learns that it was deleted. Nor where the answer lists records: they are no keys, and may be deleted later.
-- Of two sources that are deleted at once the second waits for the turn, and then reads what the first has left.
CREATE OR REPLACE FUNCTION app_remove_answers(tenant integer, texts uuid[], source uuid, is_open boolean) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF texts = '{}' THEN RETURN; END IF;
  PERFORM FROM chat_turn t WHERE t.workspace_id = tenant AND (t.id = ANY(texts) OR t.answer = ANY(texts))
  ORDER BY t.id FOR UPDATE;
  IF is_open THEN
    UPDATE chat_turn t SET removed_label = m.data_classification FROM chat_message m
    WHERE m.id = ANY(texts) AND m.workspace_id = tenant AND m.role = 'assistant' AND t.id = m.turn_id
      AND m.data_classification IS NOT NULL
      AND NOT EXISTS (SELECT FROM entities_source s WHERE s.derived = m.id AND s.counted IS NOT NULL)
      AND NOT EXISTS (SELECT FROM entities_source s
        WHERE s.derived = m.session_id AND s.counted IS NOT NULL AND s.number <@ t.answer_from);
    UPDATE entities_source s SET derived = t.id FROM chat_turn t
    WHERE s.derived = ANY(texts) AND s.entity_id <> source AND t.answer = s.derived AND t.removed_label IS NOT NULL;
  ELSE
    UPDATE chat_turn t SET removed_label = NULL
    WHERE t.workspace_id = tenant AND (t.id = ANY(texts) OR t.answer = ANY(texts)) AND t.removed_label IS NOT NULL;
  END IF;
  DELETE FROM chat_message m WHERE m.id = ANY(texts) AND m.workspace_id = tenant;
END $$;

CREATE OR REPLACE FUNCTION app_forget_answers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM app_remove_answers(OLD.workspace_id, app_texts_drawn_from(OLD.workspace_id, ARRAY(SELECT s.id
    FROM entities_source s WHERE s.entity_id = OLD.id AND s.workspace_id = OLD.workspace_id)), OLD.id,
    OLD.visibility = 'workspace');
  RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION app_forget_passages() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE drawn uuid[] := app_texts_drawn_from(OLD.workspace_id, ARRAY(SELECT s.id FROM entities_source s
  WHERE s.workspace_id = OLD.workspace_id AND s.passage IN (
    SELECT p.id FROM ingestion_paragraph p WHERE p.file_id = OLD.id
    UNION SELECT p.paragraph FROM ingestion_pastparagraph p WHERE p.file_id = OLD.id)));
BEGIN
  PERFORM app_remove_answers(OLD.workspace_id, drawn, '00000000-0000-0000-0000-000000000000',
    EXISTS (SELECT FROM entities_entity e WHERE e.id = OLD.entity_id AND e.visibility = 'workspace'));
  PERFORM FROM pulse_pulse p WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id ORDER BY p.id FOR UPDATE;
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = ''
  WHERE p.id = ANY(drawn) AND p.workspace_id = OLD.workspace_id AND p.data_classification IS NOT NULL;
  DELETE FROM references_reference r WHERE r.id = ANY(drawn) AND r.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;

-- Records and files that stand behind a text that is being written, and behind messages that it may repeat, are not deleted
-- before its transaction ends. What came in a file is deleted while that one is held: it is held after it. Locks and answers
-- nothing. Used by chat.derivation only.
CREATE FUNCTION app_hold_records(conversation uuid, records uuid[], passages uuid[], messages uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE drawn bigint[]; files uuid[];
BEGIN
  drawn := ARRAY(SELECT s.id FROM entities_source s WHERE s.derived = ANY(messages)
    UNION SELECT s.id FROM entities_source s WHERE s.derived = conversation AND s.number <@ (
      SELECT range_agg(CASE WHEN m.id = t.question THEN t.question_from ELSE t.answer_from END)
      FROM chat_message m JOIN chat_turn t ON t.id = m.turn_id
      WHERE m.id = ANY(messages) AND m.session_id = conversation));
  passages := passages || ARRAY(SELECT s.passage FROM entities_source s WHERE s.id = ANY(drawn) AND s.passage IS NOT NULL);
  files := ARRAY(WITH RECURSIVE held (id) AS (
      SELECT p.file_id FROM ingestion_paragraph p WHERE p.id = ANY(passages)
      UNION SELECT p.file_id FROM ingestion_pastparagraph p WHERE p.paragraph = ANY(passages)
      UNION SELECT f.origin_id FROM held h JOIN ingestion_file f ON f.id = h.id WHERE f.origin_id IS NOT NULL)
    SELECT h.id FROM held h);
  PERFORM FROM entities_entity e WHERE e.workspace_id = app_workspace() AND e.id IN (
    SELECT unnest(records)
    UNION SELECT s.entity_id FROM entities_source s WHERE s.id = ANY(drawn)
    UNION SELECT f.entity_id FROM ingestion_file f WHERE f.id = ANY(files))
  ORDER BY e.id FOR KEY SHARE;
  PERFORM FROM ingestion_file f JOIN (
    WITH RECURSIVE placed (id, depth) AS (
      SELECT o.id, 0 FROM ingestion_file o WHERE o.id = ANY(files) AND o.origin_id IS NULL
      UNION ALL SELECT c.id, p.depth + 1 FROM placed p JOIN ingestion_file c ON c.origin_id = p.id WHERE c.id = ANY(files))
    SELECT id, depth FROM placed) p ON p.id = f.id
  WHERE f.workspace_id = app_workspace() ORDER BY p.depth, f.id FOR KEY SHARE OF f;
END $$;

-- Numbers of a conversation's sources are given by the service, and by who asks in the block of their own question (an even
-- one, see chat/message_sources.py), until it is said what is behind it: a number elsewhere would stand in for what others add.
CREATE FUNCTION app_keep_numbers() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF row_security_active('entities_source') AND NOT EXISTS (SELECT FROM chat_turn t
    WHERE t.session_id = new.derived AND t.number = new.number >> 21 AND (new.number >> 20) % 2 = 0
      AND t.owner = app_principal() AND t.question_from = '{}') THEN
    RAISE EXCEPTION 'what a text was drawn from is settled when it is written';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER keep_numbers BEFORE INSERT ON entities_source FOR EACH ROW
  WHEN (new.number IS NOT NULL AND NOT app_service()) EXECUTE FUNCTION app_keep_numbers();

CREATE OR REPLACE FUNCTION app_delete_session() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_source WHERE workspace_id = OLD.workspace_id AND derived = OLD.id;
  DELETE FROM retrieval_citation WHERE workspace_id = OLD.workspace_id AND owner_kind = 'chat_session' AND owner = OLD.id;
  DELETE FROM retrieval_citationcounter
    WHERE workspace_id = OLD.workspace_id AND owner_kind = 'chat_session' AND owner = OLD.id;
  RETURN NULL;
END $$;

-- What a text was drawn from grows, by the service alone: its asker says once what is behind a question.
CREATE TRIGGER keep_drawn BEFORE UPDATE OF question_from, answer_from ON chat_turn FOR EACH ROW
  WHEN (NOT new.question_from @> old.question_from OR NOT new.answer_from @> old.answer_from
        OR (new.answer_from <> old.answer_from OR new.question_from <> old.question_from AND old.question_from <> '{}')
          AND NOT app_service())
  EXECUTE FUNCTION app_keep_readers();
