from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect

SQL = (Path(__file__).parent / "versions.sql").read_text()


class Migration(migrations.Migration):
    """Versions of files: what changed with each, and what is remembered of paragraphs that went."""

    dependencies = [
        ("entities", "0012_labels_once"),
        ("ingestion", "0023_read_off_pictures"),
    ]

    operations = [
        migrations.AddField(
            model_name="filerevision",
            name="accounted",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="filerevision",
            name="attachments",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="filerevision",
            name="inputs",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="filerevision",
            name="restored_by",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="filerevision",
            name="restores",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="paragraph",
            name="relabelled",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(), default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="paragraph",
            name="since",
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.CreateModel(
            name="PastParagraph",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("paragraph", models.UUIDField()),
                ("digest", models.CharField(max_length=64)),
                ("data_classification", entities.fields.LabelField(null=True)),
                ("floor", entities.fields.LabelField(default=0)),
                ("votes", models.JSONField(default=list)),
                ("since", models.PositiveIntegerField()),
                ("until", models.PositiveIntegerField()),
                (
                    "relabelled",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), default=list, size=None
                    ),
                ),
                ("file", entities.fields.WorkspaceForeignKey(related_name="+", to="ingestion.file")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["file", "digest"], name="ingestion_p_file_id_42d00b_idx")],
            },
        ),
        Protect("PastParagraph"),
        migrations.RunSQL([SQL], ["DROP FUNCTION app_cleared_since(uuid, integer)"]),
    ]
