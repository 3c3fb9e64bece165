from django.db import migrations

FILL = """
UPDATE retrieval_{table} SET {column} = {column} || jsonb_build_object('reranked', {column} -> 'fused')
WHERE {column} ? 'fused' AND NOT {column} ? 'reranked'
"""


class Migration(migrations.Migration):
    """Runs from before the reranked order was told apart count as not reranked."""

    dependencies = [("retrieval", "0005_ranking_settings")]

    operations = [
        migrations.RunSQL([FILL.format(table="evaluationrun", column="figures")], migrations.RunSQL.noop),
        migrations.RunSQL([FILL.format(table="evaluationoutcome", column="scores")], migrations.RunSQL.noop),
    ]
