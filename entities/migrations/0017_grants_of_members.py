from django.db import migrations

# Of people who left before the grants went with the membership.
LEFT = """
DELETE FROM entities_entityusergrant g WHERE NOT EXISTS (
  SELECT 1 FROM entities_membership m WHERE m.workspace_id = g.workspace_id AND m.user_id = g.user_id);
"""
KEY = """
ALTER TABLE entities_entityusergrant ADD CONSTRAINT entities_entityusergrant_user_id_ws
  FOREIGN KEY (workspace_id, user_id) REFERENCES entities_membership (workspace_id, user_id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):
    """A grant to a person is to a member, and goes with the membership: who joins again starts without it."""

    dependencies = [("entities", "0016_seen")]

    operations = [migrations.RunSQL([LEFT, KEY], migrations.RunSQL.noop)]
