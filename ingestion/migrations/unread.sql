-- Whether the caller is cleared for what any reading found in the bytes of a version: of this one, or of another version
-- with the same bytes. What is there now is asked for as any paragraph.
CREATE FUNCTION app_cleared_for_unread(wanted uuid, version integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_pastparagraph p
    JOIN ingestion_filerevision held ON held.file_id = wanted AND held.number >= p.since
      AND (held.number < p.until OR (p.unread AND held.number = p.until))
    JOIN ingestion_filerevision asked ON asked.file_id = wanted AND asked.number = version AND asked.blob_id = held.blob_id
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted
      AND NOT EXISTS (SELECT 1 FROM ingestion_paragraph q WHERE q.workspace_id = p.workspace_id AND q.id = p.paragraph)
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
$$;

CREATE OR REPLACE FUNCTION app_cleared_for_file(wanted uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = wanted
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
  AND app_cleared_for_unread(wanted, (
    SELECT r.number FROM ingestion_file f JOIN ingestion_filerevision r ON r.id = f.revision_id
    WHERE f.workspace_id = app_workspace() AND f.id = wanted))
$$;

CREATE OR REPLACE FUNCTION app_cleared_since(wanted uuid, version integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_pastparagraph p
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.until > version
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
  AND app_cleared_for_unread(wanted, version)
$$;
