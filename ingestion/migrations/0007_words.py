from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "words.sql").read_text()


class Migration(migrations.Migration):
    """Words are found without the typographic marks around them."""

    dependencies = [("ingestion", "0006_revision_stages")]

    operations = [migrations.RunSQL([SQL])]
