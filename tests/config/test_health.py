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
        "checks": {"database": True, "migrations": True, "row_level_security": True, "broker": True},
    }
    assert answer.status_code == 200


def test_not_ready_while_a_workspace_table_is_unprotected(client, owner_connection):
    owner_connection.execute("CREATE TABLE bare (id int, workspace_id int)")
    try:
        answer = client.get("/readyz")
    finally:
        owner_connection.execute("DROP TABLE bare")
    assert answer.status_code == 503
    assert answer.json()["checks"]["row_level_security"] is False


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
    }
    assert b"secret-name" not in answer.content
