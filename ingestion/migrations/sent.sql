-- Published versions that the caller sent, in a scope that reads what they sent (docs/adr/0075); none for who is narrowed to
-- a role or to fewer levels. What rests in them is read by the caller too (`entities.rls.SENT`).
CREATE FUNCTION app_sent_revisions() RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = public, pg_temp AS $$
  SELECT r.id FROM ingestion_filerevision r
  JOIN ingestion_file f ON f.workspace_id = r.workspace_id AND f.revision_id = r.id AND f.deleted_at IS NULL
  WHERE current_setting('app.sent', true) = 'on' AND NOT app_service() AND app_principal() > 0
    AND coalesce(current_setting('app.narrowed', true), '') = '' AND coalesce(current_setting('app.atoms', true), '') = ''
    AND r.workspace_id = app_workspace() AND r.created_by = app_principal()
$$;

-- Passages of what rests there. One that holds a judged paragraph beside it, or stands under a judged heading with its own
-- label, which its path names, is for who holds that label. Nothing is looked up for who holds what text rests as: their
-- labels give them all of it.
CREATE FUNCTION app_sent_rows() RETURNS TABLE (id uuid, number integer, entity integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = public, pg_temp AS $$
  SELECT c.id, c.number::integer, e.number::integer FROM ingestion_contextrow c JOIN entities_entity e ON e.id = c.entity_id
  WHERE ((SELECT s.resting FROM entities_workspacesettings s WHERE s.workspace_id = app_workspace())
      = ANY((SELECT app_allowed())::int[])) IS NOT TRUE
    AND c.workspace_id = app_workspace() AND c.audience = 0
    AND c.id IN (
      SELECT l.row_id FROM ingestion_rowparagraph l JOIN ingestion_paragraph p ON p.id = l.paragraph_id
      WHERE NOT p.judged AND p.revision_id IN (SELECT app_sent_revisions()))
    AND NOT EXISTS (
      SELECT FROM ingestion_rowparagraph l JOIN ingestion_paragraph p ON p.id = l.paragraph_id
      LEFT JOIN ingestion_paragraph h ON h.id = ANY(p.headings || coalesce(p.under, '{}'))
        AND h.data_classification = c.data_classification
      WHERE l.row_id = c.id AND (p.judged OR h.judged OR p.floor <> ALL ((SELECT app_allowed())::int[])))
    AND NOT EXISTS (SELECT FROM entities_source s WHERE s.derived = c.id)
$$;
