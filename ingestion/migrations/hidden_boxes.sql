-- Where the acknowledged hidden paragraphs of a file stand, never their text. Nobody is shown that: what is copied of a
-- page for the caller keeps away from it (ingestion/visible_pdf.py).
CREATE FUNCTION app_hidden_boxes(wanted uuid) RETURNS TABLE (page integer, boxes text, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.page, p.boxes #>> '{}', p.data_classification FROM ingestion_paragraph p
  WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;
