from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

import entities.fields

TIE = """
ALTER TABLE ingestion_filerevision ADD CONSTRAINT ingestion_filerevision_floor_ws FOREIGN KEY (workspace_id, floor)
REFERENCES entities_classification (workspace_id, value) ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
"""
# How a version that was kept back was to be read is kept with it: its file may be read in another way by now.
KEPT_BACK = """
UPDATE ingestion_filerevision r SET strategy = f.strategy
FROM ingestion_file f WHERE f.id = r.file_id AND r.review = 'rejected' AND r.strategy = '';
"""


class Migration(migrations.Migration):
    """A floor that comes with an upload waits with its version, not in the memory of a web server; and what was deleted
    of a message is remembered, so that reading it again does not bring that back."""

    dependencies = [("ingestion", "0038_under")]

    operations = [
        migrations.AddField("filerevision", "floor", entities.fields.LabelField(null=True)),
        migrations.AddField(
            "filerevision",
            "removed",
            ArrayField(base_field=models.CharField(max_length=64), db_default=[], default=list, size=None),
        ),
        migrations.RunSQL([KEPT_BACK, TIE], migrations.RunSQL.noop),
        migrations.AddIndex(
            "filerevision",
            models.Index(condition=models.Q(("floor__isnull", False)), fields=["workspace"], name="revision_floor"),
        ),
    ]
