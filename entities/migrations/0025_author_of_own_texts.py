from pathlib import Path

from django.db import migrations, models

SQL = (Path(__file__).parent / "own_paragraphs.sql").read_text()


class Migration(migrations.Migration):
    """Who typed a text keeps sight of it while it has no label."""

    dependencies = [("entities", "0024_invitations")]

    operations = [
        migrations.AddField("fieldparagraph", "author", models.BigIntegerField(default=0)),
        migrations.RunSQL([SQL], ["DROP FUNCTION app_own_paragraphs(uuid)"]),
    ]
