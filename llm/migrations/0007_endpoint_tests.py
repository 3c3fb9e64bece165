import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from entities.rls import Protect


class Migration(migrations.Migration):
    """A model is tested by a worker."""

    dependencies = [
        ("entities", "0037_stewards_alone"),
        ("llm", "0006_endpoint_findings"),
    ]

    operations = [
        migrations.CreateModel(
            name="EndpointTest",
            fields=[
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="entities.workspace",
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waits for a worker"),
                            ("running", "Runs"),
                            ("stopping", "Is stopped with its next step"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("saves", models.BooleanField(default=False)),
                (
                    "api",
                    models.CharField(
                        choices=[
                            ("anthropic", "Anthropic’s Messages API"),
                            ("openai", "OpenAI’s Chat Completions API"),
                        ],
                        default="anthropic",
                        max_length=12,
                    ),
                ),
                ("base_url", models.CharField(blank=True, max_length=300)),
                ("model", models.CharField(blank=True, max_length=80)),
                ("deep_model", models.CharField(blank=True, max_length=80)),
                ("sealed_key", models.TextField(blank=True)),
                ("model_now", models.CharField(blank=True, max_length=80)),
                ("step", models.CharField(blank=True, max_length=12)),
                ("step_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("results", models.JSONField(blank=True, default=list)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("started_by", models.BigIntegerField()),
            ],
        ),
        Protect("EndpointTest"),
    ]
