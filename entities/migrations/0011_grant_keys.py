import uuid

from django.db import migrations, models

# One statement a table. A number cannot be cast to a UUID, and nothing points at these keys: each row gets a new one.
KEY = """
ALTER TABLE {table} DROP COLUMN id, ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD CONSTRAINT {table}_pkey PRIMARY KEY (id)
"""


def random_key(model: str) -> migrations.SeparateDatabaseAndState:
    return migrations.SeparateDatabaseAndState(
        [migrations.RunSQL([KEY.format(table=f"entities_{model}")])],
        [
            migrations.AlterField(
                model, "id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)
            )
        ],
    )


class Migration(migrations.Migration):
    """Grants are known by random keys: numbers of the whole installation would count the grants of others."""

    dependencies = [("entities", "0010_audit_chain")]

    operations = [random_key(model) for model in ("entityusergrant", "entityrolegrant", "classificationgrant")]
