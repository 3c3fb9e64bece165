import django.db.models.deletion
from django.db import migrations, models

from entities.rls import Protect

# What workspaces use already: the model of most of their vectors.
PIN = """
INSERT INTO ingestion_workspacemodel
  (workspace_id, model_id, state, rows, missing, attempts, error, added_at, switched_at)
SELECT DISTINCT ON (workspace_id) workspace_id, model, 'current', 0, 0, 0, '', now(), now()
FROM (SELECT workspace_id, model, count(*) AS n FROM ingestion_vector GROUP BY workspace_id, model) used
ORDER BY workspace_id, n DESC, model
"""


class Migration(migrations.Migration):
    """The embedding models of each workspace (docs/adr/0020)."""

    dependencies = [("ingestion", "0011_drawn")]

    operations = [
        migrations.CreateModel(
            name="WorkspaceModel",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("current", "Used by searches"), ("beside", "Kept beside it")], max_length=8
                    ),
                ),
                ("rows", models.PositiveIntegerField(default=0)),
                ("missing", models.PositiveIntegerField(default=0)),
                ("checked_at", models.DateTimeField(null=True)),
                ("claim", models.UUIDField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                ("switched_at", models.DateTimeField(null=True)),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ingestion.vectormodel"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="entities.workspace"
                    ),
                ),
            ],
            options={
                "verbose_name": "embedding model",
                "constraints": [
                    models.UniqueConstraint(fields=("workspace", "model"), name="one_state_per_model"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "current")),
                        fields=("workspace",),
                        name="one_current_model_per_workspace",
                    ),
                ],
            },
        ),
        Protect("WorkspaceModel"),
        migrations.RunSQL([PIN]),
    ]
