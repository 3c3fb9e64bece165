"""Object permission as SQL text, for statements that Django does not write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet

from entities.access.objects import declared_rules, load_roles, visible, visible_by_parts
from entities.access.scope import Scope, cached

PLACE = re.compile("%s")
MOST = 1_000
COMPILED: dict[tuple[object, ...], "Statement"] = {}


@dataclass(frozen=True)
class Statement:
    """`SELECT id, number, content_type_id` of records, with named parameters.

    text: for records that are looked up. whole: for all of them, by one thing that gives them after the other; a record
    that is given twice is there twice. rules: kept alive, so that no others get their ids.
    """

    text: str
    whole: str
    params: Mapping[str, Any]
    rules: tuple[object, ...]


def visible_records(scope: Scope) -> Statement:
    """The records that the open scope may view: `access.visible` as Django compiles it.

    The text depends on the principal's roles and the types' rules alone. Both are looked up anew in every transaction;
    only the work of writing it down is remembered.
    """
    return cached(f"visible records {scope.principal} {scope.narrowed_to}", lambda: _remembered(scope))  # type: ignore[no-any-return]


def _remembered(scope: Scope) -> Statement:
    rules = declared_rules()
    held = [(principal, load_roles(principal)) for principal in (scope.principal, scope.narrowed_to) if principal]
    key = (scope.kind, *held, *map(id, rules))
    known = COMPILED.get(key)
    if known is None:
        if len(COMPILED) >= MOST:
            COMPILED.clear()
        known = COMPILED[key] = _compiled(scope, rules)
    return known


def _compiled(scope: Scope, rules: tuple[object, ...]) -> Statement:
    from entities.models import Entity

    records = Entity.objects.order_by().values("id", "number", "content_type_id")
    params: dict[str, Any] = {}
    text = _named(records.filter(visible(scope, Entity)), params)
    parts = [_named(records.filter(part), params) for part in visible_by_parts(scope, Entity)]
    return Statement(text, " UNION ALL ".join(filter(None, parts)), params, rules)


def _named(records: QuerySet[Any, Any], params: dict[str, Any]) -> str:
    """The text, with a name for each parameter, which is added to `params`.

    "" where Django knows that it finds nothing, as by the roles of somebody who has none.
    """
    try:
        text, given = records.query.sql_with_params()
    except EmptyResultSet:
        return ""
    names = [f"visible_{len(params) + n}" for n in range(len(given))]
    params |= dict(zip(names, given, strict=True))
    left = iter(names)
    return PLACE.sub(lambda _: f"%({next(left)})s", text)
