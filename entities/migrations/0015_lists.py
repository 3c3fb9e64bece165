from django.db import migrations, models


class Migration(migrations.Migration):
    """Lists are counted and cut in an index, and what changed lately is read from its end."""

    dependencies = [("entities", "0014_label_grants")]

    operations = [
        migrations.RemoveIndex("Entity", "entities_en_workspa_1bffd4_idx"),
        migrations.AddIndex(
            "Entity",
            models.Index(
                fields=["workspace", "content_type", "-updated_at", "id"],
                include=["visibility", "created_by", "archived_at"],
                name="entity_list",
            ),
        ),
        migrations.AddIndex("Entity", models.Index(fields=["workspace", "-updated_at"], name="entity_recent")),
    ]
