"""Object permission as SQL text, for statements that Django does not write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from entities.access.objects import declared_rules, roles_of, visible
from entities.access.scope import Scope, cached

PLACE = re.compile("%s")
MOST = 1_000
COMPILED: dict[tuple[object, ...], "Statement"] = {}


@dataclass(frozen=True)
class Statement:
    """`SELECT id, number, content_type_id` of records, with named parameters.

    rules: kept alive, so that no others get their ids.
    """

    text: str
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
    held = [(principal, roles_of(principal)) for principal in (scope.principal, scope.narrowed_to) if principal]
    key = (scope.kind, *held, *map(id, rules))
    known = COMPILED.get(key)
    if known is None:
        if len(COMPILED) >= MOST:
            COMPILED.clear()
        known = COMPILED[key] = _compiled(scope, rules)
    return known


def _compiled(scope: Scope, rules: tuple[object, ...]) -> Statement:
    from entities.models import Entity

    records = Entity.objects.filter(visible(scope, Entity)).order_by().values("id", "number", "content_type_id")
    text, params = records.query.sql_with_params()
    names = [f"visible_{n}" for n in range(len(params))]
    left = iter(names)
    return Statement(PLACE.sub(lambda _: f"%({next(left)})s", text), dict(zip(names, params, strict=True)), rules)
