-- Whether an index row may be drawn from a record other than its own (docs/adr/0013): only such rows are asked, one by
-- one, what their sources are. True unless it is known better.
ALTER TABLE ingestion_vector ADD COLUMN drawn boolean NOT NULL DEFAULT true;
ALTER TABLE ingestion_posting ADD COLUMN drawn boolean NOT NULL DEFAULT true;

CREATE FUNCTION app_is_drawn(id uuid, entity uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM entities_source s WHERE s.derived = $1 AND s.entity_id <> $2)
$$;

UPDATE ingestion_vector v SET drawn = false FROM ingestion_contextrow c
WHERE c.number = v."row" AND NOT app_is_drawn(c.id, c.entity_id);
UPDATE ingestion_posting p SET drawn = false FROM ingestion_contextrow c
WHERE c.number = p."row" AND NOT app_is_drawn(c.id, c.entity_id);

-- Sources are written after the row.
CREATE FUNCTION app_mark_drawn() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ingestion_vector v SET drawn = true FROM added s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE v."row" = c.number AND s.entity_id <> c.entity_id AND NOT v.drawn;
  UPDATE ingestion_posting p SET drawn = true FROM added s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE p."row" = c.number AND s.entity_id <> c.entity_id AND NOT p.drawn;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_drawn AFTER INSERT ON entities_source
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_mark_drawn();
CREATE TRIGGER mark_drawn_again AFTER UPDATE ON entities_source
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_mark_drawn();

CREATE OR REPLACE FUNCTION app_index_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  WITH lexemes AS (
    SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
           n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf,
           app_sample(n.id) AS sample, app_is_drawn(n.id, n.entity_id) AS drawn
    FROM added n
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
  RETURN NULL;
END $$;
