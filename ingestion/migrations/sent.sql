-- Text that rests, of the versions that the caller sent and that are the published ones: it is read by them too, in a scope
-- that reads what they sent (docs/adr/0075), and by nobody who is narrowed to a role or to fewer levels. What its label
-- gives them anyway is not listed. What they are not cleared for at least (`floor`) is no more theirs than anybody's.
CREATE FUNCTION app_sent_paragraphs() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = public, pg_temp AS $$
  SELECT p.id FROM ingestion_filerevision r
  JOIN ingestion_file f ON f.workspace_id = r.workspace_id AND f.revision_id = r.id AND f.deleted_at IS NULL
  JOIN ingestion_paragraph p ON p.workspace_id = r.workspace_id AND p.file_id = f.id AND p.revision_id = r.id
  WHERE current_setting('app.sent', true) = 'on' AND NOT app_service() AND app_principal() > 0
    AND coalesce(current_setting('app.narrowed', true), '') = '' AND coalesce(current_setting('app.atoms', true), '') = ''
    AND r.workspace_id = app_workspace() AND r.created_by = app_principal()
    AND NOT p.judged AND p.floor = ANY((SELECT app_allowed())::int[])
    AND (p.data_classification = ANY((SELECT app_allowed())::int[])) IS NOT TRUE
$$;

-- Passages of such paragraphs. One that holds a judged paragraph beside them, or stands under a judged heading with its own
-- label, which its path names, is for who holds that label.
CREATE FUNCTION app_sent_rows() RETURNS TABLE (id uuid, number integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = public, pg_temp AS $$
  SELECT c.id, c.number::integer FROM ingestion_contextrow c
  WHERE c.workspace_id = app_workspace() AND c.audience = 0
    AND c.id IN (SELECT l.row_id FROM ingestion_rowparagraph l WHERE l.paragraph_id IN (SELECT app_sent_paragraphs()))
    AND NOT EXISTS (
      SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph p ON p.id = l.paragraph_id
      LEFT JOIN ingestion_paragraph h ON h.id = ANY(p.headings || coalesce(p.under, '{}'))
        AND h.data_classification = c.data_classification
      WHERE l.row_id = c.id AND (p.judged OR h.judged))
    AND NOT EXISTS (SELECT FROM entities_source s WHERE s.derived = c.id)
$$;

-- What is read is no placeholder.
CREATE OR REPLACE FUNCTION app_hidden_paragraphs(wanted uuid) RETURNS TABLE ("position" integer, page integer, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.position, p.page, p.data_classification FROM ingestion_paragraph p
  WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
    AND p.id NOT IN (SELECT app_sent_paragraphs())
$$;
