from pathlib import Path

from django.db import migrations

from entities.rls import LABELLED, WORKSPACE, build_policy_sql

SQL = (Path(__file__).parent / "held.sql").read_text()
HELD = f"{WORKSPACE} AND {LABELLED}"


class Migration(migrations.Migration):
    """Which records hold rows under which label (docs/adr/0027)."""

    dependencies = [("ingestion", "0018_vectors_in_their_index"), ("entities", "0012_labels_once")]

    operations = [
        migrations.RunSQL([SQL]),
        migrations.RunSQL(build_policy_sql("ingestion_held", HELD, HELD)),
    ]
