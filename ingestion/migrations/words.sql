-- PostgreSQL's parser takes every character beyond ASCII for a letter where the database has the C locale, as the
-- embedded one has: “cap” and £51,300 were words of their own, quotation marks and all, and nobody found them. What is
-- no letter, mark or number becomes a blank, for texts and questions alike.
CREATE FUNCTION app_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(translate(given, U&'\2018\2019\02BC\00AD', ''''''''),
    '[\u0080-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u2BFF\u3000-\u3003\u3008-\u3020\uFE10-\uFE6F\uFF00-\uFF0F]',
    ' ', 'g')
$$;

CREATE OR REPLACE FUNCTION app_index_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  WITH lexemes AS (
    SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
           n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf
    FROM added n
    JOIN entities_entity e ON e.id = n.entity_id
    LEFT JOIN ingestion_file f ON f.id = n.file_id
    LEFT JOIN LATERAL
      unnest(to_tsvector(app_text_config(n.lang), app_words(n.heading_path || ' ' || n.text))) t ON true
  ), lengths AS (
    SELECT "row", least(sum(coalesce(tf, 0)), 32000)::smallint AS dl FROM lexemes GROUP BY "row"
  )
  INSERT INTO ingestion_posting
  SELECT workspace_id, term, data_classification, audience, entity, file, l."row", kind, least(tf, 32000), dl
  FROM lexemes l JOIN lengths USING ("row") WHERE term IS NOT NULL AND term <> 0
  UNION ALL
  SELECT DISTINCT workspace_id, 0, data_classification, audience, entity, file, l."row", kind, 1, dl
  FROM lexemes l JOIN lengths USING ("row")
  ORDER BY 1, 2, 3;
  RETURN NULL;
END $$;

-- What is there is indexed anew, as the trigger does it.
DELETE FROM ingestion_posting;
WITH lexemes AS (
  SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
         n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf
  FROM ingestion_contextrow n
  JOIN entities_entity e ON e.id = n.entity_id
  LEFT JOIN ingestion_file f ON f.id = n.file_id
  LEFT JOIN LATERAL
    unnest(to_tsvector(app_text_config(n.lang), app_words(n.heading_path || ' ' || n.text))) t ON true
), lengths AS (
  SELECT "row", least(sum(coalesce(tf, 0)), 32000)::smallint AS dl FROM lexemes GROUP BY "row"
)
INSERT INTO ingestion_posting
SELECT workspace_id, term, data_classification, audience, entity, file, l."row", kind, least(tf, 32000), dl
FROM lexemes l JOIN lengths USING ("row") WHERE term IS NOT NULL AND term <> 0
UNION ALL
SELECT DISTINCT workspace_id, 0, data_classification, audience, entity, file, l."row", kind, 1, dl
FROM lexemes l JOIN lengths USING ("row")
ORDER BY 1, 2, 3;
