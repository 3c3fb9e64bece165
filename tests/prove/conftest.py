"""Worlds, one a module: committed, or in a transaction that is never committed and may be broken on purpose."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from config.database import build_connection as connection_to
from config.postgres import SUPERUSER, Cluster
from config.roles import APP
from retrieval.owners import RESOLVERS
from tests.db_plugin import empty_tables
from tests.oracle.known_worlds import RICH
from tests.oracle.planted_world import Everything, RowsRuled, plant_everything, resolve_citing


@pytest.fixture(scope="module")
def breakable(cluster: Cluster, django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Django's connection as the application's role, put on by a superuser who can take it off again (`broken`).

    What a policy asks is the current role, so rows are shown as in production. Everything is rolled back in the end.
    """
    with django_db_blocker.unblock():
        kept = connection.settings_dict.copy()
        connection.close()
        given = connection_to(cluster.url(SUPERUSER))
        connection.settings_dict.update(given | {"OPTIONS": given["OPTIONS"] | {"assume_role": APP}})
        try:
            with transaction.atomic():
                yield
                transaction.set_rollback(True)
        finally:
            connection.close()
            connection.settings_dict.clear()
            connection.settings_dict.update(kept)


@pytest.fixture(scope="module")
def rich(cluster: Cluster, django_db_setup: None, django_db_blocker: Any) -> Iterator[Everything]:
    """The world `RICH`, committed, for all tests of a module: each restores what it takes."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("entities.types.Article.Access", RowsRuled)
        patch.setattr("retrieval.owners.RESOLVERS", [*RESOLVERS, resolve_citing])
        try:
            yield plant_everything(RICH)
        finally:
            empty_tables(cluster)


@contextmanager
def broken(statement: str) -> Iterator[None]:
    """Run `statement` as a superuser, and undo it and everything since in the end."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            cursor.execute("RESET ROLE")
            cursor.execute(statement)
            cursor.execute(f"SET ROLE {APP}")
        yield
        transaction.set_rollback(True)
