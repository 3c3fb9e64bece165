-- Whether the caller is cleared for every paragraph that has gone from a file since a version of it; the original of that
-- version is refused otherwise.
CREATE FUNCTION app_cleared_since(wanted uuid, version integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_pastparagraph p
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.until > version
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
$$;

-- Of versions that are read now, what their file says of them; earlier ones count as not accounted for.
UPDATE ingestion_filerevision r SET accounted = f.accounted, attachments = f.attachments
FROM ingestion_file f WHERE f.revision_id = r.id;
