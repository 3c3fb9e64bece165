-- Whether the caller is cleared for all that the published version of a file holds: its paragraphs, what the reader does
-- not show of it, and what another reading found in the same bytes, or in those of the messages that it came in.
CREATE OR REPLACE FUNCTION app_cleared_for_file(wanted uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH RECURSIVE lineage AS (
    SELECT f.id, f.origin_id, f.revision_id FROM ingestion_file f WHERE f.workspace_id = app_workspace() AND f.id = wanted
    UNION ALL
    SELECT f.id, f.origin_id, f.revision_id FROM ingestion_file f JOIN lineage l ON f.id = l.origin_id
    WHERE f.workspace_id = app_workspace())
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = wanted
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
  AND NOT EXISTS (
    SELECT 1 FROM lineage l JOIN ingestion_filerevision r ON r.id = l.revision_id
    WHERE l.id = wanted AND NOT CASE WHEN r.remainder_label IS NULL
      THEN (SELECT app_unlabelled()) AND r.remainder_floor = ANY((SELECT app_allowed())::int[])
      ELSE r.remainder_label = ANY((SELECT app_allowed())::int[]) END)
  AND NOT EXISTS (
    SELECT 1 FROM lineage l JOIN ingestion_filerevision r ON r.id = l.revision_id
    WHERE NOT app_cleared_for_unread(l.id, r.number, l.id <> wanted))
$$;

-- The same of an earlier version, beside the paragraphs that are there now. Of its bytes the latest reading knows what
-- those before it knew.
CREATE OR REPLACE FUNCTION app_cleared_since(wanted uuid, version integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_pastparagraph p
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.until > version
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
  AND NOT EXISTS (
    SELECT 1 FROM (
      SELECT r.remainder_label, r.remainder_floor FROM ingestion_filerevision r
      JOIN ingestion_filerevision asked ON asked.file_id = wanted AND asked.number = version AND asked.blob_id = r.blob_id
      WHERE r.workspace_id = app_workspace() AND r.file_id = wanted AND r.witness <> ''
      ORDER BY r.number DESC LIMIT 1) latest
    WHERE NOT CASE WHEN latest.remainder_label IS NULL
      THEN (SELECT app_unlabelled()) AND latest.remainder_floor = ANY((SELECT app_allowed())::int[])
      ELSE latest.remainder_label = ANY((SELECT app_allowed())::int[]) END)
  AND app_cleared_for_unread(wanted, version)
$$;
