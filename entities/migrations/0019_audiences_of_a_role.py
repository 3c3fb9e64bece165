from django.db import migrations

AUDIENCES = """
-- Rows for everybody (0), for the principal, and for each of their roles; where they are held to a role, of these that one.
CREATE OR REPLACE FUNCTION app_audiences() RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ARRAY[0::bigint, app_principal()] || ARRAY(SELECT -id FROM app_roles_of(app_principal())
    WHERE -id = coalesce(nullif(current_setting('app.narrowed', true), '')::bigint, -id))
$$;
"""


class Migration(migrations.Migration):
    """Who is held to a role does not read what is addressed to another role of theirs."""

    dependencies = [("entities", "0018_classification_keys")]

    operations = [migrations.RunSQL([AUDIENCES], migrations.RunSQL.noop)]
