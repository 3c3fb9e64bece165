-- The text that one person was granted without its level (docs/adr/0051): of one record's long texts, or of one file of it.
-- It is answered to that person alone, while the grant lasts, and to no view of theirs that is narrowed. A paragraph that
-- needs more than they hold and were granted stays hidden, and so does one whose level is concealed from them by now, and
-- all of what is in the bin.
CREATE FUNCTION app_granted_texts(record uuid, wanted uuid)
RETURNS TABLE (id uuid, field text, "position" integer, page integer, kind text, body text, label integer, until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH granted AS (
    SELECT g.extent, g.passages, r.file_id, g.expires_at, app_atoms_of(app_principal()) || array_agg(c.value) AS atoms
    FROM ingestion_textgrant g
    JOIN ingestion_accessrequest r
      ON r.workspace_id = g.workspace_id AND r.id = g.request_id AND r.membership_id = g.membership_id
    JOIN entities_membership m ON m.workspace_id = g.workspace_id AND m.id = g.membership_id
    JOIN entities_classification c ON c.workspace_id = g.workspace_id AND c.id = g.classification_id
    WHERE g.workspace_id = app_workspace() AND r.entity_id = record
      AND NOT EXISTS (SELECT 1 FROM entities_entity e WHERE e.id = record AND e.deleted_at IS NOT NULL)
      AND app_principal() > 0 AND m.user_id = app_principal()
      AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
      AND coalesce(current_setting('app.narrowed', true), '') = '' AND coalesce(current_setting('app.atoms', true), '') = ''
    GROUP BY g.request_id, g.extent, g.passages, r.file_id, g.expires_at),
  hidden AS (
    SELECT p.id, '' AS field, p.position, p.page, p.kind, p.text, p.data_classification, p.file_id
    FROM ingestion_paragraph p JOIN ingestion_file f ON f.workspace_id = p.workspace_id AND f.id = p.file_id
    WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND f.entity_id = record AND f.deleted_at IS NULL
    UNION ALL
    SELECT p.id, p.field, p.position, NULL, 'text', p.text, p.data_classification, NULL
    FROM entities_fieldparagraph p
    WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND wanted IS NULL)
  SELECT h.id, h.field, h.position, h.page, h.kind, h.text, h.data_classification,
    nullif(max(coalesce(g.expires_at, 'infinity')), 'infinity')
  FROM hidden h
  JOIN entities_classification l ON l.workspace_id = app_workspace() AND l.value = h.data_classification
  JOIN granted g ON l.components <@ g.atoms AND CASE g.extent
    WHEN 'passage' THEN h.id = ANY(g.passages)
    WHEN 'file' THEN h.file_id = g.file_id
    WHEN 'record' THEN true ELSE false END
  WHERE NOT h.data_classification = ANY((SELECT app_allowed())::int[])
    AND h.data_classification = ANY((SELECT app_acknowledged())::int[])
  GROUP BY h.id, h.field, h.position, h.page, h.kind, h.text, h.data_classification
$$;

-- Nobody grants themselves text, and nobody grants what they may not: as for a clearance.
CREATE TRIGGER check_text_grant BEFORE INSERT OR UPDATE ON ingestion_textgrant
  FOR EACH ROW EXECUTE FUNCTION app_check_label_grant();
