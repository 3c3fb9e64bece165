-- The words of the messages of a conversation, by which what was said is found again. Kept as the index of passages is
-- (docs/adr/0003): every filter column is repeated, and text without a label is not in it.
CREATE TABLE chat_posting (
  workspace_id integer NOT NULL,
  data_classification integer NOT NULL,
  audience integer NOT NULL,
  session uuid NOT NULL,
  message uuid NOT NULL,
  term integer NOT NULL,
  tf smallint NOT NULL,
  dl smallint NOT NULL
);
CREATE INDEX chat_posting_term ON chat_posting (session, term);
CREATE INDEX chat_posting_message ON chat_posting (message);

-- The language of a text is the one that knows most of its words as stop words, as of a question (`retrieval.terms`).
CREATE FUNCTION app_likely_config(given text) RETURNS regconfig LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT c.config FROM unnest('{english,german,french,spanish,italian,dutch,portuguese,swedish,danish,norwegian,finnish}'
    ::text[]::regconfig[]) WITH ORDINALITY c (config, n)
  ORDER BY (SELECT coalesce(sum(cardinality(t.positions)), 0) FROM unnest(to_tsvector(c.config, left(given, 2000))) t), c.n
  LIMIT 1
$$;

CREATE FUNCTION app_message_terms(given text) RETURNS TABLE (term integer, tf smallint, dl smallint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtext(t.lexeme), least(cardinality(t.positions), 32000)::smallint,
    least(sum(cardinality(t.positions)) OVER (), 32000)::smallint
  FROM (SELECT regexp_replace(given, '\[citation:\d+\]', ' ', 'g') OFFSET 0) r (said)
  CROSS JOIN LATERAL (SELECT app_words(r.said) OFFSET 0) w (words)
  CROSS JOIN LATERAL unnest(to_tsvector(app_likely_config(w.words), w.words || app_date_words(r.said))) t
$$;

CREATE FUNCTION app_index_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.content = OLD.content AND NEW.data_classification IS NOT NULL
    AND OLD.data_classification IS NOT NULL THEN
    UPDATE chat_posting p SET data_classification = NEW.data_classification, audience = NEW.audience
    WHERE p.message = NEW.id;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN DELETE FROM chat_posting p WHERE p.message = OLD.id; END IF;
  IF TG_OP <> 'DELETE' AND NEW.data_classification IS NOT NULL THEN
    INSERT INTO chat_posting
    SELECT NEW.workspace_id, NEW.data_classification, NEW.audience, NEW.session_id, NEW.id, t.term, t.tf, t.dl
    FROM app_message_terms(NEW.content) t WHERE t.term <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER index_message AFTER INSERT OR DELETE OR UPDATE OF content, data_classification, audience ON chat_message
  FOR EACH ROW EXECUTE FUNCTION app_index_message();

INSERT INTO chat_posting
SELECT m.workspace_id, m.data_classification, m.audience, m.session_id, m.id, t.term, t.tf, t.dl
FROM chat_message m CROSS JOIN LATERAL app_message_terms(m.content) t
WHERE m.data_classification IS NOT NULL AND t.term <> 0;
