-- Of files that the caller has got: the numbers of versions that brought, took or relabelled a paragraph which the caller
-- may read or know of. What is concealed from them, or has no label, makes no version known.
CREATE FUNCTION app_known_versions(wanted uuid[]) RETURNS TABLE (file uuid, number integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH told AS (
    SELECT p.file_id, p.since, NULL::integer AS until, p.relabelled, p.data_classification AS label
    FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = ANY(wanted)
    UNION ALL
    SELECT p.file_id, p.since, p.until, p.relabelled, p.data_classification
    FROM ingestion_pastparagraph p
    WHERE p.workspace_id = app_workspace() AND p.file_id = ANY(wanted) AND p.until > p.since),
  shown AS (
    SELECT * FROM told WHERE label = ANY((SELECT app_allowed())::int[]) OR label = ANY((SELECT app_acknowledged())::int[]))
  SELECT file_id, since FROM shown
  UNION SELECT file_id, until FROM shown WHERE until IS NOT NULL
  UNION SELECT file_id, unnest(relabelled) FROM shown
$$;
