from django.db import migrations, models


class Migration(migrations.Migration):
    """Whether the label of a file's name is known. One that has a level was given it; all others rest from the first
    start on (`ingestion.resting`).
    """

    dependencies = [("ingestion", "0054_sent")]

    operations = [
        migrations.AddField("file", "name_judged", models.BooleanField(db_default=False, default=False)),
        migrations.RunSQL(
            "UPDATE ingestion_file SET name_judged = true WHERE name_classification <> 0", migrations.RunSQL.noop
        ),
    ]
