from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "words_apart.sql").read_text()


class Migration(migrations.Migration):
    """Words are found where no blank stands between them, and numbers behind a hyphen."""

    dependencies = [("ingestion", "0030_clearance_of_a_request")]

    operations = [migrations.RunSQL([SQL])]
