import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect


class Migration(migrations.Migration):
    """Working over what is stale."""

    dependencies = [
        ("entities", "0012_labels_once"),
        ("ingestion", "0024_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="file",
            name="redo",
            field=models.CharField(
                blank=True,
                choices=[("", "Nothing"), ("stale", "What has changed since"), ("all", "Everything")],
                default="",
                max_length=5,
            ),
        ),
        migrations.CreateModel(
            name="Requalification",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("everything", models.BooleanField(default=False)),
                ("share", models.FloatField(default=1.0)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-started_at"],
            },
        ),
        migrations.CreateModel(
            name="RequalifiedFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveIntegerField()),
                ("canary", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("started", "Begun"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("left", "Left out"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                (
                    "causes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=12), default=list, size=None
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("before", models.BinaryField(null=True)),
                ("paragraphs", models.PositiveIntegerField(default=0)),
                ("changed", models.PositiveIntegerField(default=0)),
                ("gained", models.JSONField(default=dict)),
                ("waiting", models.JSONField(default=dict)),
                ("data_classification", entities.fields.LabelField(null=True)),
                ("floor", entities.fields.LabelField()),
                ("file", entities.fields.WorkspaceForeignKey(related_name="+", to="ingestion.file")),
                ("run", entities.fields.WorkspaceForeignKey(related_name="+", to="ingestion.requalification")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.AddConstraint(
            model_name="requalification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("workspace",), name="one_open_requalification"
            ),
        ),
        migrations.AddConstraint(
            model_name="requalifiedfile",
            constraint=models.UniqueConstraint(fields=("run", "file"), name="one_requalified_file"),
        ),
        migrations.AddConstraint(
            model_name="requalifiedfile",
            constraint=models.CheckConstraint(
                condition=models.Q(("data_classification", None)), name="requalified_has_no_label"
            ),
        ),
        Protect("Requalification", target=True),
        Protect("RequalifiedFile"),
    ]
