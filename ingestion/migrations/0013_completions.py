from pathlib import Path

from django.db import migrations

from entities.rls import LABELLED, WORKSPACE, build_policy_sql

SQL = (Path(__file__).parent / "completions.sql").read_text()
NARROW = (
    f"{WORKSPACE} AND {LABELLED}"
    " AND (audience = 0 OR audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"
)


class Migration(migrations.Migration):
    """Words of visible text, for completing what is being typed (docs/adr/0021)."""

    dependencies = [("ingestion", "0012_workspace_models")]

    operations = [
        migrations.RunSQL([SQL]),
        migrations.RunSQL(build_policy_sql("ingestion_word", NARROW, NARROW)),
    ]
