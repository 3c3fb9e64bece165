from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

SQL = (Path(__file__).parent / "inside.sql").read_text()
HANDED_ON = """
UPDATE ingestion_pastparagraph SET inside = true WHERE since = until AND NOT unread;
"""
PUBLISHED = """
UPDATE ingestion_filerevision r SET withheld = ARRAY(
  SELECT DISTINCT u->>'code' FROM jsonb_array_elements(f.unaccounted) u
  WHERE u->>'code' NOT IN ('image', 'no_text_layer', 'ocr_uncertain', 'page_failed', 'vision_unchecked')
    AND NOT (u->>'code' = 'unreadable_text' AND u->>'page' IS NOT NULL)
    AND NOT (u->>'code' = 'attachment' AND u->>'detail' LIKE 'An attachment could not be taken out%') ORDER BY 1)
FROM ingestion_file f WHERE f.revision_id = r.id AND f.unaccounted <> '[]';
"""
# What an earlier reading of the same bytes did not account for was not kept.
FORMERLY = """
UPDATE ingestion_filerevision r SET withheld = '{unknown}'
FROM ingestion_file f JOIN ingestion_filerevision now ON now.id = f.revision_id
WHERE r.file_id = f.id AND r.id <> now.id AND r.blob_id = now.blob_id AND now.accounted AND NOT r.accounted
  AND r.witness <> '';
"""


class Migration(migrations.Migration):
    """The original of a file also asks for what an earlier reading of the same bytes found in attachments, and for
    what it could not account for."""

    dependencies = [("ingestion", "0034_unread")]

    operations = [
        migrations.AddField("pastparagraph", "inside", models.BooleanField(db_default=False, default=False)),
        migrations.AddField(
            "filerevision",
            "withheld",
            ArrayField(base_field=models.CharField(max_length=40), db_default=[], default=list, size=None),
        ),
        migrations.RunSQL([HANDED_ON, PUBLISHED, FORMERLY, SQL]),
    ]
