from pathlib import Path

from django.db import migrations, models
from django.db.models.expressions import F, Func

from entities.fields import KeptColumn, LabelField

HERE = Path(__file__).parent
SQL, OWN, OWN_BEFORE = ((HERE / name).read_text() for name in ("judged.sql", "own_resting.sql", "own_paragraphs.sql"))
KEY = """
ALTER TABLE entities_workspacesettings ADD CONSTRAINT entities_workspacesettings_resting_ws FOREIGN KEY (workspace_id, resting)
  REFERENCES entities_classification (workspace_id, value) DEFERRABLE INITIALLY DEFERRED
"""
NO_KEY = "ALTER TABLE entities_workspacesettings DROP CONSTRAINT entities_workspacesettings_resting_ws"


class Migration(migrations.Migration):
    """What nobody has judged has the resting label of its workspace. Workspaces that are there keep everybody's."""

    dependencies = [("entities", "0033_attached")]

    operations = [
        migrations.RunSQL([SQL], ["DROP FUNCTION app_is_judged(jsonb)"]),
        migrations.AddField(
            "fieldparagraph",
            "judged",
            KeptColumn(
                db_persist=True,
                expression=Func(F("votes"), function="app_is_judged"),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.RunSQL([OWN], [OWN_BEFORE]),
        migrations.AddField(
            "workspacesettings", "resting", LabelField(blank=True, default=0, editable=False, null=True)
        ),
        migrations.AlterField(
            "workspacesettings", "resting", LabelField(blank=True, default=1, editable=False, null=True)
        ),
        migrations.RunSQL([KEY], [NO_KEY]),
        migrations.AddField(
            "workspacesettings", "kind_floors", models.JSONField(blank=True, default=dict, editable=False)
        ),
    ]
