-- Whether somebody or something knows the label of a paragraph: a steward, a finding, or who decided that nothing is
-- needed. As `ingestion.votes.is_judged` has it.
CREATE FUNCTION app_is_judged(votes jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT EXISTS (
    SELECT FROM jsonb_array_elements(votes) vote WHERE vote->>'source' = 'manual'
      OR coalesce(vote->'labels', '[]') <> '[]' OR coalesce((vote->>'public')::boolean, false)
  )
$$;
