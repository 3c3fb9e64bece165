import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from entities.rls import Protect


class Migration(migrations.Migration):
    """What a request with a key has made, and workspaces whose programs name the version that they change."""

    dependencies = [
        ("entities", "0035_wrong_passwords_by_hash"),
    ]

    operations = [
        migrations.AddField(
            model_name="workspacesettings",
            name="needs_versions",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="The API then refuses a change or deletion without If-Match.",
                verbose_name="programs say which version they change",
            ),
        ),
        migrations.CreateModel(
            name="MadeOnce",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("audience", models.BigIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("request", models.CharField(max_length=64)),
                (
                    "made",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("workspace", "audience", "digest"), name="made_once_per_key")
                ],
            },
        ),
        Protect("MadeOnce"),
    ]
