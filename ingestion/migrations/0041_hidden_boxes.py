from pathlib import Path

from django.db import migrations

SQL = (Path(__file__).parent / "hidden_boxes.sql").read_text()


class Migration(migrations.Migration):
    """What is copied of a page keeps away from where hidden paragraphs stand."""

    dependencies = [("ingestion", "0040_requests_and_their_levels")]

    operations = [migrations.RunSQL([SQL], ["DROP FUNCTION app_hidden_boxes(uuid)"])]
