from pathlib import Path

from django.db import migrations, models

from entities.rls import SENT, build_sent_sql

HERE = Path(__file__).parent
SQL = (HERE / "sent.sql").read_text()
HIDDEN = (HERE / "index.sql").read_text().partition("-- Positions and labels")[2].partition("-- Whether the caller")[0]
TABLES = [table for table in SENT if table.startswith("ingestion_")]
BACK = [
    *(f"DROP POLICY sent ON {table}" for table in TABLES),
    f"CREATE OR REPLACE FUNCTION app_hidden{HIDDEN.partition('CREATE FUNCTION app_hidden')[2]}",
    "DROP FUNCTION app_sent_rows(); DROP FUNCTION app_sent_paragraphs()",
]


class Migration(migrations.Migration):
    """Who sent a file reads its text while it rests."""

    dependencies = [("ingestion", "0053_unshown"), ("entities", "0036_keys_and_versions")]

    operations = [
        migrations.AddIndex("filerevision", models.Index(fields=["workspace", "created_by"], name="revision_sender")),
        migrations.RunSQL([SQL, *map(build_sent_sql, TABLES)], BACK),
    ]
