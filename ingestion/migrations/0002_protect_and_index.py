from pathlib import Path

from django.db import migrations

from entities.rls import LABELLED, WORKSPACE, Protect, build_policy_sql

SQL = (Path(__file__).parent / "index.sql").read_text()
NARROW = f"{WORKSPACE} AND {LABELLED} AND (audience = ANY((SELECT app_audiences())::int[]) OR (SELECT app_service()))"


class Migration(migrations.Migration):
    """Row-level security on the tables of ingestion, the narrow index tables, and the one-label invariant."""

    dependencies = [("ingestion", "0001_initial"), ("entities", "0003_protect")]

    operations = [
        Protect("Blob", target=True),
        # Files and revisions point at each other: one key first, then both sets of links.
        migrations.RunSQL("ALTER TABLE ingestion_file ADD CONSTRAINT ingestion_file_ws_key UNIQUE (workspace_id, id)"),
        Protect("FileRevision", target=True),
        Protect("File"),
        Protect("Paragraph", target=True),
        Protect("ContextRow", target=True),
        Protect("RowParagraph"),
        migrations.RunSQL([SQL]),
        migrations.RunSQL(
            [
                *build_policy_sql("ingestion_vector", NARROW, NARROW),
                *build_policy_sql("ingestion_posting", NARROW, NARROW),
            ]
        ),
    ]
