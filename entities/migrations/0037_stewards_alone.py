from pathlib import Path

from django.db import migrations

from entities.fields import LabelField

HERE = Path(__file__).parent
SQL, REVIEW, JUDGED = ((HERE / name).read_text() for name in ("held_findings.sql", "review.sql", "judged.sql"))


class Migration(migrations.Migration):
    """Findings can be held while text rests with stewards and its sender alone. What rests always has a label."""

    dependencies = [("entities", "0036_keys_and_versions")]

    operations = [
        migrations.RunSQL([SQL], [REVIEW, JUDGED.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")]),
        migrations.RunSQL(
            ["UPDATE entities_workspacesettings SET resting = 1 WHERE resting IS NULL"], migrations.RunSQL.noop
        ),
        migrations.AlterField("workspacesettings", "resting", LabelField(blank=True, default=1, editable=False)),
    ]
