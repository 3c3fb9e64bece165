from django.db import migrations

# As they were last seen.
FILES = """
UPDATE retrieval_evaluationoutcome o SET files = ARRAY(
  SELECT unnest(o.files) UNION SELECT jsonb_array_elements_text(q.files)::uuid)
FROM retrieval_evaluationquestion q WHERE q.id = o.question_id AND q.files <> '[]'
"""


class Migration(migrations.Migration):
    """Outcomes name the files that their question asks of: how near anything in a hidden one comes would tell of it."""

    dependencies = [("retrieval", "0008_strict")]

    operations = [migrations.RunSQL([FILES], migrations.RunSQL.noop)]
