from pathlib import Path

from django.db import migrations, models
from django.db.models.expressions import F, Func

from entities.fields import KeptColumn, LabelField

HERE = Path(__file__).parent
SQL, OWN, OWN_BEFORE = ((HERE / name).read_text() for name in ("judged.sql", "own_resting.sql", "own_paragraphs.sql"))


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
        migrations.AddField(
            "workspacesettings", "kind_floors", models.JSONField(blank=True, default=dict, editable=False)
        ),
    ]
