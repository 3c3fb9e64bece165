"""A connection carries nothing from one request to the next (docs/proof.md, part 5)."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError, connection

from entities.access import scope as scopes
from entities.models import Entity
from entities.types import Contract
from tests.conftest import Person

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("transactional_db")]

SETTINGS = ("workspace", "principal", "service", "narrowed", "atoms")
LEFT = """
SELECT (SELECT count(*) FROM entities_entity) AS records,
  (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
  (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary_tables,
  (SELECT count(*) FROM pg_listening_channels()) AS channels,
  (SELECT count(*) FROM pg_cursors WHERE is_holdable) AS cursors,
  (current_user <> session_user)::int AS other_role
"""


@pytest.fixture
def one_connection() -> Iterator[None]:
    """A pool of one connection: every request gets what the last one left."""
    connection.close()
    kept = connection.settings_dict["OPTIONS"]
    connection.settings_dict["OPTIONS"] = {**kept, "pool": {"min_size": 1, "max_size": 1, "timeout": 10}}
    yield
    connection.close()
    connection.close_pool()
    connection.settings_dict["OPTIONS"] = kept


def left_behind() -> dict[str, Any]:
    """What the connection that the pool gives next still has of those before, and its server process."""
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
        cursor.execute("SELECT " + ", ".join(f"current_setting('app.{name}', true)" for name in SETTINGS))
        found = dict(zip(SETTINGS, cursor.fetchone(), strict=True))
        cursor.execute(LEFT)
        found |= dict(zip([column.name for column in cursor.description], cursor.fetchone(), strict=True))
    connection.close()
    return {"process": process} | {name: value for name, value in found.items() if value}


def answered(who: Person) -> None:
    assert who.client.get(f"{who.base}records/contract/").status_code == 200


def broken_in_the_view(who: Person) -> None:
    who.client.raise_request_exception = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("entities.views.render", lambda *args: 1 / 0)
        assert who.client.get(f"{who.base}records/contract/").status_code == 500


def broken_in_the_database(who: Person) -> None:
    with pytest.raises(DatabaseError), who.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def cut_off(who: Person) -> None:
    with pytest.raises(DatabaseError), who.scope.open(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)")


def swallowed(who: Person) -> None:
    """A view that catches an error of the database: its transaction is dead, and says so at the commit."""
    with who.scope.open():
        try:
            Entity.objects.raw("SELECT nosuch")[0]
        except DatabaseError:
            assert connection.connection.info.transaction_status.name == "INERROR"


WAYS = [answered, broken_in_the_view, broken_in_the_database, cut_off, swallowed]


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("way", WAYS)
def test_the_next_request_finds_nothing(alice: Person, contract: Contract, way: Callable[[Person], None]) -> None:
    process = left_behind()["process"]
    way(alice)
    assert left_behind() == {"process": process}


@pytest.mark.usefixtures("one_connection")
def test_control_settings_of_the_session_are_found(alice: Person, contract: Contract) -> None:
    plain = scopes._apply_settings

    def for_the_session(*values: str) -> bool:
        with connection.cursor() as cursor:
            for name, value in zip(SETTINGS, values, strict=False):
                cursor.execute(f"SELECT set_config('app.{name}', %s, false)", [value])
        return plain(*values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scopes, "_apply_settings", for_the_session)
        answered(alice)
        assert left_behind().keys() >= {"workspace", "records"}
