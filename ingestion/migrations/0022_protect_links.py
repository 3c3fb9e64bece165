from pathlib import Path

from django.db import migrations

from entities.rls import Protect

SQL = (Path(__file__).parent / "links.sql").read_text()


class Migration(migrations.Migration):
    """Row-level security on the links of documents; their label is their paragraph's."""

    dependencies = [("ingestion", "0021_links")]

    operations = [Protect("DocumentLink"), migrations.RunSQL([SQL])]
