from django.db import migrations

from entities.fields import LabelField
from entities.rls import RenewPolicy

# What is on its way is worked over again: nothing is lost with it but the time it took.
EMPTY = "DELETE FROM ingestion_stepresult"
TIE = """
ALTER TABLE ingestion_stepresult ADD CONSTRAINT ingestion_stepresult_floor_ws FOREIGN KEY (workspace_id, floor)
REFERENCES entities_classification (workspace_id, value) ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrations.Migration):
    """Work between two steps of the pipeline has a floor, so a steward without a label reads none of it."""

    dependencies = [("ingestion", "0013_completions")]

    operations = [
        migrations.RunSQL([EMPTY], migrations.RunSQL.noop),
        migrations.AddField("stepresult", "floor", LabelField()),
        RenewPolicy("StepResult"),
        migrations.RunSQL([TIE], migrations.RunSQL.noop),
    ]
