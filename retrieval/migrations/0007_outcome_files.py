import django.contrib.postgres.fields
from django.db import migrations, models

# Of outcomes from before: the files of the question's places, as they were last seen; of the figures, those that follow
# from the first rank.
FILES = """
UPDATE retrieval_evaluationoutcome o SET files = ARRAY(
  SELECT DISTINCT (place ->> 'file')::uuid FROM jsonb_array_elements(q.places) place)
FROM retrieval_evaluationquestion q WHERE q.id = o.question_id
"""
FIGURES = """
UPDATE retrieval_evaluationoutcome SET scores = (
  SELECT coalesce(jsonb_object_agg(ranking, jsonb_build_array(found -> 0, found -> 1,
    coalesce(round(1 / (found ->> 0)::numeric, 4), 0), null, null, null,
    CASE WHEN ranking <> 'shown' THEN (coalesce((found ->> 0)::int, 21) > 20)::int END)), '{}')
  FROM jsonb_each(scores) one (ranking, found))
"""


class Migration(migrations.Migration):
    """What a question got in a run, so that a reader is told the means over those that they may see."""

    dependencies = [("retrieval", "0006_reranked")]

    operations = [
        migrations.AddField(
            "EvaluationOutcome",
            "files",
            django.contrib.postgres.fields.ArrayField(models.UUIDField(), default=list),
        ),
        migrations.RunSQL([FILES], migrations.RunSQL.noop),
        migrations.RunSQL([FIGURES], migrations.RunSQL.noop),
    ]
