from django.db import migrations

# A model that read a paragraph and named no level has decided that it is Public. The offline engine's vote of that form
# said no more than that rules had found nothing.
DECIDED = """
UPDATE {table} p SET votes = (
  SELECT jsonb_agg(CASE WHEN vote->>'source' = 'model' AND coalesce(vote->'labels', '[]') = '[]'
    AND vote->>'reason' IS DISTINCT FROM 'nothing that a level names' THEN vote || '{{"public": true}}' ELSE vote END
    ORDER BY number)
  FROM jsonb_array_elements(p.votes) WITH ORDINALITY AS given (vote, number))
WHERE p.votes @> '[{{"source": "model", "labels": []}}]'
"""
TABLES = ("ingestion_paragraph", "entities_fieldparagraph")


class Migration(migrations.Migration):
    """What models decided before this release is judged; all else rests from the first start on (`ingestion.resting`)."""

    dependencies = [("ingestion", "0051_judged"), ("entities", "0036_keys_and_versions")]

    operations = [
        migrations.RunSQL([DECIDED.format(table=table) for table in TABLES], migrations.RunSQL.noop),
        migrations.RunSQL("UPDATE entities_workspacesettings SET resting = 1", migrations.RunSQL.noop),
    ]
