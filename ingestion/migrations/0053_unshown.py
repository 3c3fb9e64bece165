from django.db import migrations

# Whether more was in a file than its paragraphs say was not asked when it was read. A steward's decision was on all of it.
UNSHOWN = """
UPDATE ingestion_filerevision SET remainder = jsonb_set(remainder, '{codes}', (remainder->'codes') || '["unshown"]')
WHERE remainder IS NOT NULL;
UPDATE ingestion_filerevision SET remainder = jsonb_set(remainder, '{settled}', (remainder->'settled') || '["unshown"]')
WHERE remainder->'votes' @> '[{"source": "manual"}]';
"""


class Migration(migrations.Migration):
    """Versions in strict collections wait for a steward, also those in which no rule found anything."""

    dependencies = [("ingestion", "0052_decided_votes")]
    operations = [migrations.RunSQL(UNSHOWN, migrations.RunSQL.noop)]
