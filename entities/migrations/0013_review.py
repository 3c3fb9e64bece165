from pathlib import Path

from django.db import migrations, models
from django.db.models.expressions import F, Func

from entities.fields import KeptColumn

SQL = (Path(__file__).parent / "review.sql").read_text()


class Migration(migrations.Migration):
    """What waits for a steward's decision is a column that the database keeps."""

    dependencies = [("entities", "0012_labels_once")]

    operations = [
        migrations.RunSQL([SQL], ["DROP FUNCTION app_review_causes(jsonb, integer)"]),
        migrations.AddField(
            "fieldparagraph",
            "review",
            KeptColumn(
                db_persist=True,
                expression=Func(F("votes"), F("data_classification"), function="app_review_causes"),
                output_field=models.SmallIntegerField(),
            ),
        ),
        migrations.AddIndex(
            "fieldparagraph",
            models.Index(
                condition=models.Q(("review", 0), _negated=True),
                fields=["workspace", "entity"],
                name="field_paragraph_review",
            ),
        ),
    ]
