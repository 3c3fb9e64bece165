from pathlib import Path

from django.db import migrations

from entities.rls import LABELLED, WORKSPACE

SQL = (Path(__file__).parent / "paths.sql").read_text()
AUDIENCE = "(audience = 0 OR audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"
POLICIES = [
    f"ALTER POLICY scope ON {table} USING ({WORKSPACE} AND {LABELLED} AND {AUDIENCE})"
    f" WITH CHECK ({WORKSPACE} AND {LABELLED} AND {AUDIENCE})"
    for table in ("ingestion_vector", "ingestion_posting")
]


class Migration(migrations.Migration):
    """Ways to read the index tables at every share of visible rows (docs/adr/0013)."""

    dependencies = [("ingestion", "0008_floors")]

    operations = [migrations.RunSQL([SQL]), migrations.RunSQL(POLICIES)]
