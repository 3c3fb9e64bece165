from django.db import migrations

# Of workspace and value, which are no secrets: numbers from one sequence told how many compounds others have made.
KEY = """
CREATE FUNCTION app_classification_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := NEW.workspace_id::bigint * 4294967296 + NEW.value;
  RETURN NEW;
END $$;
CREATE TRIGGER own_key BEFORE INSERT ON entities_classification
  FOR EACH ROW EXECUTE FUNCTION app_classification_key();
"""
# Keys of grants are checked at the commit; who writes clearances of one person must be the service.
AGAIN = """
CREATE TEMPORARY TABLE moved ON COMMIT DROP AS
  SELECT id AS old, workspace_id::bigint * 4294967296 + value AS new FROM entities_classification;
SET CONSTRAINTS ALL DEFERRED;
SELECT set_config('app.service', 'on', true);
UPDATE entities_classification c SET id = m.new FROM moved m WHERE m.old = c.id;
UPDATE entities_classificationgrant g SET classification_id = m.new FROM moved m WHERE m.old = g.classification_id;
UPDATE entities_labelgrant g SET classification_id = m.new FROM moved m WHERE m.old = g.classification_id;
SELECT set_config('app.service', '', true);
"""


class Migration(migrations.Migration):
    """The number in a classification's address tells nothing of other workspaces."""

    dependencies = [("entities", "0017_grants_of_members")]

    operations = [migrations.RunSQL([KEY], migrations.RunSQL.noop), migrations.RunSQL([AGAIN], migrations.RunSQL.noop)]
