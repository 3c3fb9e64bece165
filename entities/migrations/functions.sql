-- What row-level security asks. SECURITY DEFINER where the answer needs rows that no scope may see by itself.

CREATE FUNCTION app_workspace() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('app.workspace', true), '')::integer $$;

CREATE FUNCTION app_principal() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('app.principal', true), '')::bigint $$;

CREATE FUNCTION app_service() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(current_setting('app.service', true) = 'on', false) $$;

-- The roles of a principal in the open workspace: of an active member (positive), or the role itself (negative).
CREATE FUNCTION app_roles_of(principal bigint) RETURNS TABLE (id bigint, is_steward boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.id, r.is_steward FROM entities_role r
  WHERE r.workspace_id = app_workspace() AND (
    r.id = -principal
    OR EXISTS (
      SELECT 1 FROM entities_membership m
      JOIN entities_user u ON u.id = m.user_id AND u.is_active
      JOIN entities_user_groups ug ON ug.user_id = m.user_id
      WHERE m.workspace_id = r.workspace_id AND m.user_id = principal AND ug.group_id = r.group_id))
$$;

CREATE FUNCTION app_is_principal(principal bigint) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN principal > 0 THEN EXISTS (
      SELECT 1 FROM entities_membership m JOIN entities_user u ON u.id = m.user_id AND u.is_active
      WHERE m.workspace_id = app_workspace() AND m.user_id = principal)
    ELSE EXISTS (SELECT 1 FROM entities_role r WHERE r.workspace_id = app_workspace() AND r.id = -principal) END
$$;

CREATE FUNCTION app_atoms_of(principal bigint) RETURNS integer[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(DISTINCT c.value), '{}') FROM entities_classificationgrant g
  JOIN entities_classification c ON c.id = g.classification_id AND c.workspace_id = app_workspace()
  WHERE g.workspace_id = app_workspace() AND g.role_id IN (SELECT id FROM app_roles_of(principal))
$$;

-- Every label the scope may read: granted atoms and each compound all of whose components are granted. Public has no
-- components, so every member has it. Evaluated once a statement, so a revocation or a new compound needs no refresh.
CREATE FUNCTION app_allowed() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  held integer[];
  narrowed bigint := nullif(current_setting('app.narrowed', true), '')::bigint;
  at_most integer[] := nullif(current_setting('app.atoms', true), '')::integer[];
BEGIN
  IF app_workspace() IS NULL THEN RETURN '{}'; END IF;
  IF app_service() THEN
    RETURN (SELECT array_agg(value) FROM entities_classification WHERE workspace_id = app_workspace());
  END IF;
  IF app_principal() IS NULL OR NOT app_is_principal(app_principal()) THEN RETURN '{}'; END IF;
  held := app_atoms_of(app_principal());
  IF narrowed IS NOT NULL THEN
    held := ARRAY(SELECT unnest(held) INTERSECT SELECT unnest(app_atoms_of(narrowed)));
  END IF;
  IF at_most IS NOT NULL THEN
    held := ARRAY(SELECT unnest(held) INTERSECT SELECT unnest(at_most));
  END IF;
  RETURN (SELECT coalesce(array_agg(value), '{}') FROM entities_classification
          WHERE workspace_id = app_workspace() AND components <@ held);
END $$;

-- Labels whose hidden text may show a placeholder: none of the missing atoms is concealed.
CREATE FUNCTION app_acknowledged() RETURNS integer[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(c.value), '{}') FROM entities_classification c
  WHERE c.workspace_id = app_workspace() AND NOT EXISTS (
    SELECT 1 FROM entities_classification atom
    WHERE atom.workspace_id = c.workspace_id AND atom.conceal AND atom.value = ANY(c.components)
      AND cardinality(atom.components) = 1 AND NOT atom.value = ANY(app_allowed()))
$$;

-- Unlabelled text is for the service and stewards, unless they are held to certain clearances.
CREATE FUNCTION app_unlabelled() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT app_workspace() IS NOT NULL AND (app_service() OR (
    EXISTS (SELECT 1 FROM app_roles_of(app_principal()) WHERE is_steward)
    AND nullif(current_setting('app.atoms', true), '') IS NULL
    AND (nullif(current_setting('app.narrowed', true), '') IS NULL
         OR EXISTS (SELECT 1 FROM app_roles_of(current_setting('app.narrowed', true)::bigint) WHERE is_steward))))
$$;

-- Rows for everybody (0), for the principal, and for each of their roles.
CREATE FUNCTION app_audiences() RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ARRAY[0::bigint, app_principal()] || ARRAY(SELECT -id FROM app_roles_of(app_principal()))
$$;

-- The label of the union of labels; a compound is made on demand with the next value from 1000 up.
CREATE FUNCTION app_combine(labels integer[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE parts integer[]; found integer; ws integer := app_workspace();
BEGIN
  IF ws IS NULL THEN RAISE EXCEPTION 'labels are combined in an open scope'; END IF;
  IF EXISTS (SELECT 1 FROM unnest(labels) l WHERE l IS NULL OR NOT EXISTS (
      SELECT 1 FROM entities_classification c WHERE c.workspace_id = ws AND c.value = l)) THEN
    RAISE EXCEPTION 'unknown label' USING ERRCODE = 'data_exception';
  END IF;
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

-- Before any scope is open. Execution is granted to the application role only.
CREATE FUNCTION app_open_scope(principal bigint, wanted text) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT w.id FROM entities_workspace w
  JOIN entities_membership m ON m.workspace_id = w.id AND m.user_id = principal
  JOIN entities_user u ON u.id = m.user_id AND u.is_active
  WHERE w.slug = wanted
$$;

CREATE FUNCTION app_workspaces_of(principal bigint) RETURNS TABLE (slug text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT w.slug, w.name FROM entities_workspace w
  JOIN entities_membership m ON m.workspace_id = w.id AND m.user_id = principal ORDER BY w.name
$$;

CREATE FUNCTION app_open_token(wanted text) RETURNS TABLE (user_id bigint, slug text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.user_id, w.slug FROM entities_token t
  JOIN entities_membership m ON m.id = t.membership_id
  JOIN entities_workspace w ON w.id = m.workspace_id WHERE t.digest = wanted
$$;

CREATE FUNCTION app_workspace_ids() RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id FROM entities_workspace ORDER BY id
$$;

CREATE FUNCTION app_make_group(name text) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE made integer;
BEGIN
  IF app_workspace() IS NULL OR split_part(name, ':', 1) <> app_workspace()::text THEN
    RAISE EXCEPTION 'a group is made in the scope of its workspace';
  END IF;
  INSERT INTO auth_group (name) VALUES (name) RETURNING id INTO made;
  RETURN made;
END $$;

-- Positions and labels, never text, of the acknowledged hidden paragraphs of one record's long texts.
CREATE FUNCTION app_hidden_field_paragraphs(record uuid) RETURNS TABLE (field text, "position" integer, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.field, p.position, p.data_classification FROM entities_fieldparagraph p
  WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;

-- Deleting the row of a concrete type deletes its base row, which cascades to everything that hangs on the record.
CREATE FUNCTION app_delete_base() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_entity WHERE id = OLD.entity_ptr_id AND workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;

CREATE FUNCTION app_delete_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM auth_group_permissions WHERE group_id = OLD.group_id;
  DELETE FROM entities_user_groups WHERE group_id = OLD.group_id;
  DELETE FROM auth_group WHERE id = OLD.group_id;
  RETURN OLD;
END $$;

-- Numbers in use by paragraphs that the scope may not see, so that an edit around them does not collide. Used by
-- entities.text only, never shown.
CREATE FUNCTION app_hidden_positions(record uuid, wanted text) RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.position FROM entities_fieldparagraph p
  WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND p.field = wanted
    AND NOT coalesce(p.data_classification = ANY((SELECT app_allowed())::int[]), (SELECT app_unlabelled()))
$$;
