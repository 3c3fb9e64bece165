import sys

import pytest

from config import health


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch):
    monkeypatch.setattr(health, "_last", None)


def test_alive_needs_no_database(client):
    assert client.get("/healthz").status_code == 200


def test_ready_with_database_migrations_policies_and_broker(client, transactional_db):
    answer = client.get("/readyz")
    assert answer.json() == {
        "ready": True,
        "checks": {"database": True, "migrations": True, "row_level_security": True, "broker": True, "sandbox": True},
        "sandbox": "full" if sys.platform == "linux" else "weak",
    }
    assert answer.status_code == 200


FORCED = "ALTER TABLE bare ENABLE ROW LEVEL SECURITY; ALTER TABLE bare FORCE ROW LEVEL SECURITY; "


@pytest.mark.parametrize(
    ("statements", "ready"),
    [
        # As a concrete type's table is before ProtectType: the column of the workspace is what it would add.
        ("CREATE TABLE bare (entity_ptr_id uuid PRIMARY KEY, authority text)", False),
        ("CREATE TABLE bare (id int, workspace_id int)", False),
        ("CREATE MATERIALIZED VIEW bare AS SELECT 1 AS workspace_id", False),
        ("CREATE TABLE bare (workspace_id int); ALTER TABLE bare ENABLE ROW LEVEL SECURITY", False),
        (f"CREATE TABLE bare (workspace_id int); {FORCED} CREATE POLICY open ON bare USING (true)", False),
        (
            f"CREATE TABLE bare (workspace_id int); {FORCED}"
            "CREATE POLICY scope ON bare USING (workspace_id = app_workspace()); "
            "CREATE POLICY more ON bare FOR INSERT TO clearance_app WITH CHECK (true)",
            False,
        ),
        (
            f"CREATE TABLE bare (workspace_id int); {FORCED}"
            "CREATE POLICY owner_all ON bare TO clearance_owner USING (true) WITH CHECK (true); "
            "CREATE POLICY scope ON bare USING (workspace_id = app_workspace())",
            True,
        ),
    ],
)
def test_ready_only_while_every_table_is_bound_to_its_workspace(client, owner_connection, statements, ready):
    owner_connection.execute(statements)
    kind = "MATERIALIZED VIEW" if "MATERIALIZED" in statements else "TABLE"
    try:
        answer = client.get("/readyz")
    finally:
        owner_connection.execute(f"DROP {kind} bare")
    assert answer.status_code == (200 if ready else 503)
    assert answer.json()["checks"]["row_level_security"] is ready


def test_not_ready_with_unapplied_migrations(client, owner_connection):
    row = owner_connection.execute(
        "DELETE FROM django_migrations WHERE id = (SELECT max(id) FROM django_migrations) RETURNING app, name, applied"
    ).fetchone()
    try:
        answer = client.get("/readyz")
    finally:
        owner_connection.execute("INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", row)
    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] is False


def test_not_ready_without_broker_and_says_nothing_of_the_error(client, transactional_db, settings):
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"conn_string": "host=/nonexistent dbname=secret-name"}
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {
        "database": True,
        "migrations": True,
        "row_level_security": True,
        "broker": False,
        "sandbox": True,
    }
    assert b"secret-name" not in answer.content
