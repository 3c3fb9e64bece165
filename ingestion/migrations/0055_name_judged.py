from django.db import migrations, models


class Migration(migrations.Migration):
    """Whether the label of a file's name is known. One that has another level than text that rests was given it; all
    others rest from the first start on (`ingestion.resting`).
    """

    dependencies = [("ingestion", "0054_sent")]

    operations = [
        migrations.AddField("file", "name_judged", models.BooleanField(db_default=False, default=False)),
        migrations.RunSQL(
            """UPDATE ingestion_file f SET name_judged = true FROM entities_workspacesettings s
            WHERE s.workspace_id = f.workspace_id AND f.name_classification <> 0
              AND (f.floor <> 0 OR f.name_classification IS DISTINCT FROM s.resting)""",
            migrations.RunSQL.noop,
        ),
    ]
