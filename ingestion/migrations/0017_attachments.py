from django.db import migrations, models

import entities.fields

LINK = """
ALTER TABLE "ingestion_file" ADD CONSTRAINT "ingestion_file_origin_id_ws"
FOREIGN KEY (workspace_id, "origin_id") REFERENCES "ingestion_file" (workspace_id, "id")
ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrations.Migration):
    """Attachments are files of their own that hang on the file they came in."""

    dependencies = [("ingestion", "0016_records_first")]

    operations = [
        migrations.AddField(
            "file",
            "origin",
            entities.fields.WorkspaceForeignKey(null=True, related_name="+", to="ingestion.file"),
        ),
        migrations.AddField("file", "named_by", models.UUIDField(null=True)),
        migrations.AddField("file", "attachments", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("file", "part", models.PositiveIntegerField(default=0)),
        migrations.RunSQL([LINK], ['ALTER TABLE "ingestion_file" DROP CONSTRAINT "ingestion_file_origin_id_ws"']),
        migrations.AddConstraint(
            "file",
            models.UniqueConstraint(
                fields=("origin", "part"), condition=models.Q(origin__isnull=False), name="file_attachment"
            ),
        ),
    ]
