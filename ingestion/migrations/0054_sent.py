from pathlib import Path

from django.db import migrations, models

from entities.rls import RESTS_SENT, SENT, build_sent_sql

SQL = (Path(__file__).parent / "sent.sql").read_text()
HIDDEN = """
-- Positions and labels, never text, of the acknowledged hidden paragraphs of a file whose record the caller may see.
CREATE OR REPLACE FUNCTION app_hidden_paragraphs(wanted uuid) RETURNS TABLE ("position" integer, page integer, label integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT position, page, data_classification FROM ingestion_paragraph
  WHERE workspace_id = app_workspace() AND file_id = wanted AND data_classification IS NOT NULL
    AND NOT data_classification = ANY((SELECT app_allowed())::int[])
    AND data_classification = ANY((SELECT app_acknowledged())::int[]){}
$$
"""
BUT_SENT = f"\n    AND ({RESTS_SENT}) IS NOT TRUE"
TABLES = [table for table in SENT if table.startswith("ingestion_")]
BACK = [
    *(f"DROP POLICY sent ON {table}" for table in TABLES),
    HIDDEN.format(""),
    "DROP FUNCTION app_sent_rows(); DROP FUNCTION app_sent_revisions()",
]


class Migration(migrations.Migration):
    """Who sent a file reads its text while it rests."""

    dependencies = [("ingestion", "0053_unshown"), ("entities", "0036_keys_and_versions")]

    operations = [
        migrations.AddIndex("filerevision", models.Index(fields=["workspace", "created_by"], name="revision_sender")),
        migrations.RunSQL([SQL, HIDDEN.format(BUT_SENT), *map(build_sent_sql, TABLES)], BACK),
    ]
