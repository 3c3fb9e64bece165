from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "allowed.sql").read_text()


class Migration(migrations.Migration):
    """A reader's labels are looked up once a transaction."""

    dependencies = [("entities", "0011_grant_keys")]

    operations = [migrations.RunSQL([SQL], migrations.RunSQL.noop)]
