from typing import Any

from django.db import migrations

from ingestion.extract import language
from llm.rules import vote_by_rules

TRIGGER = """
-- What was asked for or granted of a classification goes with it; what was asked for beside it stays.
CREATE FUNCTION app_forget_asked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_accessrequest WHERE workspace_id = OLD.workspace_id AND atoms = ARRAY[OLD.value];
  UPDATE ingestion_accessrequest SET atoms = array_remove(atoms, OLD.value)
  WHERE workspace_id = OLD.workspace_id AND OLD.value = ANY(atoms);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_asked AFTER DELETE ON entities_classification
  FOR EACH ROW EXECUTE FUNCTION app_forget_asked();
"""
# What was deleted before: requests lose it, and no new classification gets a value that a vote still names.
BEFORE = """
UPDATE ingestion_accessrequest r SET atoms = ARRAY(
  SELECT c.value FROM entities_classification c
  WHERE c.workspace_id = r.workspace_id AND c.value = ANY(r.atoms) ORDER BY 1);
DELETE FROM ingestion_accessrequest WHERE atoms = '{}';
UPDATE entities_workspacesettings s SET last_gone_level = greatest(s.last_gone_level, coalesce((
  SELECT max(v.atom::text::integer) FROM (
    SELECT workspace_id, votes FROM ingestion_paragraph
    UNION ALL SELECT workspace_id, votes FROM ingestion_pastparagraph
    UNION ALL SELECT workspace_id, votes FROM entities_fieldparagraph) p,
  LATERAL (SELECT jsonb_path_query(p.votes, '$[*].labels[*]') AS atom
           UNION ALL SELECT jsonb_path_query(p.votes, '$[*].over[*]')) v
  WHERE p.workspace_id = s.workspace_id), 0));
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""
TAKEN_BACK = "(Taken back at an upgrade: it said what needs a clearance.)"
BACK = "DROP TRIGGER forget_asked ON entities_classification; DROP FUNCTION app_forget_asked()"


def take_back(apps: Any, editor: Any) -> None:
    """Reasons that would be refused today were shown to whoever saw the request."""
    rows = apps.get_model("ingestion", "AccessRequest").objects.exclude(reason="")
    for pk, reason in rows.values_list("pk", "reason"):
        if vote_by_rules(reason, language.guess_language(reason)).atoms:
            rows.filter(pk=pk).update(reason=TAKEN_BACK)


class Migration(migrations.Migration):
    """Requests go with the classification that they ask for, and say nothing that needs one."""

    dependencies = [("ingestion", "0039_floor_and_removed"), ("entities", "0020_levels_once")]

    operations = [
        migrations.RunSQL([TRIGGER, BEFORE], [BACK]),
        migrations.RunPython(take_back, migrations.RunPython.noop),
    ]
