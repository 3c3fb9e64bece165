-- Narrow tables beside ingestion_contextrow, each with every filter column repeated, so that nothing is filtered after
-- ranking. Measured: docs/adr/0003.
CREATE TABLE ingestion_vector (
  workspace_id integer NOT NULL,
  data_classification integer NOT NULL,
  audience integer NOT NULL,
  entity integer NOT NULL,
  file integer NOT NULL,
  "row" integer NOT NULL,
  kind smallint NOT NULL,
  model smallint NOT NULL REFERENCES ingestion_vectormodel (id),
  embedding halfvec NOT NULL,
  PRIMARY KEY ("row", model)
);
ALTER TABLE ingestion_vector ALTER COLUMN embedding SET STORAGE EXTERNAL;
CREATE INDEX ingestion_vector_label ON ingestion_vector (workspace_id, data_classification);

-- One row a term and row; the term 0 stands for the row itself and carries its length, so that the number of visible
-- rows and their mean length are one scan under the same filters.
CREATE TABLE ingestion_posting (
  workspace_id integer NOT NULL,
  term integer NOT NULL,
  data_classification integer NOT NULL,
  audience integer NOT NULL,
  entity integer NOT NULL,
  file integer NOT NULL,
  "row" integer NOT NULL,
  kind smallint NOT NULL,
  tf smallint NOT NULL,
  dl smallint NOT NULL
);
CREATE INDEX ingestion_posting_term ON ingestion_posting (workspace_id, term, data_classification);
CREATE INDEX ingestion_posting_row ON ingestion_posting ("row");

CREATE FUNCTION app_text_config(lang text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE lang WHEN 'en' THEN 'english' WHEN 'de' THEN 'german' WHEN 'fr' THEN 'french' WHEN 'es' THEN 'spanish'
    WHEN 'it' THEN 'italian' WHEN 'nl' THEN 'dutch' WHEN 'pt' THEN 'portuguese' WHEN 'sv' THEN 'swedish'
    WHEN 'da' THEN 'danish' WHEN 'no' THEN 'norwegian' WHEN 'fi' THEN 'finnish' ELSE 'simple' END::regconfig
$$;

CREATE FUNCTION app_index_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  WITH lexemes AS (
    SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
           n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf
    FROM added n
    JOIN entities_entity e ON e.id = n.entity_id
    LEFT JOIN ingestion_file f ON f.id = n.file_id
    LEFT JOIN LATERAL unnest(to_tsvector(app_text_config(n.lang), n.heading_path || ' ' || n.text)) t ON true
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

CREATE FUNCTION app_relabel_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE ingestion_vector v SET data_classification = n.data_classification, audience = n.audience
  FROM changed n WHERE v."row" = n.number
    AND (v.data_classification, v.audience) IS DISTINCT FROM (n.data_classification, n.audience::integer);
  UPDATE ingestion_posting p SET data_classification = n.data_classification, audience = n.audience
  FROM changed n WHERE p."row" = n.number
    AND (p.data_classification, p.audience) IS DISTINCT FROM (n.data_classification, n.audience::integer);
  RETURN NULL;
END $$;

CREATE FUNCTION app_unindex_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_vector v USING gone g WHERE v."row" = g.number;
  DELETE FROM ingestion_posting p USING gone g WHERE p."row" = g.number;
  RETURN NULL;
END $$;

CREATE TRIGGER index_rows AFTER INSERT ON ingestion_contextrow
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_index_rows();
CREATE TRIGGER relabel_rows AFTER UPDATE ON ingestion_contextrow
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION app_relabel_rows();
CREATE TRIGGER unindex_rows AFTER DELETE ON ingestion_contextrow
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_unindex_rows();

-- Text never changes under a row: the index would keep the old words.
CREATE FUNCTION app_text_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the text of an index row is final: delete it and insert another'; END $$;
CREATE TRIGGER text_is_final BEFORE UPDATE OF text, heading_path, number, entity_id, file_id, kind
  ON ingestion_contextrow FOR EACH ROW
  WHEN (old.text IS DISTINCT FROM new.text OR old.heading_path IS DISTINCT FROM new.heading_path
        OR old.number IS DISTINCT FROM new.number OR old.entity_id IS DISTINCT FROM new.entity_id
        OR old.file_id IS DISTINCT FROM new.file_id OR old.kind IS DISTINCT FROM new.kind)
  EXECUTE FUNCTION app_text_is_final();

-- A row has one label, and all its paragraphs have that label.
ALTER TABLE ingestion_contextrow ADD CONSTRAINT ingestion_contextrow_label UNIQUE (id, data_classification);
ALTER TABLE ingestion_paragraph ADD CONSTRAINT ingestion_paragraph_label UNIQUE (id, data_classification);
ALTER TABLE entities_fieldparagraph ADD CONSTRAINT entities_fieldparagraph_label UNIQUE (id, data_classification);
ALTER TABLE ingestion_rowparagraph
  ADD CONSTRAINT rowparagraph_row_label FOREIGN KEY (row_id, data_classification)
    REFERENCES ingestion_contextrow (id, data_classification) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT rowparagraph_paragraph_label FOREIGN KEY (paragraph_id, data_classification)
    REFERENCES ingestion_paragraph (id, data_classification) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT rowparagraph_field_label FOREIGN KEY (field_paragraph_id, data_classification)
    REFERENCES entities_fieldparagraph (id, data_classification) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT rowparagraph_one CHECK (num_nonnulls(paragraph_id, field_paragraph_id) = 1);

-- Positions and labels, never text, of the acknowledged hidden paragraphs of a file whose record the caller may see.
CREATE FUNCTION app_hidden_paragraphs(wanted uuid) RETURNS TABLE ("position" integer, page integer, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.position, p.page, p.data_classification FROM ingestion_paragraph p
  WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;

-- Whether the caller is cleared for every paragraph of a file; an original is refused otherwise.
CREATE FUNCTION app_cleared_for_file(wanted uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = wanted
      AND NOT coalesce(p.data_classification = ANY((SELECT app_allowed())::int[]), (SELECT app_unlabelled())))
$$;
