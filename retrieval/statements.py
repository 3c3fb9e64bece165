"""Statements over the index tables, which have no models.

They are prepared by the server and planned once a connection: planning takes longer than most of them do. That is safe
because no plan can know how much its reader sees (labels and records are looked up while it runs); the way that suits
how much that is was chosen before, by choosing the statement.
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import connection


def rows_of(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """All rows of a statement with named parameters, in the open transaction."""
    connection.ensure_connection()
    # Django's own cursors write the parameters into the text, so that each is another statement.
    cursor: Any = psycopg.Cursor(connection.connection)
    with connection.make_debug_cursor(cursor) if connection.queries_logged else connection.make_cursor(cursor) as open_:
        open_.execute(statement, params)
        return list(open_.fetchall())
