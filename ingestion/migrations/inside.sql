-- What lay in an attachment that is gone is in the bytes of the versions that had attachments, until text that is the
-- same stands in what comes in the file now: those are other files, with other ids. only_inside: of that alone.
DROP FUNCTION app_cleared_for_unread(uuid, integer);
CREATE FUNCTION app_cleared_for_unread(wanted uuid, version integer, only_inside boolean DEFAULT false) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH RECURSIVE held_now AS (
    SELECT wanted AS id
    UNION ALL
    SELECT f.id FROM ingestion_file f JOIN held_now h ON f.origin_id = h.id WHERE f.workspace_id = app_workspace())
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_pastparagraph p
    JOIN ingestion_filerevision held ON held.file_id = wanted AND (
      (p.unread AND held.number = p.until)
      OR (held.number < p.until AND CASE WHEN p.inside THEN held.attachments > 0 ELSE held.number >= p.since END))
    JOIN ingestion_filerevision asked ON asked.file_id = wanted AND asked.number = version AND asked.blob_id = held.blob_id
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND (p.inside OR NOT only_inside)
      AND NOT EXISTS (SELECT 1 FROM ingestion_paragraph q WHERE q.workspace_id = p.workspace_id AND q.id = p.paragraph)
      AND NOT (p.inside AND EXISTS (
        SELECT 1 FROM ingestion_paragraph q WHERE q.file_id IN (SELECT id FROM held_now) AND q.digest = p.digest))
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
$$;

-- Also of what a message held in the same bytes, for what comes in it: an attachment that comes back is another file.
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
    WHERE NOT app_cleared_for_unread(l.id, r.number, l.id <> wanted))
$$;
