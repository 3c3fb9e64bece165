from django.db import migrations

SQL = """
-- Whether all who are shown the text of a variant hold `needs`. Whoever changes something may not see that text.
CREATE FUNCTION app_pulse_covers(variant uuid, needs integer[]) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT cardinality(needs) = 0 OR EXISTS (
    SELECT FROM pulse_pulse p
    JOIN entities_classification c ON c.workspace_id = p.workspace_id AND c.value = p.data_classification
    WHERE p.workspace_id = app_workspace() AND p.id = variant AND c.components @> needs)
$$;
"""


class Migration(migrations.Migration):
    """A variant with many clearances may have a text that needs none of them, and readers who hold none."""

    dependencies = [("pulse", "0003_citations_rise"), ("entities", "0003_protect")]

    operations = [migrations.RunSQL([SQL], "DROP FUNCTION app_pulse_covers(uuid, integer[])")]
