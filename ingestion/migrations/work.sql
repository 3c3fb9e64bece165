-- An index row that goes takes its vector, its postings and the record of what it was drawn from with it.
CREATE OR REPLACE FUNCTION app_unindex_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_vector v USING gone g WHERE v."row" = g.number;
  DELETE FROM ingestion_posting p USING gone g WHERE p."row" = g.number;
  DELETE FROM entities_source s USING gone g WHERE s.derived = g.id;
  RETURN NULL;
END $$;

-- A record that goes takes the index rows that were drawn from it with it, wherever they hang: its Source rows go too, and
-- afterwards nobody would know.
CREATE FUNCTION app_unindex_drawn_from() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_contextrow c USING entities_source s
  WHERE s.entity_id = OLD.id AND s.derived = c.id AND c.workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;
CREATE TRIGGER unindex_drawn_from BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_unindex_drawn_from();

-- What the caller may know of files whose records they may see: the labels and the last page of paragraphs that they may
-- read or that are acknowledged, and whether there is anything else (concealed, or not labelled) in them.
CREATE FUNCTION app_file_outlines(wanted uuid[])
RETURNS TABLE (file uuid, labels integer[], last_page integer, shown bigint, whole boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH seen AS (
    SELECT p.file_id, p.data_classification AS label, p.page,
      p.data_classification IS NOT NULL AND (p.data_classification = ANY((SELECT app_allowed())::int[])
        OR p.data_classification = ANY((SELECT app_acknowledged())::int[])) AS shown
    FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = ANY(wanted))
  SELECT file_id, array_agg(DISTINCT label) FILTER (WHERE shown), max(page) FILTER (WHERE shown),
    count(*) FILTER (WHERE shown), bool_and(shown OR (label IS NULL AND (SELECT app_unlabelled())))
  FROM seen GROUP BY file_id
$$;

-- Whether a file has labelled paragraphs and each of them is concealed from the caller.
CREATE FUNCTION app_file_concealed(wanted uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(bool_and(NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND NOT p.data_classification = ANY((SELECT app_acknowledged())::int[])), false)
  FROM ingestion_paragraph p
  WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.data_classification IS NOT NULL
$$;
