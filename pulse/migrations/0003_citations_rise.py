from django.db import migrations

SQL = """
CREATE FUNCTION app_raise_citations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE references_reference SET data_classification = NEW.data_classification
  WHERE owner = NEW.id AND workspace_id = NEW.workspace_id
    AND data_classification IS DISTINCT FROM NEW.data_classification;
  RETURN NULL;
END $$;

CREATE TRIGGER raise_citations AFTER UPDATE OF data_classification ON pulse_pulse
  FOR EACH ROW EXECUTE FUNCTION app_raise_citations();
"""


class Migration(migrations.Migration):
    """What a Pulse cites is for its readers: its citations have its label, and rise with it."""

    dependencies = [("pulse", "0002_protect")]

    operations = [migrations.RunSQL([SQL])]
