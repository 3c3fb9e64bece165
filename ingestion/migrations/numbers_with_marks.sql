-- "£6,850" was the words 6 and 850, which nobody asks for: a mark before three digits that are the last or are followed
-- by another mark belongs to its number. Dates and versions have other lengths. For texts and questions alike.
CREATE OR REPLACE FUNCTION app_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(translate(given, U&'\2018\2019\02BC/\00AD', ''''''' '),
    '([0-9])[,.''](?=[0-9]{3}(?![0-9]))', '\1', 'g'),
    '[\u0080-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u2BFF\u3000-\u3003\u3008-\u3020\u30FB\uFE10-\uFE6F\uFF00-\uFF0F]',
    ' ', 'g'),
    '[\u2E80-\u2FFF\u3005-\u3007\u3041-\u30FA\u30FC-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF]',
    ' \& ', 'g'),
    '([[:alnum:]])-(?=[0-9])', '\1 ', 'g')
$$;

-- Rows that this changes are indexed anew, as the trigger does it.
CREATE TEMPORARY TABLE spelled_anew ON COMMIT DROP AS
SELECT number FROM ingestion_contextrow WHERE heading_path || ' ' || text ~ '[0-9][,.''\u2019][0-9]{3}';
DELETE FROM ingestion_posting p USING spelled_anew s WHERE p."row" = s.number;
WITH lexemes AS (
  SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
         n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf,
         app_sample(n.id) AS sample, app_is_drawn(n.id, n.entity_id) AS drawn
  FROM ingestion_contextrow n JOIN spelled_anew USING (number)
  JOIN entities_entity e ON e.id = n.entity_id
  LEFT JOIN ingestion_file f ON f.id = n.file_id
  LEFT JOIN LATERAL
    unnest(to_tsvector(app_text_config(n.lang), app_words(n.heading_path || ' ' || n.text))) t ON true
), lengths AS (
  SELECT "row", least(sum(coalesce(tf, 0)), 32000)::smallint AS dl FROM lexemes GROUP BY "row"
)
INSERT INTO ingestion_posting
  (workspace_id, term, data_classification, audience, entity, file, "row", kind, tf, dl, sample, drawn)
SELECT workspace_id, term, data_classification, audience, entity, file, l."row", kind, least(tf, 32000), dl, sample,
  drawn
FROM lexemes l JOIN lengths USING ("row") WHERE term IS NOT NULL AND term <> 0
UNION ALL
SELECT DISTINCT workspace_id, 0, data_classification, audience, entity, file, l."row", kind, 1, dl, sample, drawn
FROM lexemes l JOIN lengths USING ("row")
ORDER BY 1, 2, 3;
