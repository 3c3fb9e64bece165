from django.db import migrations

from entities.rls import Protect


class Migration(migrations.Migration):
    """Row-level security on runs, their questions and outcomes."""

    dependencies = [("retrieval", "0003_evaluation")]

    operations = [
        Protect("EvaluationQuestion", target=True),
        Protect("EvaluationRun", target=True),
        Protect("EvaluationOutcome"),
    ]
