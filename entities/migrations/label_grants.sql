-- A clearance of one person, which may end (docs/adr/0031). It counts as those of their roles do, by the clock of the
-- statement that asks.

-- Looked up now: granted atoms, of roles and of the person, and each compound all of whose components are granted. Public
-- has no components, so every member has it.
CREATE OR REPLACE FUNCTION app_allowed_now() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ws integer := nullif(current_setting('app.workspace', true), '')::integer;
  principal bigint := nullif(current_setting('app.principal', true), '')::bigint;
  narrowed bigint := nullif(current_setting('app.narrowed', true), '')::bigint;
  at_most integer[] := nullif(current_setting('app.atoms', true), '')::integer[];
  held integer[];
BEGIN
  IF ws IS NULL THEN RETURN '{}'; END IF;
  IF app_service() THEN
    RETURN (SELECT array_agg(value) FROM entities_classification WHERE workspace_id = ws);
  END IF;
  IF principal > 0 THEN
    SELECT ARRAY(
        SELECT c.value FROM entities_user_groups ug
        JOIN entities_role r ON r.workspace_id = ws AND r.group_id = ug.group_id
        JOIN entities_classificationgrant g ON g.workspace_id = ws AND g.role_id = r.id
        JOIN entities_classification c ON c.workspace_id = ws AND c.id = g.classification_id
        WHERE ug.user_id = principal
        UNION ALL
        SELECT c.value FROM entities_labelgrant l
        JOIN entities_classification c ON c.workspace_id = ws AND c.id = l.classification_id
        WHERE l.workspace_id = ws AND l.membership_id = m.id
          AND (l.expires_at IS NULL OR l.expires_at > statement_timestamp()))
      INTO held
      FROM entities_membership m JOIN entities_user u ON u.id = m.user_id AND u.is_active
      WHERE m.workspace_id = ws AND m.user_id = principal;
  ELSE
    SELECT ARRAY(
        SELECT c.value FROM entities_classificationgrant g
        JOIN entities_classification c ON c.workspace_id = ws AND c.id = g.classification_id
        WHERE g.workspace_id = ws AND g.role_id = r.id)
      INTO held
      FROM entities_role r WHERE r.workspace_id = ws AND r.id = -principal;
  END IF;
  IF held IS NULL THEN RETURN '{}'; END IF;
  IF narrowed IS NOT NULL THEN
    held := ARRAY(SELECT unnest(held) INTERSECT SELECT unnest(app_atoms_of(narrowed)));
  END IF;
  IF at_most IS NOT NULL THEN
    held := ARRAY(SELECT unnest(held) INTERSECT SELECT unnest(at_most));
  END IF;
  RETURN (SELECT coalesce(array_agg(value), '{}') FROM entities_classification
          WHERE workspace_id = ws AND components <@ held);
END $$;

-- Until when what is looked up now holds by itself: the first end of a clearance of the person who reads.
CREATE FUNCTION app_allowed_until() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(min(l.expires_at), 'infinity') FROM entities_labelgrant l
  JOIN entities_membership m ON m.workspace_id = l.workspace_id AND m.id = l.membership_id
  WHERE l.workspace_id = app_workspace() AND m.user_id = app_principal() AND l.expires_at > statement_timestamp()
$$;

-- As they stood when the scope was opened, for as long as the settings are the same, this transaction has changed nothing
-- that they depend on, and none of them has ended.
CREATE OR REPLACE FUNCTION app_allowed() RETURNS integer[] LANGUAGE sql STABLE
AS $$ SELECT CASE WHEN current_setting('app.allowed_for', true) = public.app_settings()
    AND statement_timestamp() < nullif(current_setting('app.allowed_until', true), '')::timestamptz
  THEN current_setting('app.allowed', true)::integer[] ELSE public.app_allowed_now() END $$;

CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_labelgrant
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();

CREATE OR REPLACE FUNCTION app_atoms_of(principal bigint) RETURNS integer[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(DISTINCT value), '{}') FROM (
    SELECT c.value FROM entities_classificationgrant g
    JOIN entities_classification c ON c.id = g.classification_id AND c.workspace_id = app_workspace()
    WHERE g.workspace_id = app_workspace() AND g.role_id IN (SELECT id FROM app_roles_of(principal))
    UNION ALL
    SELECT c.value FROM entities_labelgrant l
    JOIN entities_classification c ON c.id = l.classification_id AND c.workspace_id = app_workspace()
    JOIN entities_membership m ON m.workspace_id = l.workspace_id AND m.id = l.membership_id
    JOIN entities_user u ON u.id = m.user_id AND u.is_active
    WHERE l.workspace_id = app_workspace() AND m.user_id = principal
      AND (l.expires_at IS NULL OR l.expires_at > statement_timestamp())) held
$$;

-- What the caller may grant to others: as a steward, who is held to nothing less, the atoms that a role of theirs holds.
-- What they were granted themselves for a while they do not pass on.
CREATE FUNCTION app_grantable() RETURNS integer[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(DISTINCT c.value), '{}') FROM entities_classificationgrant g
  JOIN entities_classification c ON c.id = g.classification_id AND c.workspace_id = app_workspace()
  WHERE g.workspace_id = app_workspace() AND app_principal() > 0 AND app_unlabelled()
    AND g.role_id IN (SELECT id FROM app_roles_of(app_principal()))
$$;

-- Nobody clears themselves, nobody grants what they may not, and nobody signs for another. The service is asked by nobody
-- to grant; it may, as it may write roles.
CREATE FUNCTION app_check_label_grant() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE atom integer; holder bigint;
BEGIN
  SELECT value INTO atom FROM entities_classification
  WHERE workspace_id = NEW.workspace_id AND id = NEW.classification_id AND cardinality(components) = 1;
  SELECT user_id INTO holder FROM entities_membership WHERE workspace_id = NEW.workspace_id AND id = NEW.membership_id;
  IF atom IS NULL OR NOT (app_service() OR (
      atom = ANY(app_grantable()) AND holder <> app_principal() AND NEW.granted_by = app_principal())) THEN
    RAISE EXCEPTION 'this clearance is not yours to grant' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_label_grant BEFORE INSERT OR UPDATE ON entities_labelgrant
  FOR EACH ROW EXECUTE FUNCTION app_check_label_grant();
