from django.db import migrations, models

# PostgreSQL reads an index alone where vacuum has noted that all rows of a page are visible to everybody.
VACUUM = """
ALTER TABLE entities_entity
  SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
"""


class Migration(migrations.Migration):
    """Which records somebody sees is read out of an index."""

    dependencies = [("entities", "0015_lists")]

    operations = [
        migrations.RemoveIndex("Entity", "entities_en_workspa_267cf6_idx"),
        migrations.AddIndex(
            "Entity",
            models.Index(
                fields=["workspace", "visibility", "created_by", "number"],
                include=["content_type"],
                name="entity_seen",
            ),
        ),
        migrations.RunSQL([VACUUM], migrations.RunSQL.noop),
    ]
