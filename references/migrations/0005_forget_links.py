from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "links.sql").read_text()


class Migration(migrations.Migration):
    """A reference that a document made goes with its link, and with the file that it leads to."""

    dependencies = [("references", "0004_links_of_documents"), ("ingestion", "0022_protect_links")]

    operations = [migrations.RunSQL([SQL])]
