from django.db import migrations, models

PUBLISHED = """
UPDATE ingestion_filerevision r SET published_at = CASE f.state WHEN 'ready' THEN f.updated_at ELSE r.fetched_at END
FROM ingestion_file f WHERE f.revision_id = r.id;
"""
AWAKE = "UPDATE ingestion_file SET woken_at = NULL WHERE state = 'ready';"


class Migration(migrations.Migration):
    """When a version was published outlasts the next one, which not everybody is told of; and of a ready file it is not
    kept when a worker was told."""

    dependencies = [("ingestion", "0036_revision_strategy")]

    operations = [
        migrations.AddField("filerevision", "published_at", models.DateTimeField(null=True)),
        migrations.RunSQL([PUBLISHED, AWAKE]),
    ]
