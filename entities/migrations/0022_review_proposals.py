from pathlib import Path

from django.db import migrations

# The same function as 0013 makes: databases that have it from before are given today's.
SQL = (Path(__file__).parent / "review.sql").read_text()


class Migration(migrations.Migration):
    """A label that rules propose waits for a steward."""

    dependencies = [("entities", "0021_source_weight")]

    operations = [migrations.RunSQL([SQL], migrations.RunSQL.noop)]
