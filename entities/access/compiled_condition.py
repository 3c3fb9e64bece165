"""Conditions that Django puts together once, on records and on what is drawn from them: in each statement that asks one
it would take milliseconds, longer than most of the statements themselves.
"""

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import BooleanField, Expression, F, Model, Q

MAX_CONDITIONS = 1_000
COMPILED_CONDITIONS: dict[tuple[object, ...], tuple[Q, tuple[object, ...]]] = {}
ALIAS = re.compile(r'"[^"]*"|\b(_*[T-Z]\d+)\b')


class CompiledCondition(Expression):
    """The text of a condition, in which the columns of its table stand as the statement around it names them."""

    output_field = BooleanField()

    def __init__(self, text: str, params: tuple[Any, ...], table: str) -> None:
        # Of the row itself: tables of subqueries have aliases, U0 and on.
        self.text, self.params, self.column = text, params, re.compile(rf'"{table}"\."(\w+)"')
        self.names = sorted(set(self.column.findall(text)))
        self.columns: list[Any] = [F("pk" if name == "id" else name) for name in self.names]

    def get_source_expressions(self) -> list[Any]:
        return self.columns

    def set_source_expressions(self, exprs: Any) -> None:
        self.columns = list(exprs)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        here = {name: compiler.compile(column)[0] for name, column in zip(self.names, self.columns, strict=True)}
        return self.column.sub(lambda found: here[found[1]], self.text), self.params


def compile_once(
    key: tuple[object, ...], rules: tuple[object, ...], condition: Callable[[], Q], model: type[Model] | None = None
) -> Q:
    """`condition()` on rows of `model` (None: of records), which depends on `key` and the types' rules alone; they are
    kept alive, so that no others get their ids.
    """
    key = (*key, *map(id, rules))
    known = COMPILED_CONDITIONS.get(key)
    if known is None:
        if len(COMPILED_CONDITIONS) >= MAX_CONDITIONS:
            COMPILED_CONDITIONS.clear()
        known = COMPILED_CONDITIONS[key] = (_compile_condition(condition(), model), rules)
    return known[0]


def _compile_condition(condition: Q, model: type[Model] | None) -> Q:
    from entities.models import Entity

    rows = (model or Entity)._default_manager
    try:
        text, params = rows.order_by().filter(condition).query.sql_with_params()
    except EmptyResultSet:
        return condition  # Django knows that it holds of nothing
    _, _, asked = text.partition(" WHERE ")
    # Where this text is put, U0 may be the table around it; a text inside this one has been given _U0 before.
    asked = ALIAS.sub(lambda found: f"_{found[1]}" if found[1] else found[0], asked)
    return Q(CompiledCondition(f"({asked})", params, rows.model._meta.db_table))
