"""Statements over the index tables, which have no models.

They are prepared by the server and planned once a connection: planning takes longer than most of them do. That is safe
because no plan can know how much its reader sees (labels and records are looked up while it runs); the way that suits
how much that is was chosen before, by choosing the statement.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import psycopg
from django.db import connection

from entities.access.scope import load_once

PLACE = re.compile(r"%%|%\((\w+)\)s")


def fetch_rows(
    statement: str, params: Mapping[str, Any], settings: Mapping[str, str] | None = None
) -> list[tuple[Any, ...]]:
    """All rows of a statement with named parameters, in the open transaction.

    settings: of the server, for this statement alone; all of it is one round trip.
    """
    connection.ensure_connection()
    load_once("generic plans", force_generic_plans)
    if connection.queries_logged:
        # What is one round trip is one entry of the log: settings travel with their statement.
        with connection.cursor() as open_, psycopg.Cursor(connection.connection) as beside:
            _apply_settings(beside, settings, False)
            open_.execute(statement, params)
            found = list(open_.fetchall())
            _apply_settings(beside, settings, True)
            return found
    text, names = number_params(statement)
    given = [params[name] for name in names]
    raw: Any = psycopg.RawCursor(connection.connection)
    with connection.make_cursor(raw) as open_:
        if settings:
            # What the pipeline still waits for fails when it ends: outside Django's own cursors.
            with connection.wrap_database_errors, connection.connection.pipeline(), connection.cursor() as beside:
                _apply_settings(beside, settings, False)
                open_.execute(text, given)
                _apply_settings(beside, settings, True)
        else:
            open_.execute(text, given)
        return list(open_.fetchall())


def force_generic_plans() -> None:
    """Until the transaction ends. Django's own statements before it are planned with their values where that pays: a
    partial index is of use only to a plan that knows them."""
    with psycopg.Cursor(connection.connection) as cursor:
        _apply_settings(cursor, {"plan_cache_mode": "force_generic_plan"}, False)


def _apply_settings(cursor: Any, settings: Mapping[str, str] | None, back: bool) -> None:
    """For the rest of the transaction; back: to what they are by default."""
    if settings:
        values = {name: None if back else value for name, value in settings.items()}
        made = ", ".join("set_config(%s, %s, true)" for _ in values)
        cursor.execute(f"SELECT {made}", [part for pair in values.items() for part in pair])


@lru_cache(maxsize=1_000)
def number_params(statement: str) -> tuple[str, tuple[str, ...]]:
    """A statement with the server's own places ($1, $2, …), and the names of the parameters in their order.

    psycopg reads a long statement anew each time, which takes as long as some of them run.
    """
    names: dict[str, int] = {}

    def number_param(match: re.Match[str]) -> str:
        return "%" if match[1] is None else f"${names.setdefault(match[1], len(names) + 1)}"

    return PLACE.sub(number_param, statement), tuple(names)
