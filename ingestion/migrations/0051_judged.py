from django.db import migrations, models
from django.db.models.expressions import F, Func

from entities.fields import KeptColumn


class Migration(migrations.Migration):
    """Whether the label of a paragraph is known is a column that the database keeps."""

    dependencies = [("ingestion", "0050_switch_by_itself"), ("entities", "0034_resting")]

    operations = [
        migrations.AddField(
            "paragraph",
            "judged",
            KeptColumn(
                db_persist=True,
                expression=Func(F("votes"), function="app_is_judged"),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.AddField("filerevision", "public", models.BooleanField(db_default=False, default=False)),
        migrations.AddField(
            "filerevision", "kind", models.CharField(blank=True, db_default="", default="", max_length=20)
        ),
    ]
