from django.db import migrations

EXPIRED = """
-- A grant that has ended is hidden from all but the service, and must not stand in the way of a new one.
CREATE FUNCTION app_replace_expired() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'entities_entityusergrant' THEN
    DELETE FROM entities_entityusergrant WHERE content_object_id = NEW.content_object_id AND user_id = NEW.user_id
      AND permission_id = NEW.permission_id AND expires_at <= now();
  ELSE
    DELETE FROM entities_entityrolegrant WHERE content_object_id = NEW.content_object_id AND group_id = NEW.group_id
      AND permission_id = NEW.permission_id AND expires_at <= now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER replace_expired BEFORE INSERT ON entities_entityusergrant
  FOR EACH ROW EXECUTE FUNCTION app_replace_expired();
CREATE TRIGGER replace_expired BEFORE INSERT ON entities_entityrolegrant
  FOR EACH ROW EXECUTE FUNCTION app_replace_expired();
"""

COMPOUNDS = """
-- The compounds of an atom go with it; where text has one of them, the text's own key refuses.
CREATE FUNCTION app_delete_compounds() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF cardinality(OLD.components) = 1 THEN
    DELETE FROM entities_classification WHERE workspace_id = OLD.workspace_id AND OLD.value = ANY(components);
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER delete_compounds AFTER DELETE ON entities_classification
  FOR EACH ROW EXECUTE FUNCTION app_delete_compounds();
"""

GROUPS = """
-- The grants on single records of a role go with it, whoever may see the records.
CREATE OR REPLACE FUNCTION app_delete_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_entityrolegrant WHERE group_id = OLD.group_id;
  DELETE FROM auth_group_permissions WHERE group_id = OLD.group_id;
  DELETE FROM entities_user_groups WHERE group_id = OLD.group_id;
  DELETE FROM auth_group WHERE id = OLD.group_id;
  RETURN OLD;
END $$;
"""


class Migration(migrations.Migration):
    """What hangs on a role, a classification or an ended grant goes with it, also where the caller cannot see it."""

    dependencies = [("entities", "0003_protect")]

    operations = [migrations.RunSQL([sql]) for sql in (EXPIRED, COMPOUNDS, GROUPS)]
