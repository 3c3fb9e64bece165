from django.db import migrations, models


class Migration(migrations.Migration):
    """Two files of one name on a record, where who uploaded the second is not shown the first."""

    dependencies = [("ingestion", "0004_protect_work")]

    operations = [
        migrations.RemoveConstraint("file", "file_identity"),
        migrations.AddField(
            "file",
            "twin",
            models.PositiveIntegerField(default=0, help_text="Tells files of one name apart."),
        ),
        migrations.AddConstraint(
            "file",
            models.UniqueConstraint(fields=("entity", "collection", "name", "twin"), name="file_identity"),
        ),
    ]
