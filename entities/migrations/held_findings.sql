-- Whether a vote ends that its text rests: a steward's, one that says Public is enough, a model's, and what a collection, a
-- type or a sender declares. A finding that is held does not, nor does an earlier label. As `ingestion.votes.ends_rest`.
CREATE OR REPLACE FUNCTION app_ends_rest(vote jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT vote->>'source' = 'manual' OR NOT coalesce((vote->>'held')::boolean, false) AND (
    coalesce((vote->>'public')::boolean, false)
    OR coalesce(vote->'labels', '[]') <> '[]' AND (vote->>'source' = 'model' OR vote->>'source' = 'inherited'
      AND coalesce(vote->>'reason', '') NOT IN ('label before this version; only a steward lowers it', 'set by a steward before an edit',
                                  'label before an edit; only a steward lowers it')))
$$;

-- Whether somebody or something knows the label of a paragraph: a steward, a finding that is not held, or who decided that
-- nothing is needed. As `ingestion.votes.is_judged` has it.
CREATE OR REPLACE FUNCTION app_is_judged(votes jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(bool_or(public.app_ends_rest(vote)), false)
    OR coalesce(bool_or(coalesce(vote->'labels', '[]') <> '[]'), false)
      AND NOT coalesce(bool_or(coalesce((vote->>'held')::boolean, false)), false)
  FROM jsonb_array_elements(votes) vote
$$;

-- Why a steward should look at a paragraph: 1 it has no label, 2 its votes disagree, 4 the model was not sure of it, 8 an
-- earlier label is higher than what this version would get, and waits, 16 a label is proposed that it has not. 0
-- where nothing waits, or a steward has decided on all that is known. A column is generated from it, so that no writer
-- can forget it (docs/adr/0030).
CREATE OR REPLACE FUNCTION app_review_causes(votes jsonb, label integer) RETURNS smallint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  vote jsonb; labels jsonb; decision jsonb; reading jsonb;
  declared jsonb := '[]'; kept jsonb := '[]'; read jsonb := '[]'; proposed jsonb := '[]';
  unsure boolean := false; differ boolean := false; causes integer := 0; ended boolean;
BEGIN
  SELECT coalesce(bool_or(public.app_ends_rest(value)), false) INTO ended FROM jsonb_array_elements(votes);
  IF label IS NULL THEN causes := 1; END IF;
  FOR vote IN SELECT value FROM jsonb_array_elements(votes) LOOP
    labels := coalesce(vote->'labels', '[]');
    IF vote->>'source' = 'manual' THEN
      decision := vote;
    ELSIF vote->>'source' = 'inherited' THEN
      IF vote->>'reason' IN ('label before this version; only a steward lowers it', 'set by a steward before an edit',
                             'label before an edit; only a steward lowers it') THEN
        kept := kept || labels;
      ELSE
        declared := declared || labels;
      END IF;
    ELSE
      -- A finding that is held proposes what it would label with.
      IF NOT ended AND coalesce((vote->>'held')::boolean, false) THEN
        proposed := proposed || labels;
      ELSE
        read := read || labels;
      END IF;
      proposed := proposed || coalesce(vote->'proposed', '[]');
      unsure := unsure OR coalesce((vote->>'confidence')::float8 < 0.6, false);
    END IF;
  END LOOP;
  IF decision IS NOT NULL THEN
    -- It holds for what it overruled; what came later is for another decision.
    IF NOT (declared || kept || read) <@ ((decision->'labels') || coalesce(decision->'over', '[]')) THEN
      causes := causes + 2;
    END IF;
    RETURN causes;
  END IF;
  FOR vote IN SELECT value FROM jsonb_array_elements(votes) LOOP
    labels := coalesce(vote->'labels', '[]');
    -- Rules that found nothing have no opinion: a model reads more than they do.
    IF vote->>'source' = 'model' OR (vote->>'source' = 'rules' AND labels <> '[]') THEN
      IF reading IS NULL THEN
        reading := labels;
      ELSIF NOT (labels <@ (reading || declared) AND reading <@ (labels || declared)) THEN
        differ := true;
      END IF;
    END IF;
  END LOOP;
  IF differ THEN causes := causes + 2; END IF;
  IF unsure THEN causes := causes + 4; END IF;
  IF NOT kept <@ (declared || read) THEN causes := causes + 8; END IF;
  IF NOT proposed <@ (declared || kept || read) THEN causes := causes + 16; END IF;
  RETURN causes;
END $$;
