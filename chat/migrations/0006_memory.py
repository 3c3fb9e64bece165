import uuid
from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

from entities.rls import AUDIENCE, LABELLED, WORKSPACE, Protect, build_policy_sql

SQL = Path(__file__).with_name("memory.sql").read_text()
CONDITION = f"{WORKSPACE} AND {LABELLED} AND {AUDIENCE}"
UNDO = [
    "DROP FUNCTION app_index_message() CASCADE",
    "DROP FUNCTION app_message_terms(text)",
    "DROP FUNCTION app_likely_config(text)",
    "DROP TABLE chat_posting",
]


class Migration(migrations.Migration):
    """The words of messages, by which a conversation finds what was said in it; and runs of evaluations of answers."""

    dependencies = [("chat", "0005_about_workspace"), ("ingestion", "0047_bin")]

    operations = [
        migrations.RunSQL([SQL], UNDO),
        migrations.RunSQL(build_policy_sql("chat_posting", CONDITION, CONDITION), []),
        migrations.CreateModel(
            name="AnswerRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("set_name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64)),
                ("reader", models.CharField(max_length=200)),
                ("model", models.CharField(blank=True, max_length=100)),
                ("commit", models.CharField(blank=True, max_length=60)),
                ("figures", models.JSONField(default=dict)),
                ("scores", models.JSONField(default=dict)),
                ("seconds", models.FloatField()),
                ("dropped", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["workspace", "set_name", "created_at"], name="answer_runs_of_set")]
            },
        ),
        Protect("AnswerRun"),
    ]
