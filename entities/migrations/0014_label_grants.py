import uuid
from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

import entities.fields
from entities.rls import Protect

SQL = (Path(__file__).parent / "label_grants.sql").read_text()


class Migration(migrations.Migration):
    """One person can be cleared for an atom, for a while."""

    dependencies = [("entities", "0013_review")]

    operations = [
        migrations.CreateModel(
            "LabelGrant",
            [
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("granted_by", models.BigIntegerField(default=0)),
                ("origin", models.UUIDField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
                (
                    "membership",
                    entities.fields.WorkspaceForeignKey(related_name="label_grants", to="entities.membership"),
                ),
                ("classification", entities.fields.WorkspaceForeignKey(related_name="+", to="entities.classification")),
            ],
            options={"indexes": [models.Index(fields=["membership"], name="label_grant_membership")]},
        ),
        Protect("LabelGrant"),
        migrations.RunSQL([SQL]),
    ]
