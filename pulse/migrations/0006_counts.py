from django.db import migrations

from entities.rls import COUNT_BELOW

SQL = """
-- A number of what is open below a record is one source: of weight count, at that record (docs/adr/0059). It names nobody.
-- So the text goes, fail closed, in the transaction in which a record is not open below another any more. Rows of Pulses
-- are locked in the order of their ids, after those of records and before those of variants, as elsewhere.
CREATE FUNCTION app_withdraw_pulses(wanted text, records uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE texts uuid[] := ARRAY(SELECT DISTINCT s.derived FROM entities_source s
  WHERE s.entity_id = ANY(records) AND s.weight = wanted AND s.counted IS NULL);
BEGIN
  IF texts = '{}' THEN RETURN; END IF;
  PERFORM FROM pulse_pulse p WHERE p.id = ANY(texts) AND p.data_classification IS NOT NULL ORDER BY p.id FOR UPDATE;
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = ''
  WHERE p.id = ANY(texts) AND p.data_classification IS NOT NULL;
END $$;

-- Records that are restricted, archived or put into the bin withdraw what counts them; renamed ones what names them. Every
-- type's table has a trigger `delete_base` (entities/rls.py), and its columns of ids are its links.
CREATE FUNCTION app_withdraw_closed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  -- No joins: one that was planned for a single row is kept, and takes 10 s for 5,000.
  closed uuid[] := ARRAY(
    SELECT o.id FROM old_rows o WHERE o.visibility = 'workspace' AND o.archived_at IS NULL AND o.deleted_at IS NULL
    EXCEPT
    SELECT n.id FROM new_rows n WHERE n.visibility = 'workspace' AND n.archived_at IS NULL AND n.deleted_at IS NULL);
  renamed uuid[] := ARRAY(
    SELECT r.id FROM (SELECT o.id, o.name FROM old_rows o EXCEPT SELECT n.id, n.name FROM new_rows n) r);
  type regclass; links text; parents uuid[]; every uuid[] := '{}';
BEGIN
  IF closed <> '{}' THEN
    FOR type, links IN SELECT g.tgrelid::regclass, string_agg(format('t.%I', a.attname), ', ') FROM pg_trigger g
      JOIN pg_attribute a ON a.attrelid = g.tgrelid AND a.atttypid = 'uuid'::regtype AND a.attname <> 'entity_ptr_id'
      WHERE g.tgname = 'delete_base' GROUP BY g.tgrelid
    LOOP
      EXECUTE format('SELECT array_agg(DISTINCT link) FROM %s t, unnest(ARRAY[%s]) link'
        ' WHERE t.entity_ptr_id = ANY($1)', type, links) INTO parents USING closed;
      every := every || parents;
    END LOOP;
    PERFORM app_withdraw_pulses('count', every);
  END IF;
  IF renamed <> '{}' THEN PERFORM app_withdraw_pulses('name', renamed); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_closed AFTER UPDATE ON entities_entity REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION app_withdraw_closed();

-- A record that hangs on another one now, or is deleted for good. One that was not open was in no number, and nobody is
-- to learn of it. Fires before `delete_base`; where the base row was deleted first, nobody knows whether it was open.
CREATE FUNCTION app_withdraw_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before jsonb := to_jsonb(OLD); after jsonb := to_jsonb(NEW);
  parents uuid[] := ARRAY(SELECT (before ->> a.attname)::uuid FROM pg_attribute a
    WHERE a.attrelid = TG_RELID AND a.atttypid = 'uuid'::regtype AND a.attname <> 'entity_ptr_id'
      AND before ->> a.attname IS DISTINCT FROM after ->> a.attname AND before ->> a.attname IS NOT NULL);
BEGIN
  IF parents <> '{}' AND NOT EXISTS (SELECT FROM entities_entity e WHERE e.id = OLD.entity_ptr_id
    AND (e.visibility <> 'workspace' OR e.archived_at IS NOT NULL OR e.deleted_at IS NOT NULL))
  THEN PERFORM app_withdraw_pulses('count', parents); END IF;
  RETURN NULL;
END $$;
"""
OF_ALL_TYPES = """
DO $do$ DECLARE type regclass; BEGIN
  FOR type IN SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'delete_base' LOOP
    EXECUTE format($$OF_ONE$$, type);
  END LOOP;
END $do$
""".replace("OF_ONE", COUNT_BELOW.format("%s"))
UNDO = [
    "DROP FUNCTION app_withdraw_closed() CASCADE",
    "DROP FUNCTION app_withdraw_moved() CASCADE",
    "DROP FUNCTION app_withdraw_pulses(text, uuid[])",
]


class Migration(migrations.Migration):
    """What counts or names a record is withdrawn when that is not so any more."""

    dependencies = [("pulse", "0005_withdrawn"), ("entities", "0029_joined_at")]

    operations = [migrations.RunSQL([SQL, OF_ALL_TYPES], UNDO)]
