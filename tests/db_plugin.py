"""The database of a test run: an embedded cluster in a throw-away CLEARANCE_HOME (tests/settings.py).

The schema is made by the owner of the tables; tests run as the application's role, which row-level security binds.
"""

import fcntl
import gc
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import TransactionTestCase
from psycopg import sql

from config.database import as_owner
from config.postgres import SUPERUSER, Cluster
from config.roles import APP, OWNER
from tests import migrated
from tests.settings import PREFIX

# What `migrate` fills and no test changes.
KEPT = ["django_migrations", "django_content_type", "auth_permission"]
LARGE = 500_000
"""Bytes of one table."""
TRIES = 5
YOUNG, DAY = 3_600, 86_400  # seconds
CLUSTER = Cluster(settings.CLEARANCE_HOME, durable=False)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        sweep_leftovers()


def sweep_leftovers() -> None:
    """Remove what killed test runs left behind: nobody holds their cluster, or they were gone before they had one.

    Once a run, before its workers start. Other runs may be starting or ending meanwhile: what is young is left
    alone, and what disappears under our hands is somebody else's to remove.
    """
    now = time.time()
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):
            holders = home / "postgres" / "holders"
            age = now - home.stat().st_mtime
            if home == settings.CLEARANCE_HOME or age < (YOUNG if holders.exists() else DAY):
                continue
            if not holders.exists() or stopped(home, holders):
                shutil.rmtree(home, ignore_errors=True)


def stopped(home: Path, holders: Path) -> bool:
    """Whether nobody holds the cluster of this home; it is stopped then."""
    with holders.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        Cluster(home).stop()
        return True


@pytest.fixture(scope="session")
def cluster(django_test_environment: None, django_db_blocker: Any) -> Iterator[Cluster]:
    """The running cluster of this test run, migrated."""
    with migrated.lock_migration():
        done = migrated.take(CLUSTER)
        release = CLUSTER.hold()
        if not done:
            with django_db_blocker.unblock():
                with as_owner(), uncollected():
                    call_command("migrate", verbosity=0, interactive=False)
                connection.close()
            migrated.keep(CLUSTER)
    yield CLUSTER
    connection.close()
    release()
    shutil.rmtree(CLUSTER.home, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(cluster: Cluster) -> Iterator[None]:
    """Replaces pytest-django's: the throw-away cluster's own database is used, not a second one beside it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda test: empty_tables(cluster))
        # A connection that is new has to read the catalogue again, which takes as long as making two people.
        patch.setattr(TransactionTestCase, "_should_reload_connections", lambda test: False)
        yield


@contextmanager
def uncollected() -> Iterator[None]:
    """Without collecting garbage: Django makes all models anew for every migration, and a third of the time would go
    into looking for what may go.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def empty_tables(cluster: Cluster) -> None:
    """Django's flush names the tables of models only and runs as its own connection, which may not truncate here.

    Truncating 70 tables makes 300 files anew, which takes a third of a second: rows are deleted instead, without
    triggers, and what a table leaves behind is removed when it has grown. Whoever still writes is waited for; where a
    server that runs on holds what this waits for and waits for what this holds, PostgreSQL ends this transaction, and
    it is tried again.
    """
    if connection.connection is None or connection.in_atomic_block or connection.connection.broken:
        connection.close()
    for attempt in range(TRIES):
        try:
            delete_rows(open_superuser(cluster))
            return
        except (psycopg.errors.DeadlockDetected, psycopg.OperationalError):
            if attempt + 1 == TRIES:
                raise


SUPERUSER_CONNECTIONS: dict[Path, psycopg.Connection] = {}


def open_superuser(cluster: Cluster) -> psycopg.Connection:
    """One connection for all tests: connecting takes longer than what it is for."""
    known = SUPERUSER_CONNECTIONS.get(cluster.home)
    if known is None or known.closed:
        known = psycopg.connect(cluster.url(SUPERUSER), autocommit=True)
        SUPERUSER_CONNECTIONS[cluster.home] = known
    return known


def delete_rows(database: psycopg.Connection) -> None:
    tables = database.execute(
        "SELECT tablename, pg_relation_size(format('public.%%I', tablename)::regclass) FROM pg_tables"
        " WHERE schemaname = 'public' AND tablename <> ALL(%s)",
        [KEPT],
    ).fetchall()
    names = {name: sql.Identifier(name) for name, size in tables}
    filled = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(sql.Literal(name), names[name]) for name in names
    )
    with database.transaction():
        database.execute("SET LOCAL lock_timeout = '20s'")
        database.execute(sql.SQL("LOCK TABLE {}").format(sql.SQL(", ").join(names.values())))
        database.execute("SET LOCAL session_replication_role = replica")
        rows = database.execute(filled).fetchall()
        if rows:
            statements = [sql.SQL("DELETE FROM {}").format(names[name]) for (name,) in rows]
            database.execute(sql.SQL("; ").join(statements))
    for name, size in tables:
        if size > LARGE:
            database.execute(sql.SQL("VACUUM {}").format(names[name]))


def connected(cluster: Cluster, role: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(cluster.url(role), autocommit=True) as raw:
        yield raw


POOL = {"min_size": 1, "max_size": 16, "timeout": 20}
POOLS: dict[str, Any] = {}
"""Those of the fixture `connection_pool`, by Django's alias, while no test uses them."""


@pytest.fixture(scope="session")
def session_pools(cluster: Cluster) -> Iterator[dict[str, Any]]:
    yield POOLS
    for pool in POOLS.values():
        pool.close()


@pytest.fixture
def connection_pool(transactional_db: None, session_pools: dict[str, Any]) -> Iterator[None]:
    """Connections are given back to a pool when they are closed, as in the web server.

    Threads take theirs anew for each step, and one that is new has to read the catalogue and to plan every statement:
    two thirds of the database's time in a turn. All tests that ask for it share one pool; who wants their own does
    not see it.
    """
    options = connection.settings_dict["OPTIONS"]
    known = DatabaseWrapper._connection_pools
    connection.close()
    options["pool"] = POOL
    known.update(session_pools)
    yield
    connection.close()
    for alias, pool in known.items():
        # Who gives a connection back after this test closes it, for the alias has no pool then, and the pool would miss
        # it for ever: a pool of which any is out is not used again.
        if is_whole(pool):
            session_pools[alias] = pool
        else:
            session_pools.pop(alias, None)
            pool.close()
    known.clear()
    del options["pool"]


def is_whole(pool: Any, seconds: float = 2.0) -> bool:
    """Whether every connection of the pool is given back, soon."""
    deadline = time.monotonic() + seconds
    while (stats := pool.get_stats())["pool_size"] > stats["pool_available"]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def owner_connection(cluster: Cluster, transactional_db: None) -> Iterator[psycopg.Connection]:
    """A raw connection, outside Django and its transactions, as the owner of the tables (autocommit)."""
    yield from connected(cluster, OWNER)


@pytest.fixture
def app_connection(cluster: Cluster, transactional_db: None) -> Iterator[psycopg.Connection]:
    """A raw connection as the application's role (autocommit): what SQL injection would have in its hands."""
    yield from connected(cluster, APP)


@pytest.fixture
def superuser_connection(cluster: Cluster) -> Iterator[psycopg.Connection]:
    yield from connected(cluster, SUPERUSER)
