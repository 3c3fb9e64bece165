from django.db import migrations, models

GONE = """
-- The compounds of an atom go with it; where text has one of them, the text's own key refuses. Votes still name it.
CREATE OR REPLACE FUNCTION app_delete_compounds() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF cardinality(OLD.components) = 1 THEN
    DELETE FROM entities_classification WHERE workspace_id = OLD.workspace_id AND OLD.value = ANY(components);
    UPDATE entities_workspacesettings SET last_gone_level = greatest(last_gone_level, OLD.value)
    WHERE workspace_id = OLD.workspace_id;
  END IF;
  RETURN OLD;
END $$;
"""
SAID = """
UPDATE entities_workspacesettings s SET last_gone_level = greatest(s.last_gone_level, coalesce((
  SELECT max((e.detail ->> 'value')::integer) FROM entities_auditentry e
  WHERE e.workspace_id = s.workspace_id AND e.action = 'classification.deleted'), 0));
"""


class Migration(migrations.Migration):
    """The value of a classification that was deleted is given to no other."""

    dependencies = [("entities", "0019_audiences_of_a_role")]

    operations = [
        migrations.AddField(
            "workspacesettings", "last_gone_level", models.PositiveIntegerField(default=0, editable=False)
        ),
        migrations.RunSQL([GONE, SAID], migrations.RunSQL.noop),
    ]
