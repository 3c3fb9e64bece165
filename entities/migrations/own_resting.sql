-- What somebody typed into a record: as text until somebody or something knows its label, and after that,
-- where it needs more than they hold, why.
-- For themselves alone: not for a view of theirs that is narrowed to a role or to fewer levels. Text that took the place of
-- text which they are no longer cleared for is not theirs to see.
CREATE OR REPLACE FUNCTION app_own_paragraphs(record uuid)
RETURNS TABLE (field text, "position" integer, body text, votes jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.field, p.position, CASE WHEN p.data_classification IS NULL OR NOT p.judged AND p.floor = ANY((SELECT app_allowed())::int[]) THEN p.text END, p.votes
  FROM entities_fieldparagraph p
  WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND app_principal() > 0 AND p.author = app_principal()
    AND coalesce(current_setting('app.narrowed', true), '') = '' AND coalesce(current_setting('app.atoms', true), '') = ''
    AND CASE WHEN p.data_classification IS NULL
          THEN NOT (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
          ELSE NOT p.data_classification = ANY((SELECT app_allowed())::int[])
            AND (p.data_classification = ANY((SELECT app_acknowledged())::int[])
                 OR NOT p.judged AND p.floor = ANY((SELECT app_allowed())::int[])) END
$$;
