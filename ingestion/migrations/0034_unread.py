from pathlib import Path

from django.db import migrations, models

SQL = (Path(__file__).parent / "unread.sql").read_text()


class Migration(migrations.Migration):
    """The original of a file asks for clearance of what an earlier reading of the same bytes found in it."""

    dependencies = [("ingestion", "0033_put_aside")]

    operations = [
        migrations.AddField("pastparagraph", "unread", models.BooleanField(db_default=False, default=False)),
        migrations.RunSQL([SQL]),
    ]
