import django.db.models.deletion
from django.db import migrations, models

KEY = """
ALTER TABLE llm_budget DROP COLUMN id;
ALTER TABLE llm_budget DROP CONSTRAINT llm_budget_workspace_id_key, ADD PRIMARY KEY (workspace_id);
"""


class Migration(migrations.Migration):
    """A budget is known by its workspace: a number of its own counted those of all workspaces."""

    dependencies = [("llm", "0002_protect")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL([KEY])],
            [
                migrations.RemoveField("budget", "id"),
                migrations.AlterField(
                    "budget",
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="entities.workspace",
                    ),
                ),
            ],
        )
    ]
