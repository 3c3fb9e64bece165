from django.db import migrations

# The record may go that was asked about, and the request with it: nobody could withdraw the clearance any more.
SQL = """
CREATE FUNCTION app_end_clearance() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_labelgrant WHERE workspace_id = OLD.workspace_id AND origin = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER end_clearance AFTER DELETE ON ingestion_accessrequest
  FOR EACH ROW EXECUTE FUNCTION app_end_clearance();
"""
BACK = "DROP TRIGGER end_clearance ON ingestion_accessrequest; DROP FUNCTION app_end_clearance()"


class Migration(migrations.Migration):
    """A clearance that answers a request goes with it."""

    dependencies = [("ingestion", "0029_hidden_passage"), ("entities", "0014_label_grants")]

    operations = [migrations.RunSQL([SQL], [BACK])]
