from django.db import migrations

WAITING = """
CREATE OR REPLACE FUNCTION app_withdraw_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before jsonb := to_jsonb(OLD); after jsonb := to_jsonb(NEW);
  parents uuid[] := ARRAY(SELECT (before ->> a.attname)::uuid FROM pg_attribute a
    WHERE a.attrelid = TG_RELID AND a.atttypid = 'uuid'::regtype AND a.attname <> 'entity_ptr_id'
      AND before ->> a.attname IS DISTINCT FROM after ->> a.attname AND before ->> a.attname IS NOT NULL);
BEGIN
  IF parents = '{}' THEN RETURN NULL; END IF;
  -- Who writes a text that counts it holds its base row: it is waited for, and its text is then found.
  PERFORM FROM entities_entity e WHERE e.id = OLD.entity_ptr_id FOR NO KEY UPDATE;
  IF NOT EXISTS (SELECT FROM entities_entity e WHERE e.id = OLD.entity_ptr_id
    AND (e.visibility <> 'workspace' OR e.archived_at IS NOT NULL OR e.deleted_at IS NOT NULL))
  THEN PERFORM app_withdraw_pulses('count', parents); END IF;
  RETURN NULL;
END $$;
"""
WITHDRAW_OLD = """
-- Texts from before have a source for each record that they counted, at most 1,000 of a type: who else was counted is not
-- known. They are made again.
UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = '' WHERE p.data_classification IS NOT NULL
  AND EXISTS (SELECT FROM entities_source s WHERE s.derived = p.id AND s.weight = 'count');
"""


class Migration(migrations.Migration):
    """Who moves or deletes a record waits for a text that is being written of it, and withdraws it then."""

    dependencies = [("pulse", "0006_counts")]

    operations = [migrations.RunSQL([WAITING, WITHDRAW_OLD], migrations.RunSQL.noop)]
