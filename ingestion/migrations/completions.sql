-- The words that a search is completed with while somebody types (docs/adr/0021): whole words of index rows, with every
-- column that the gate asks for, so that a word is suggested to whoever sees a row that holds it, and to nobody else.
-- One entry a word of a file and label, or of a row that is of no file or drawn from other records.
CREATE TABLE ingestion_word (
  workspace_id integer NOT NULL,
  data_classification integer NOT NULL,
  audience integer NOT NULL,
  entity integer NOT NULL,
  file integer NOT NULL,
  "row" integer NOT NULL,
  kind smallint NOT NULL,
  drawn boolean NOT NULL,
  word text COLLATE "C" NOT NULL
);
CREATE INDEX ingestion_word_begins ON ingestion_word (workspace_id, data_classification, word);
CREATE INDEX ingestion_word_row ON ingestion_word ("row");
CREATE INDEX ingestion_word_file ON ingestion_word (file) WHERE file <> 0;

-- Words of four letters and more that say something in the text's language; no numbers, which nobody completes.
-- The dictionary is looked up once a text, which is half of the time.
CREATE FUNCTION app_completions(lang text, given text) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.lexeme FROM (
    SELECT (CASE app_text_config(lang)::text WHEN 'simple' THEN 'simple'
      ELSE app_text_config(lang)::text || '_stem' END)::regdictionary AS stem OFFSET 0) d
  CROSS JOIN LATERAL unnest(to_tsvector('simple', app_words(given))) t
  WHERE length(t.lexeme) BETWEEN 4 AND 40 AND t.lexeme !~ '[\x01-\x60\x7B-\x7F]'
    AND ts_lexize(d.stem, t.lexeme) <> '{}'
$$;

CREATE FUNCTION app_add_words(numbers bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH found AS (
    SELECT c.workspace_id, c.data_classification, c.audience::integer AS audience, e.number::integer AS entity,
           coalesce(f.number, 0)::integer AS file, c.number::integer AS "row", c.kind, d.drawn, w.word,
           f.number IS NULL OR d.drawn AS alone
    FROM ingestion_contextrow c
    JOIN entities_entity e ON e.id = c.entity_id
    LEFT JOIN ingestion_file f ON f.id = c.file_id
    CROSS JOIN LATERAL (SELECT app_is_drawn(c.id, c.entity_id)) d (drawn)
    CROSS JOIN LATERAL app_completions(c.lang, c.heading_path || ' ' || c.text) w (word)
    WHERE c.number = ANY(numbers))
  INSERT INTO ingestion_word (workspace_id, data_classification, audience, entity, file, "row", kind, drawn, word)
  SELECT workspace_id, data_classification, audience, entity, file, min("row"), kind, drawn, word FROM found
  WHERE alone OR NOT EXISTS (
    SELECT FROM ingestion_word o WHERE o.workspace_id = found.workspace_id AND o.file = found.file
      AND o.data_classification = found.data_classification AND o.audience = found.audience AND o.kind = found.kind
      AND NOT o.drawn AND o.word = found.word)
  GROUP BY workspace_id, data_classification, audience, entity, file, CASE WHEN alone THEN "row" END, kind, drawn, word
  ORDER BY 1, 2, 9
$$;

-- What rows hold, and the files that they are of, is read again.
CREATE FUNCTION app_renew_words(numbers bigint[], files bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_word w WHERE w."row" = ANY(numbers);
  DELETE FROM ingestion_word w WHERE w.file = ANY(files) AND w.file <> 0;
  PERFORM app_add_words(ARRAY(
    SELECT c.number FROM ingestion_contextrow c WHERE c.number = ANY(numbers)
    UNION
    SELECT c.number FROM ingestion_contextrow c JOIN ingestion_file f ON f.id = c.file_id WHERE f.number = ANY(files)));
END $$;

CREATE FUNCTION app_words_come() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM app_add_words(ARRAY(SELECT number FROM added));
  RETURN NULL;
END $$;

CREATE FUNCTION app_words_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE numbers bigint[] := ARRAY(
  SELECT n.number FROM changed n JOIN before o USING (id)
  WHERE (n.data_classification, n.audience, n.lang) IS DISTINCT FROM (o.data_classification, o.audience, o.lang));
BEGIN
  IF cardinality(numbers) > 0 THEN
    PERFORM app_renew_words(numbers, ARRAY(
      SELECT DISTINCT f.number FROM changed c JOIN ingestion_file f ON f.id = c.file_id WHERE c.number = ANY(numbers)));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION app_words_go() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM app_renew_words(ARRAY(SELECT number FROM gone), ARRAY(
    SELECT DISTINCT f.number FROM gone g JOIN ingestion_file f ON f.id = g.file_id));
  RETURN NULL;
END $$;

-- Sources are written after the row. Where they go again, the gate finds that there are none.
CREATE FUNCTION app_words_are_drawn() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE numbers bigint[] := ARRAY(
  SELECT DISTINCT c.number FROM touched s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE s.entity_id <> c.entity_id);
BEGIN
  IF cardinality(numbers) > 0 THEN
    PERFORM app_renew_words(numbers, ARRAY(
      SELECT DISTINCT f.number FROM ingestion_contextrow c JOIN ingestion_file f ON f.id = c.file_id
      WHERE c.number = ANY(numbers)));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER words_come AFTER INSERT ON ingestion_contextrow
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_words_come();
CREATE TRIGGER words_change AFTER UPDATE ON ingestion_contextrow
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION app_words_change();
CREATE TRIGGER words_go AFTER DELETE ON ingestion_contextrow
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_words_go();
CREATE TRIGGER words_drawn AFTER INSERT ON entities_source
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app_words_are_drawn();
CREATE TRIGGER words_drawn_again AFTER UPDATE ON entities_source
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app_words_are_drawn();

-- What is there already, a record at a time.
DO $$
DECLARE record uuid;
BEGIN
  FOR record IN SELECT DISTINCT entity_id FROM ingestion_contextrow LOOP
    PERFORM app_add_words(ARRAY(SELECT number FROM ingestion_contextrow WHERE entity_id = record));
  END LOOP;
END $$;
