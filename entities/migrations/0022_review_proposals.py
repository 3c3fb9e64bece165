from pathlib import Path

from django.db import migrations

HERE = Path(__file__).parent
BEFORE = (HERE / "review.sql").read_text().replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    """A label that rules propose waits for a steward."""

    dependencies = [("entities", "0021_source_weight")]

    operations = [migrations.RunSQL([(HERE / "review_proposals.sql").read_text()], [BEFORE])]
