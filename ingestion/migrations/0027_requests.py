import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect

HIDDEN = """
-- The label of a passage that the caller may not read and may hear of, in a file whose record they may see; else NULL.
CREATE FUNCTION app_hidden_passage(wanted uuid, passage uuid) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.data_classification FROM ingestion_paragraph p
  WHERE p.workspace_id = app_workspace() AND p.file_id = wanted AND p.id = passage AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
$$
"""


class Migration(migrations.Migration):
    """Requests to be cleared, to stewards."""

    dependencies = [
        ("entities", "0014_label_grants"),
        ("ingestion", "0026_quarantine"),
    ]

    operations = [
        migrations.CreateModel(
            name="AccessRequest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("requester", models.BigIntegerField()),
                ("passage", models.UUIDField(null=True)),
                ("atoms", django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ("has_message", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Waiting"),
                            ("granted", "Granted"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("decided_by", models.BigIntegerField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("until", models.DateTimeField(null=True)),
                ("told_at", models.DateTimeField(null=True)),
                ("entity", entities.fields.WorkspaceForeignKey(related_name="+", to="entities.entity")),
                ("file", entities.fields.WorkspaceForeignKey(null=True, related_name="+", to="ingestion.file")),
                ("membership", entities.fields.WorkspaceForeignKey(related_name="+", to="entities.membership")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AccessMessage",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("requester", models.BigIntegerField()),
                ("text", models.TextField()),
                ("data_classification", entities.fields.LabelField(null=True)),
                ("floor", entities.fields.LabelField(default=0)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
                ("request", entities.fields.WorkspaceForeignKey(related_name="+", to="ingestion.accessrequest")),
            ],
        ),
        migrations.AddIndex(
            model_name="accessrequest",
            index=models.Index(fields=["workspace", "state"], name="ingestion_a_workspa_67e4ee_idx"),
        ),
        migrations.AddIndex(
            model_name="accessrequest",
            index=models.Index(fields=["requester", "created_at"], name="ingestion_a_request_640734_idx"),
        ),
        migrations.AddConstraint(
            model_name="accessmessage",
            constraint=models.UniqueConstraint(fields=("request",), name="one_message_per_request"),
        ),
        Protect("AccessRequest", target=True),
        Protect("AccessMessage"),
        migrations.RunSQL([HIDDEN], ["DROP FUNCTION IF EXISTS app_hidden_passage(uuid, uuid)"]),
    ]
