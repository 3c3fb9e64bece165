"""Settings: every variable is documented, and addresses become what Django and Celery expect."""

import logging
import re

import pytest
from django.conf import settings
from django.db import DatabaseError
from django.db import connection as database
from psycopg.conninfo import conninfo_to_dict

from config.database import build_broker, build_connection, build_url_for_role
from config.logs import WithoutDetail, WithoutQuery
from config.settings import build_storage


def test_every_environment_variable_is_documented():
    sources = [*(settings.BASE / "config").glob("*.py"), settings.BASE / "manage.py"]
    setting = re.compile(r'"((?:CLEARANCE|DATABASE|ANTHROPIC|OPENAI)_\w+)"')
    names = {name for path in sources for name in setting.findall(path.read_text())}
    documented = (settings.BASE / "docs" / "deployment.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in documented] == []


def test_database_address_with_tls_parameters():
    entry = build_connection("postgresql://app:p%40ss@db.example.com:6432/clearance?sslmode=verify-full", pool=4)
    assert (entry["USER"], entry["PASSWORD"], entry["HOST"], entry["PORT"]) == ("app", "p@ss", "db.example.com", "6432")
    assert entry["OPTIONS"]["sslmode"] == "verify-full"
    assert entry["OPTIONS"]["pool"]["max_size"] == 4


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "pgmq://mq:p%40ss@db.example.com/clearance?sslmode=require",
            {"user": "mq", "password": "p@ss", "host": "db.example.com", "dbname": "clearance", "sslmode": "require"},
        ),
        ("postgresql://mq@/clearance?host=%2Frun%2Fpg", {"user": "mq", "host": "/run/pg", "dbname": "clearance"}),
    ],
)
def test_broker_in_postgresql(url, expected):
    address, options = build_broker(url)
    assert address == "pgmq://"
    assert expected.items() <= conninfo_to_dict(options["conn_string"]).items()


def test_broker_elsewhere_is_passed_on():
    assert build_broker("amqp://user:pass@queue.example.com//") == ("amqp://user:pass@queue.example.com//", {})


def test_broker_beside_an_external_database_is_its_own_role_without_the_applications_password():
    address = build_url_for_role("postgresql://app:secret@db.example.com/clearance", "clearance_mq")
    assert conninfo_to_dict(address) == {"user": "clearance_mq", "host": "db.example.com", "dbname": "clearance"}


def test_storage_in_a_directory_and_in_s3():
    assert build_storage("/data/files")["OPTIONS"] == {"location": "/data/files"}
    entry = build_storage("s3://bucket/some/prefix?region_name=eu-central-1")
    assert entry["OPTIONS"] == {"bucket_name": "bucket", "location": "some/prefix", "region_name": "eu-central-1"}


@pytest.mark.parametrize("part", ["/w/acme/search/?q=salary of Jane", "GET /w/acme/search/?q=salary HTTP/1.1"])
def test_access_log_carries_no_search_words(part, caplog):
    record = logging.LogRecord("uvicorn.access", logging.INFO, "", 0, "%s %s", ("127.0.0.1", part), None)
    WithoutQuery().filter(record)
    assert "salary" not in record.getMessage()
    assert "/w/acme/search/" in record.getMessage()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DO $$ BEGIN RAISE 'no such thing' USING DETAIL = E'Failing row: salary of\nJane.'; END $$", "no such thing"),
        ("SELECT no_such_thing('salary of\nJane')", "function no_such_thing(unknown) does not exist"),
    ],
)
def test_tracebacks_carry_no_row_and_no_statement_of_the_database(db, statement, says):
    with pytest.raises(DatabaseError) as caught, database.cursor() as cursor:
        cursor.execute(statement)

    def told(formatter: logging.Formatter) -> str:
        error = caught.type, caught.value, caught.tb
        return formatter.format(logging.LogRecord("x", logging.ERROR, "", 0, "broken", None, error))

    assert "salary of" in told(logging.Formatter())
    assert settings.LOGGING["formatters"]["line"]["()"] == "config.logs.WithoutDetail"
    shown = told(WithoutDetail())
    assert "salary" not in shown
    assert "Jane" not in shown
    assert shown.count(says) == 2, "both errors of the chain are there"


def script_source(response):
    policy = response.headers["Content-Security-Policy"]
    return next(part.strip() for part in policy.split(";") if part.strip().startswith("script-src"))


def test_pages_run_only_our_own_scripts(client, db):
    assert script_source(client.get("/sign-in/")) == "script-src 'self'"


@pytest.mark.parametrize("path", ["/w/admin/contract/", "/w/acme/contract/admin/"])
def test_only_the_admin_site_has_the_looser_policy(client, db, path):
    assert script_source(client.get(path)) == "script-src 'self'"
    assert "unsafe-eval" in script_source(client.get("/w/acme/admin/"))
