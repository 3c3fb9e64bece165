-- The labels of a reader, looked up once a transaction. Row-level security asks for them at every table of every statement,
-- some twenty times a search, and looking them up takes as long as many a statement (docs/adr/0026).

-- Looked up now: granted atoms and each compound all of whose components are granted. Public has no components, so every
-- member has it.
CREATE FUNCTION app_allowed_now() RETURNS integer[]
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
        WHERE ug.user_id = principal)
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

-- Who reads: what the labels that were looked up are the labels of.
CREATE FUNCTION app_settings() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT ARRAY[current_setting('app.workspace', true), current_setting('app.principal', true),
  current_setting('app.service', true), current_setting('app.narrowed', true), current_setting('app.atoms', true)]::text $$;

-- A function that is written into the statement that calls it. As they stood when the scope was opened, for as long as the
-- settings are the same and this transaction has changed nothing that they depend on.
CREATE OR REPLACE FUNCTION app_allowed() RETURNS integer[] LANGUAGE sql STABLE
AS $$ SELECT CASE WHEN current_setting('app.allowed_for', true) = public.app_settings()
  THEN current_setting('app.allowed', true)::integer[] ELSE public.app_allowed_now() END $$;

CREATE FUNCTION app_forget_allowed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM set_config('app.allowed_for', '', true); RETURN NULL; END $$;
CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_classification
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();
CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_classificationgrant
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();
CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_role
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();
CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_membership
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();
CREATE TRIGGER forget_allowed AFTER INSERT OR UPDATE OR DELETE ON entities_user_groups
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();
CREATE TRIGGER forget_allowed AFTER UPDATE OF is_active OR DELETE ON entities_user
  FOR EACH STATEMENT EXECUTE FUNCTION app_forget_allowed();

-- The label that is found may have been made by another transaction since the labels were looked up.
CREATE OR REPLACE FUNCTION app_combine(labels integer[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE parts integer[]; found integer; ws integer := app_workspace();
BEGIN
  IF ws IS NULL THEN RAISE EXCEPTION 'labels are combined in an open scope'; END IF;
  IF EXISTS (SELECT 1 FROM unnest(labels) l WHERE l IS NULL OR NOT EXISTS (
      SELECT 1 FROM entities_classification c WHERE c.workspace_id = ws AND c.value = l)) THEN
    RAISE EXCEPTION 'unknown label' USING ERRCODE = 'data_exception';
  END IF;
  PERFORM set_config('app.allowed_for', '', true);
  parts := ARRAY(SELECT DISTINCT p FROM entities_classification c, unnest(c.components) p
                 WHERE c.workspace_id = ws AND c.value = ANY(labels) ORDER BY p);
  SELECT value INTO found FROM entities_classification WHERE workspace_id = ws AND components = parts;
  IF found IS NOT NULL THEN RETURN found; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('clearance.combine'), ws);
  SELECT value INTO found FROM entities_classification WHERE workspace_id = ws AND components = parts;
  IF found IS NOT NULL THEN RETURN found; END IF;
  INSERT INTO entities_classification (workspace_id, value, label, icon, color, description, conceal, components)
  SELECT ws, greatest(1000, (SELECT max(value) + 1 FROM entities_classification WHERE workspace_id = ws)),
         string_agg(c.label, ' + ' ORDER BY c.value), 'tag', 'slate', '', false, parts
  FROM entities_classification c WHERE c.workspace_id = ws AND c.value = ANY(parts)
    AND cardinality(c.components) = 1
  RETURNING value INTO found;
  RETURN found;
END $$;
