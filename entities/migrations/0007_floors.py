from django.db import migrations

from entities.rls import RenewPolicy

POSITIONS = """
CREATE OR REPLACE FUNCTION app_hidden_positions(record uuid, wanted text) RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.position FROM entities_fieldparagraph p
  WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND p.field = wanted
    AND NOT CASE WHEN p.data_classification IS NULL
      THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
      ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END
$$
"""


class Migration(migrations.Migration):
    """Unlabelled text with a floor is shown to stewards who may read that floor."""

    dependencies = [("entities", "0006_password_by_other")]

    operations = [RenewPolicy("FieldParagraph"), migrations.RunSQL([POSITIONS], migrations.RunSQL.noop)]
