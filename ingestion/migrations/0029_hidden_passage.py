from django.db import migrations


class Migration(migrations.Migration):
    """Nobody is told of a passage that they may not read by its id, which is made of its text."""

    dependencies = [("ingestion", "0028_progress")]

    operations = [migrations.RunSQL(["DROP FUNCTION app_hidden_passage(uuid, uuid)"], migrations.RunSQL.noop)]
