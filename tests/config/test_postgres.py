"""The embedded cluster: it starts again after anything, and its roles can do only what they must."""

import os
import signal
import subprocess
import sys
import time

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from config.postgres import LONGEST_SOCKET, SUPERUSER, Cluster, DatabaseError
from config.roles import APP, MQ, OWNER
from tests.homes import make_home


@pytest.fixture
def home():
    with make_home() as home:
        yield home


@pytest.fixture(scope="module")
def shared():
    """One cluster for the tests that leave it as they found it: stopped, and held by nobody."""
    with make_home() as home:
        yield home


def answers(cluster):
    with psycopg.connect(cluster.url(APP), connect_timeout=5) as app:
        return app.execute("SELECT current_user").fetchone() == (APP,)


def test_django_is_the_application_role(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("clearance_app",)


def test_roles_are_bound_by_row_level_security(superuser_connection):
    rows = superuser_connection.execute(
        "SELECT rolname, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = ANY(%s)",
        [[OWNER, APP, MQ]],
    ).fetchall()
    assert sorted(rows) == [(name, False, False, False, False) for name in sorted([OWNER, APP, MQ])]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (id int)",
        "CREATE TEMP TABLE mine (id int)",
        "CREATE SCHEMA mine",
        "ALTER TABLE django_session DISABLE ROW LEVEL SECURITY",
        "DROP TABLE django_session",
        "TRUNCATE django_session",
        "SET ROLE clearance_owner",
    ],
)
def test_application_role_changes_no_schema(app_connection, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app_connection.execute(statement)


def test_application_role_writes_rows(app_connection):
    app_connection.execute("INSERT INTO django_session VALUES ('key', 'data', now())")
    assert app_connection.execute("SELECT count(*) FROM django_session").fetchone() == (1,)


def test_sockets_and_data_are_closed_to_other_users(cluster):
    for directory in (cluster.root, cluster.data, cluster.socket_directory):
        assert directory.stat().st_mode & 0o077 == 0


def test_stays_while_somebody_holds_it_and_stops_with_the_last(shared):
    cluster = Cluster(shared)
    first, second = cluster.hold(), Cluster(shared).hold()
    first()
    assert answers(cluster)
    second()
    assert cluster.process() is None


def test_starts_after_sigkill_of_the_server_with_what_was_committed(shared):
    cluster = Cluster(shared)
    first = cluster.hold()
    with psycopg.connect(cluster.url(SUPERUSER), autocommit=True) as server:
        server.execute("CREATE TABLE kept AS SELECT 1 AS one")
    cluster.process().kill()
    time.sleep(0.2)
    second = Cluster(shared).hold()
    with psycopg.connect(cluster.url(SUPERUSER)) as server:
        assert server.execute("SELECT one FROM kept").fetchone() == (1,)
    first()
    second()


def test_starts_although_the_pid_file_names_another_process(shared):
    """After a reboot, or in a new container, the old process id may belong to anybody."""
    cluster = Cluster(shared)
    cluster.hold()()
    (cluster.data / "postmaster.pid").write_text(f"{os.getpid()}\n{cluster.data}\n1\n5432\n\n\n\n")
    release = cluster.hold()
    assert answers(cluster)
    release()


def test_initialises_again_after_being_killed_half_way_at_a_difficult_path(home):
    """With a quote, a space and a comma, and longer than a socket's may be."""
    cluster = Cluster(home / "it's here, ok" / ("a-directory-with-a-long-name-" * 4), durable=False)
    assert len(str(cluster.data)) > LONGEST_SOCKET
    (cluster.root / "data.new" / "base").mkdir(parents=True)
    release = cluster.hold()
    assert answers(cluster)
    assert not (cluster.root / "data.new").exists()
    release()


def test_holder_that_is_killed_does_not_keep_the_server(shared):
    code = "import sys, time; from pathlib import Path; from config.postgres import Cluster;"
    code += "Cluster(Path(sys.argv[1])).hold(); print('held', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(shared)], cwd=settings.BASE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGKILL)
    cluster = Cluster(shared)
    cluster.hold()()
    assert cluster.process() is None


def test_path_that_a_shell_would_expand_is_refused(home):
    with pytest.raises(DatabaseError, match="may not contain"):
        Cluster(home / "$(touch owned)", durable=False).hold()


def test_socket_directory_of_somebody_else_is_refused(home):
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    cluster = Cluster(home, durable=False)
    cluster.root.mkdir()
    os.chown(cluster.root, 12345, 12345)
    with pytest.raises(DatabaseError, match="belongs to somebody else"):
        cluster.hold()
