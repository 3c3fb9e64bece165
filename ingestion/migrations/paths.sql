-- What a search plans its way by (docs/adr/0013). `sample`: how many of the lowest bits of the hash of a row's id are
-- zero, as far as 5, 8 and 11: the row is one of 32, of 256, of 2,048. It depends on nothing but the row.
CREATE FUNCTION app_sample(id uuid) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (CASE WHEN hash & 2047 = 0 THEN 11 WHEN hash & 255 = 0 THEN 8 WHEN hash & 31 = 0 THEN 5 ELSE 0 END)::smallint
  FROM (SELECT hashtextextended(id::text, 0) AS hash) hashed
$$;

ALTER TABLE ingestion_posting ADD COLUMN sample smallint NOT NULL DEFAULT 0;
UPDATE ingestion_posting p SET sample = app_sample(c.id) FROM ingestion_contextrow c
WHERE c.number = p."row" AND app_sample(c.id) > 0;
CREATE INDEX ingestion_posting_sample_5 ON ingestion_posting (workspace_id, term, data_classification)
  WHERE sample >= 5;
CREATE INDEX ingestion_posting_sample_8 ON ingestion_posting (workspace_id, term, data_classification)
  WHERE sample >= 8;
CREATE INDEX ingestion_posting_sample_11 ON ingestion_posting (workspace_id, term, data_classification)
  WHERE sample >= 11;

-- The passages that use a word most can be read without those that use it once.
DROP INDEX ingestion_posting_term;
CREATE INDEX ingestion_posting_term ON ingestion_posting (workspace_id, term, tf, data_classification);

-- Few records of a large workspace are read by the record.
CREATE INDEX ingestion_posting_entity ON ingestion_posting (entity, term);
CREATE INDEX ingestion_vector_entity ON ingestion_vector (entity, data_classification);

CREATE OR REPLACE FUNCTION app_index_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  WITH lexemes AS (
    SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
           n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf,
           app_sample(n.id) AS sample
    FROM added n
    JOIN entities_entity e ON e.id = n.entity_id
    LEFT JOIN ingestion_file f ON f.id = n.file_id
    LEFT JOIN LATERAL
      unnest(to_tsvector(app_text_config(n.lang), app_words(n.heading_path || ' ' || n.text))) t ON true
  ), lengths AS (
    SELECT "row", least(sum(coalesce(tf, 0)), 32000)::smallint AS dl FROM lexemes GROUP BY "row"
  )
  INSERT INTO ingestion_posting
    (workspace_id, term, data_classification, audience, entity, file, "row", kind, tf, dl, sample)
  SELECT workspace_id, term, data_classification, audience, entity, file, l."row", kind, least(tf, 32000), dl, sample
  FROM lexemes l JOIN lengths USING ("row") WHERE term IS NOT NULL AND term <> 0
  UNION ALL
  SELECT DISTINCT workspace_id, 0, data_classification, audience, entity, file, l."row", kind, 1, dl, sample
  FROM lexemes l JOIN lengths USING ("row")
  ORDER BY 1, 2, 3;
  RETURN NULL;
END $$;
