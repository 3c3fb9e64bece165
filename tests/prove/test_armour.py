"""The armour of the database (docs/proof.md, part 5): the catalogue, and a break of each kind that it must tell."""

import psycopg
import pytest

from config.roles import APP, OWNER
from tests.prove.armour import violations

pytestmark = pytest.mark.prove

BREAKS = {
    "a policy without FORCE": "ALTER TABLE entities_entity NO FORCE ROW LEVEL SECURITY",
    "row-level security switched off": "ALTER TABLE chat_message DISABLE ROW LEVEL SECURITY",
    "a policy that is gone": "DROP POLICY scope ON references_reference",
    "a second policy, which adds rows": "CREATE POLICY more ON ingestion_paragraph FOR SELECT USING (true)",
    "a policy without the label": "ALTER POLICY scope ON ingestion_contextrow"
    " USING (workspace_id = (SELECT app_workspace()))",
    "a policy without the floor": "ALTER POLICY scope ON ingestion_paragraph USING (workspace_id = (SELECT"
    " app_workspace()) AND (data_classification = ANY((SELECT app_allowed())::int[])"
    " OR (data_classification IS NULL AND (SELECT app_unlabelled()))))",
    "a policy that lets everything in": "ALTER POLICY scope ON pulse_pulse WITH CHECK (true)",
    "the owner's policy for everybody": "ALTER POLICY owner_all ON entities_role TO PUBLIC",
    "an audit that can be changed": "CREATE POLICY scope_update ON entities_auditentry FOR UPDATE USING (true)",
    "a new table without protection": "CREATE TABLE entities_forgotten (workspace_id integer, text text)",
    "a protected table of no migration": "CREATE TABLE stray (workspace_id integer);"
    " ALTER TABLE stray ENABLE ROW LEVEL SECURITY; ALTER TABLE stray FORCE ROW LEVEL SECURITY",
    "a view, which reads as its owner": "CREATE VIEW every_entity AS SELECT * FROM entities_entity",
    "a superuser": f"ALTER ROLE {APP} SUPERUSER",
    "a role that bypasses": f"ALTER ROLE {APP} BYPASSRLS",
    "a role that makes roles": f"ALTER ROLE {APP} CREATEROLE",
    "a member of the owner": f"GRANT {OWNER} TO {APP}",
    "a role that starts as a service": f"ALTER ROLE {APP} SET app.service = 'on'",
    "a table that the application owns": f"ALTER TABLE entities_alias OWNER TO {APP}",
    "a function that the application owns": f"ALTER FUNCTION app_words(text) OWNER TO {APP}",
    "an application that truncates": f"GRANT TRUNCATE ON entities_auditentry TO {APP}",
    "an audit that is rewritten": f"GRANT UPDATE ON entities_auditentry TO {APP}",
    "an audit that is thinned out": f"GRANT DELETE ON entities_auditentry TO {APP}",
    "words of the audit that are rewritten": f"GRANT UPDATE ON entities_audittext TO {APP}",
    "words of the audit that are removed": f"GRANT DELETE ON entities_audittext TO {APP}",
    "a chain that the application makes": f"GRANT INSERT ON entities_auditlink TO {APP}",
    "a chain that the application seals": f"GRANT UPDATE ON entities_auditlink TO {APP}",
    "a chain that the application cuts": f"GRANT DELETE ON entities_auditlink TO {APP}",
    "one column of the audit": f"GRANT UPDATE (detail) ON entities_auditentry TO {APP}",
    "an application that writes of the audit": "GRANT EXECUTE ON FUNCTION app_audit_door(text, bigint[], text)"
    f" TO {APP}",
    "a table for everybody": "GRANT SELECT ON entities_entity TO PUBLIC",
    "an application that creates": f"GRANT CREATE ON SCHEMA public TO {APP}",
    "a function for everybody": "GRANT EXECUTE ON FUNCTION app_hidden_paragraphs(uuid) TO PUBLIC",
    "a search path that can be chosen": "ALTER FUNCTION app_allowed_now() RESET search_path",
    "a function that runs as its owner": "ALTER FUNCTION app_words(text) SECURITY DEFINER"
    " SET search_path = public, pg_temp",
    "a key that is gone": "ALTER TABLE references_reference DROP CONSTRAINT references_reference_target_id_ws",
    "a key without the workspace": "ALTER TABLE chat_session DROP CONSTRAINT chat_session_entity_id_ws,"
    " ADD FOREIGN KEY (entity_id) REFERENCES entities_entity (id)",
    "a key that nobody checked": "ALTER TABLE chat_turn DROP CONSTRAINT chat_turn_session_id_ws, ADD CONSTRAINT"
    " chat_turn_session_id_ws FOREIGN KEY (workspace_id, session_id)"
    " REFERENCES chat_session (workspace_id, id) NOT VALID",
    "a label that is none of the workspace's": "ALTER TABLE pulse_pulse"
    " DROP CONSTRAINT pulse_pulse_data_classification_ws",
    "a grant to a role of another workspace": "ALTER TABLE entities_entityrolegrant"
    " DROP CONSTRAINT entities_entityrolegrant_group_id_ws",
    "a grant to who left": "ALTER TABLE entities_entityusergrant DROP CONSTRAINT entities_entityusergrant_user_id_ws",
    "keys switched off": "ALTER TABLE ingestion_file DISABLE TRIGGER ALL",
    "a cascade switched off": "ALTER TABLE entities_contract DISABLE TRIGGER delete_base",
    "a cascade that is gone": "DROP TRIGGER forget_pulses ON entities_entity",
    "an audit without its guard": "DROP TRIGGER guard ON entities_auditentry",
    "an audit without labels": "DROP TRIGGER label ON entities_audittext",
    "an audit without digests": "DROP TRIGGER digest ON entities_auditentry",
    "an audit without seals": "DROP TRIGGER seal ON entities_auditlink",
    "an audit that seals nothing": "DROP TRIGGER seal ON entities_auditlink; CREATE CONSTRAINT TRIGGER seal"
    " AFTER INSERT ON entities_auditlink DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (false)"
    " EXECUTE FUNCTION app_audit_seal()",
    "a guard of another function": "DROP TRIGGER guard ON entities_auditentry; CREATE TRIGGER guard"
    " BEFORE INSERT ON entities_auditentry FOR EACH ROW EXECUTE FUNCTION app_text_is_final()",
    "a trigger that nobody listed": "CREATE TRIGGER more AFTER DELETE ON entities_entity FOR EACH ROW"
    " EXECUTE FUNCTION app_text_is_final()",
}


def test_the_catalogue_is_as_it_must_be(db: None, superuser_connection: psycopg.Connection) -> None:
    assert violations(superuser_connection) == []


@pytest.mark.parametrize("named", BREAKS)
def test_control_a_broken_catalogue_is_told(db: None, superuser_connection: psycopg.Connection, named: str) -> None:
    with superuser_connection.transaction(force_rollback=True):
        superuser_connection.execute(BREAKS[named].encode())
        assert violations(superuser_connection)
