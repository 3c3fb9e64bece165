from pathlib import Path

from django.db import migrations, models

import entities.fields

SQL = (Path(__file__).parent / "remainder.sql").read_text()
# What was given out stays given out, and what was withheld stays withheld until it is read again.
KNOWN = """
UPDATE ingestion_filerevision r SET remainder_label = 0
WHERE r.accounted AND r.review <> 'released' AND NOT EXISTS (
  SELECT 1 FROM ingestion_filerevision same
  WHERE same.file_id = r.file_id AND same.blob_id = r.blob_id AND (same.withheld <> '{}' OR same.review = 'released'));
"""
PUBLISHED = """
UPDATE ingestion_filerevision r SET remainder_label = NULL FROM ingestion_file f
WHERE f.revision_id = r.id AND NOT f.accounted;
"""
CAME_INSIDE = """
WITH RECURSIVE inner_files AS (
  SELECT f.id FROM ingestion_file f JOIN ingestion_filerevision r ON r.file_id = f.origin_id
  WHERE r.withheld @> ARRAY['inside']::varchar[]
  UNION
  SELECT f.id FROM ingestion_file f JOIN inner_files i ON f.origin_id = i.id)
UPDATE ingestion_filerevision r SET remainder_label = NULL FROM inner_files i WHERE r.file_id = i.id;
"""
# What is text is found as text when the bytes are read again; until then these versions are withheld as they were.
TEXTS = """
UPDATE ingestion_filerevision SET withheld = ARRAY(SELECT code FROM unnest(withheld) code WHERE code NOT IN (
  'annotation', 'comments', 'earlier_revision', 'footnotes', 'form', 'formula', 'header_footer', 'hidden_cells',
  'hidden_data', 'hidden_sheet', 'hidden_slide', 'hidden_text', 'javascript', 'notes', 'remote_reference', 'script',
  'tracked_changes') ORDER BY code)
WHERE withheld <> '{}';
"""
TIES = [
    f"ALTER TABLE ingestion_filerevision ADD CONSTRAINT ingestion_filerevision_{column}_ws FOREIGN KEY"
    f" (workspace_id, {column}) REFERENCES entities_classification (workspace_id, value)"
    " ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED"
    for column in ("remainder_label", "remainder_floor")
]


class Migration(migrations.Migration):
    """What the reader does not show of a version has a label, which its original needs too."""

    dependencies = [("ingestion", "0041_hidden_boxes")]

    operations = [
        migrations.AddField("filerevision", "remainder", models.JSONField(null=True)),
        migrations.AddField("filerevision", "remainder_label", entities.fields.LabelField(null=True)),
        migrations.AddField("filerevision", "remainder_floor", entities.fields.LabelField(db_default=0, default=0)),
        migrations.AddIndex(
            "filerevision",
            models.Index(
                condition=models.Q(("remainder__isnull", False), ("remainder_label__isnull", True)),
                fields=["workspace"],
                name="revision_unsettled",
            ),
        ),
        migrations.RunSQL(
            [
                KNOWN,
                PUBLISHED,
                CAME_INSIDE,
                TEXTS,
                "SET CONSTRAINTS ALL IMMEDIATE",
                "SET CONSTRAINTS ALL DEFERRED",
                *TIES,
                SQL,
            ]
        ),
        migrations.RemoveField("file", "accounted"),
        migrations.RemoveField("filerevision", "accounted"),
    ]
