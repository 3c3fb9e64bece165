"""Deleting records that have hidden things hanging on them: what is answered, and what is left behind."""

from uuid import UUID

from django.db import connection, transaction

from config.roles import APP
from tests.prove.doors import Answer, told
from tests.prove.world import World

KEPT = {"entities_auditentry", "entities_audittext"}
"""The audit tells that there was a record of this id."""
COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = 'public' AND data_type = 'uuid' ORDER BY 1, 2
"""


def deleted(world: World, kind: str, name: str) -> tuple[Answer, list[str]]:
    """Delete a record as the administrator: the answer, and where it or what hung on it is still named. Undone."""
    pk = world.things["entity", name]
    gone = {
        made
        for (of, called), made in world.things.items()
        if of not in ("entity", "run") and hangs_on(name, of, called)
    }
    with transaction.atomic():
        response = world.people["admin"].api.delete(f"/api/entities/{kind}/{pk}/?forever=1")
        answer = told(response, response.content, pk)
        left = named_anywhere({pk, *gone})
        transaction.set_rollback(True)
    return answer, left


def hangs_on(name: str, kind: str, called: str) -> bool:
    """Whether a thing is of one of the contracts that everybody sees, and goes with it (`world.plant`)."""
    number = name.removeprefix("own")
    return (
        kind not in ("entity", "run")
        and name != number
        and (
            f"{name} " in f"{called} "
            or called == f"theirs{number} keeper"
            or kind == "reference"
            and called.endswith(number)
        )
    )


def named_anywhere(ids: set[UUID]) -> list[str]:
    """Columns, of any table, in which one of `ids` stands. Keys that wait for the commit are checked first."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("RESET ROLE")
        cursor.execute(COLUMNS)
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE "{column}" = ANY(%s)', [list(ids)])
            (count,) = cursor.fetchone()
            if count and table not in KEPT:
                found.append(f"{table}.{column}")
        cursor.execute(f"SET ROLE {APP}")
    return found
