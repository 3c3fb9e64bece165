from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "functions.sql").read_text()


class Migration(migrations.Migration):
    """The functions that the policies ask."""

    dependencies = [("entities", "0001_initial")]

    operations = [migrations.RunSQL([SQL])]
