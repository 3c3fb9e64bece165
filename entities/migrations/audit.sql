-- The audit (docs/audit.md): who may read it, what may be written, the chain, and the one door out.

-- Whether the open scope administers its workspace; held to a role, that role must too.
CREATE FUNCTION app_administers() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM app_roles_of(app_principal()) held JOIN entities_role r USING (id) WHERE r.is_admin)
    AND (nullif(current_setting('app.narrowed', true), '') IS NULL
         OR EXISTS (SELECT 1 FROM entities_role r WHERE r.workspace_id = app_workspace() AND r.is_admin
                    AND r.id = -(nullif(current_setting('app.narrowed', true), '')::bigint)))
$$;

-- Nobody but the door writes of the audit itself, a person writes in their own name, and clock and id are the database's:
-- who chose ids could take those that others are to get.
CREATE FUNCTION app_audit_guard() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN RETURN NEW; END IF;
  IF NEW.action LIKE 'audit.%' THEN
    RAISE EXCEPTION 'only redaction and retention write %', NEW.action USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT app_service() AND NEW.actor IS DISTINCT FROM app_principal() THEN
    RAISE EXCEPTION 'an audit entry is written in one''s own name' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NEW.id IS DISTINCT FROM currval('entities_auditentry_id_seq') THEN
    RAISE EXCEPTION 'an audit entry gets its id' USING ERRCODE = 'insufficient_privilege';
  END IF;
  NEW.at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE INSERT ON entities_auditentry FOR EACH ROW EXECUTE FUNCTION app_audit_guard();

-- A text enters with its entry, at least with the label of all that its author may read.
CREATE FUNCTION app_audit_label() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE who bigint;
BEGIN
  SELECT e.actor INTO who FROM entities_auditentry e
  WHERE e.id = NEW.entry_id AND e.workspace_id = NEW.workspace_id
    AND NOT EXISTS (SELECT 1 FROM entities_auditlink l WHERE l.entry_id = e.id);
  IF who IS NULL THEN
    RAISE EXCEPTION 'a text enters the audit with its entry' USING ERRCODE = 'insufficient_privilege';
  END IF;
  NEW.floor := app_combine(NEW.floor || CASE WHEN who > 0 THEN app_atoms_of(who) ELSE '{}' END);
  IF NEW.data_classification IS NOT NULL THEN
    NEW.data_classification := app_combine(ARRAY[NEW.data_classification, NEW.floor]);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER label BEFORE INSERT ON entities_audittext FOR EACH ROW EXECUTE FUNCTION app_audit_label();

-- At the commit, first the digests, of which each transaction makes its own. Built-in functions only: whoever verifies
-- asks PostgreSQL for the same two texts and hashes them elsewhere.
CREATE FUNCTION app_audit_digest() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO entities_auditlink (entry_id, workspace_id, digest, text_digest, redacted)
  SELECT NEW.id, NEW.workspace_id,
    sha256(convert_to(jsonb_build_array(NEW.workspace_id, NEW.id, (extract(epoch FROM NEW.at) * 1000000)::bigint,
      NEW.actor, NEW.action, NEW.object_kind, NEW.object_id, NEW.detail)::text, 'UTF8')),
    (SELECT sha256(convert_to(jsonb_build_array(t.salt, t.text, t.retrieved, t.within, t.floor,
       t.data_classification)::text, 'UTF8')) FROM entities_audittext t WHERE t.entry_id = NEW.id),
    false;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER digest AFTER INSERT ON entities_auditentry
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app_audit_digest();

-- Then the chain. What is deferred by deferred triggers comes after all of those, foreign keys included: nothing is
-- waited for any more by who holds this lock, so who waits for it waits for a commit and never in a circle.
CREATE FUNCTION app_audit_seal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE head bigint; before bytea;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('clearance.audit'), NEW.workspace_id);
  SELECT seq, hash INTO head, before FROM entities_auditlink
  WHERE workspace_id = NEW.workspace_id AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1;
  head := coalesce(head, 0) + 1;
  before := coalesce(before, decode(repeat('00', 32), 'hex'));
  UPDATE entities_auditlink
  SET seq = head, hash = sha256(before || int8send(head) || digest || coalesce(text_digest, ''))
  WHERE entry_id = NEW.entry_id AND seq IS NULL;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER seal AFTER INSERT ON entities_auditlink
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app_audit_seal();

-- The door. What goes through it is written in the chain, by places: [[first, last], …].
CREATE FUNCTION app_audit_ranges(places bigint[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_array(low, high) ORDER BY low), '[]')
  FROM (SELECT min(n) low, max(n) high
        FROM (SELECT n, n - row_number() OVER (ORDER BY n) run FROM unnest(places) n) numbered GROUP BY run) runs
$$;

CREATE FUNCTION app_audit_door(what text, places bigint[], why text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF app_workspace() IS NULL OR NOT (app_service() OR app_administers()) THEN
    RAISE EXCEPTION 'administrators only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF coalesce(cardinality(places), 0) = 0 THEN RETURN 0; END IF;
  INSERT INTO entities_auditentry (workspace_id, at, actor, action, object_kind, object_id, detail)
  VALUES (app_workspace(), clock_timestamp(), app_principal(), what, 'audit', '',
          jsonb_build_object('rows', app_audit_ranges(places), 'why', why));
  RETURN cardinality(places);
END $$;

-- Takes out the words at these places. `why` is one of a few words and never a text. Returns how many there were.
CREATE FUNCTION app_redact_audit(places bigint[], why text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone bigint[];
BEGIN
  IF NOT coalesce(why = ANY(ARRAY['erasure', 'mistake', 'retention', 'label']), false) THEN
    RAISE EXCEPTION 'not a reason: %', why USING ERRCODE = 'check_violation';
  END IF;
  gone := ARRAY(SELECT l.seq FROM entities_auditlink l JOIN entities_audittext t USING (entry_id)
                WHERE l.workspace_id = app_workspace() AND l.seq = ANY(places) ORDER BY 1);
  PERFORM app_audit_door('audit.redacted', gone, why);
  DELETE FROM entities_audittext t USING entities_auditlink l
  WHERE t.entry_id = l.entry_id AND l.workspace_id = app_workspace() AND l.seq = ANY(gone);
  UPDATE entities_auditlink SET redacted = true WHERE workspace_id = app_workspace() AND seq = ANY(gone);
  RETURN cardinality(gone);
END $$;

-- All words that carry a classification which is about to be deleted.
CREATE FUNCTION app_redact_audit_of(atom integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT app_redact_audit(ARRAY(
    SELECT DISTINCT l.seq FROM entities_audittext t JOIN entities_auditlink l USING (entry_id)
    JOIN entities_classification c ON c.workspace_id = t.workspace_id AND c.value IN (t.floor, t.data_classification)
    WHERE t.workspace_id = app_workspace() AND atom = ANY(c.components)), 'label')
$$;

-- Removes the oldest rows of before `until`, at most `most` of them; their links stay. Nothing younger than 30 days
-- goes, whoever asks, and what the door wrote stays, for it explains what is missing. Returns how many there were.
CREATE FUNCTION app_remove_audit(until timestamptz, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone bigint[];
BEGIN
  IF until IS NULL OR until > now() - interval '30 days' THEN
    RAISE EXCEPTION 'rows of the audit are kept for 30 days at least' USING ERRCODE = 'check_violation';
  END IF;
  gone := ARRAY(SELECT l.seq FROM entities_auditentry e JOIN entities_auditlink l ON l.entry_id = e.id
                WHERE e.workspace_id = app_workspace() AND e.at < until AND e.action NOT LIKE 'audit.%'
                ORDER BY e.at LIMIT most);
  PERFORM app_audit_door('audit.removed', gone, 'retention');
  DELETE FROM entities_audittext t USING entities_auditlink l
  WHERE t.entry_id = l.entry_id AND l.workspace_id = app_workspace() AND l.seq = ANY(gone);
  DELETE FROM entities_auditentry e USING entities_auditlink l
  WHERE e.id = l.entry_id AND l.workspace_id = app_workspace() AND l.seq = ANY(gone);
  RETURN cardinality(gone);
END $$;
REVOKE ALL ON FUNCTION app_audit_door(text, bigint[], text) FROM PUBLIC;

-- The words are for administrators who are cleared for them; the rows for administrators and for who wrote them.
ALTER POLICY scope_select ON entities_auditentry USING (
  workspace_id = (SELECT app_workspace())
  AND (actor = (SELECT app_principal()) OR (SELECT app_administers()) OR (SELECT app_service())));
ALTER POLICY scope_select ON entities_audittext USING (
  workspace_id = (SELECT app_workspace())
  AND (data_classification = ANY((SELECT app_allowed())::int[])
       OR (data_classification IS NULL AND (SELECT app_unlabelled()) AND floor = ANY((SELECT app_allowed())::int[])))
  AND ((SELECT app_administers()) OR (SELECT app_service())));
ALTER POLICY scope_select ON entities_auditlink USING (
  workspace_id = (SELECT app_workspace()) AND ((SELECT app_administers()) OR (SELECT app_service())));
DROP POLICY scope_insert ON entities_auditlink;
-- What the rules find may be above what its author holds; the trigger has made the label.
ALTER POLICY scope_insert ON entities_audittext WITH CHECK (workspace_id = (SELECT app_workspace()));

-- The application appends to the first two and reads the third.
DO $$
DECLARE granted record;
BEGIN
  FOR granted IN
    SELECT c.relname, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS role
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.relname IN ('entities_auditentry', 'entities_audittext', 'entities_auditlink') AND a.grantee <> c.relowner
    GROUP BY 1, 2
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %s', granted.relname, granted.role);
    EXECUTE format('GRANT SELECT %s ON %I TO %s',
      CASE granted.relname WHEN 'entities_auditlink' THEN '' ELSE ', INSERT' END, granted.relname, granted.role);
  END LOOP;
  -- The door's own step is not for the application.
  FOR granted IN
    SELECT quote_ident(pg_get_userbyid(a.grantee)) AS role FROM pg_proc p, aclexplode(p.proacl) a
    WHERE p.proname = 'app_audit_door' AND a.grantee <> p.proowner AND a.grantee <> 0
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION app_audit_door(text, bigint[], text) FROM %s', granted.role);
  END LOOP;
END $$;

-- What is there already is sealed in the order in which it was written.
INSERT INTO entities_auditlink (entry_id, workspace_id, digest, redacted)
SELECT e.id, e.workspace_id, sha256(convert_to(jsonb_build_array(e.workspace_id, e.id,
  (extract(epoch FROM e.at) * 1000000)::bigint, e.actor, e.action, e.object_kind, e.object_id, e.detail)::text, 'UTF8')),
  false
FROM entities_auditentry e ORDER BY e.workspace_id, e.id;
SET CONSTRAINTS ALL IMMEDIATE;
