-- "kestrel@acme.com", "www.kestrel.org" and "Kestrel-Plan.docx" are one word each to PostgreSQL's parser, and none for
-- completions, which have letters alone: "kestrel" stood nowhere, and was corrected to a word like it. Marks within words
-- are blanks now. No other word goes: what holds a mark was left out.
CREATE OR REPLACE FUNCTION app_completions(lang text, given text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.lexeme FROM (
    SELECT (CASE app_text_config(lang)::text WHEN 'simple' THEN 'simple'
      ELSE app_text_config(lang)::text || '_stem' END)::regdictionary AS stem OFFSET 0) d
  CROSS JOIN LATERAL unnest(to_tsvector('simple',
    regexp_replace(app_words(given), '[\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E]', ' ', 'g'))) t
  WHERE length(t.lexeme) BETWEEN 4 AND 40 AND t.lexeme !~ '[\x01-\x60\x7B-\x7F]'
    AND ts_lexize(d.stem, t.lexeme) <> '{}'
$$;

-- What has such words already, a record at a time.
DO $$
DECLARE record uuid;
BEGIN
  FOR record IN SELECT DISTINCT entity_id FROM ingestion_contextrow
    WHERE heading_path || ' ' || text ~ '[[:alnum:]][^[:alnum:][:space:]]+[[:alnum:]]' LOOP
    PERFORM app_renew_words(
      ARRAY(SELECT number FROM ingestion_contextrow WHERE entity_id = record),
      ARRAY(SELECT DISTINCT f.number FROM ingestion_contextrow c JOIN ingestion_file f ON f.id = c.file_id
        WHERE c.entity_id = record));
  END LOOP;
END $$;
