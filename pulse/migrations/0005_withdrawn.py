from django.db import migrations, models

SQL = """
-- A record that is deleted takes the Pulses that repeat its text with it. A Pulse that only names or counts it is
-- withdrawn: its text goes, its row and the numbers of its citations stay for the next text. Rows are locked in the
-- order of their ids, because the same Pulse may count records that two people delete.
CREATE FUNCTION app_forget_pulses() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM pulse_pulse p WHERE p.workspace_id = OLD.workspace_id
    AND p.id IN (SELECT s.derived FROM entities_source s WHERE s.entity_id = OLD.id) ORDER BY p.id FOR UPDATE;
  DELETE FROM pulse_pulse p USING entities_source s
  WHERE s.entity_id = OLD.id AND s.derived = p.id AND p.workspace_id = OLD.workspace_id AND s.weight = 'text';
  UPDATE pulse_pulse p SET data_classification = NULL, text = '', fingerprint = '' FROM entities_source s
  WHERE s.entity_id = OLD.id AND s.derived = p.id AND p.workspace_id = OLD.workspace_id
    AND p.data_classification IS NOT NULL;
  RETURN OLD;
END $$;
DROP TRIGGER forget_pulses ON entities_entity;
CREATE TRIGGER forget_pulses BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_forget_pulses();

-- What a withdrawn text cited is shown to nobody: a label of NULL would show it to stewards.
CREATE OR REPLACE FUNCTION app_raise_citations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.data_classification IS NULL THEN
    DELETE FROM references_reference WHERE owner = NEW.id AND workspace_id = NEW.workspace_id;
  ELSE
    UPDATE references_reference SET data_classification = NEW.data_classification
    WHERE owner = NEW.id AND workspace_id = NEW.workspace_id
      AND data_classification IS DISTINCT FROM NEW.data_classification;
  END IF;
  RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    """A record that a Pulse only named or counted withdraws its text instead of deleting it."""

    dependencies = [("pulse", "0004_covers"), ("entities", "0021_source_weight")]

    operations = [
        migrations.AddIndex(
            "pulse",
            models.Index(
                condition=models.Q(("data_classification", None)), fields=["workspace"], name="withdrawn_pulses"
            ),
        ),
        migrations.RunSQL([SQL]),
    ]
