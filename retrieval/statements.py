"""Statements over the index tables, whose tables have no models."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from retrieval.gate import Gate


def filled(statement: str, gate: Gate, **parts: str) -> str:
    """A statement with `{ctes}`, `{cleared}` and `{condition}` of a gate in their places."""
    return statement.format(ctes=gate.ctes, cleared=gate.cleared, condition=gate.condition, **parts)


def rows_of(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
