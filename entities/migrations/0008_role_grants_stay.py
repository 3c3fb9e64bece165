from django.db import migrations

KEYS = """
ALTER TABLE entities_role ADD CONSTRAINT entities_role_group_ws_key UNIQUE (workspace_id, group_id);
ALTER TABLE entities_entityrolegrant ADD CONSTRAINT entities_entityrolegrant_group_id_ws
  FOREIGN KEY (workspace_id, group_id) REFERENCES entities_role (workspace_id, group_id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):
    """A grant to a role names a role of its own workspace: Django's groups have none that a key could pair."""

    dependencies = [("entities", "0007_floors")]

    operations = [migrations.RunSQL([KEYS], migrations.RunSQL.noop)]
