import uuid
from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect

SQL = (Path(__file__).parent / "text_grants.sql").read_text()
BACK = "DROP TRIGGER check_text_grant ON ingestion_textgrant; DROP FUNCTION app_granted_texts(uuid, uuid)"
STATES = [
    ("open", "Waiting"),
    ("granted", "Granted"),
    ("refused", "Declined"),
    ("withdrawn", "Withdrawn"),
    ("recalled", "Taken back"),
]
EXTENTS = [
    ("passage", "This paragraph"),
    ("file", "This file"),
    ("record", "This record"),
    ("level", "The level"),
]


class Migration(migrations.Migration):
    """A request says which paragraphs it is about, and can be granted for them, for a file or for a record."""

    dependencies = [("ingestion", "0047_bin"), ("entities", "0025_author_of_own_texts")]

    operations = [
        migrations.AlterField(
            "accessrequest", "state", models.CharField(choices=STATES, default="open", max_length=10)
        ),
        migrations.AddField("accessrequest", "field", models.CharField(blank=True, default="", max_length=64)),
        migrations.AddField("accessrequest", "revision", models.UUIDField(null=True)),
        migrations.AddField(
            "accessrequest",
            "positions",
            django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None),
        ),
        migrations.AddField(
            "accessrequest", "extent", models.CharField(choices=EXTENTS, default="level", max_length=7)
        ),
        migrations.CreateModel(
            name="TextGrant",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("extent", models.CharField(choices=EXTENTS, max_length=7)),
                (
                    "passages",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("expires_at", models.DateTimeField(null=True)),
                ("granted_by", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("classification", entities.fields.WorkspaceForeignKey(to="entities.classification")),
                ("membership", entities.fields.WorkspaceForeignKey(to="entities.membership")),
                ("request", entities.fields.WorkspaceForeignKey(to="ingestion.accessrequest")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["membership"], name="text_grant_membership")]},
        ),
        Protect("TextGrant"),
        migrations.RunSQL([SQL], [BACK]),
    ]
