"""Object permission as SQL text: for statements that Django does not write, and written once where it does."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import Model, Q, QuerySet

from entities.access.compiled_condition import compile_once
from entities.access.objects import build_visibility_parts, build_visibility_q, list_declared_rules, load_roles
from entities.access.scope import Scope, load_once

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


def build_visible_records(scope: Scope) -> Statement:
    """The records that the open scope may view: `access.build_visibility_q` as Django compiles it.

    The text depends on the principal's roles and the types' rules alone. Both are looked up anew in every transaction;
    only the work of writing it down is remembered.
    """
    return load_once(
        f"visible records {scope.principal} {scope.narrowed_to} {scope.attachments}", lambda: _get_or_compile(scope)
    )  # type: ignore[no-any-return]


def _get_or_compile(scope: Scope) -> Statement:
    rules = list_declared_rules()
    key = (*_list_dependencies(scope), *map(id, rules))
    known = COMPILED.get(key)
    if known is None:
        if len(COMPILED) >= MOST:
            COMPILED.clear()
        known = COMPILED[key] = _compile_statement(scope, rules)
    return known


def compile_for_reader(scope: Scope, name: str, model: type[Model], condition: Callable[[], Q]) -> Q:
    """`condition()` on rows of `model`, written down once for what the open scope's principal holds. name: unique; the
    condition depends on these and the types' rules alone.
    """

    def compile_condition() -> Q:
        return compile_once((name, *_list_dependencies(scope)), list_declared_rules(), condition, model)

    return load_once(f"{name} {scope.principal} {scope.narrowed_to} {scope.attachments}", compile_condition)  # type: ignore[no-any-return]


def _list_dependencies(scope: Scope) -> list[object]:
    """What visible records depend on."""
    held = [(principal, load_roles(principal)) for principal in (scope.principal, scope.narrowed_to) if principal]
    return [scope.kind, bool(scope.attachments), *held]


def _compile_statement(scope: Scope, rules: tuple[object, ...]) -> Statement:
    from entities.models import Entity

    records = Entity.objects.order_by().values("id", "number", "content_type_id")
    params: dict[str, Any] = {}
    text = _name_params(records.filter(build_visibility_q(scope, Entity)), params)
    parts = [_name_params(records.filter(part), params) for part in build_visibility_parts(scope, Entity)]
    return Statement(text, " UNION ALL ".join(filter(None, parts)), params, rules)


def _name_params(records: QuerySet[Any, Any], params: dict[str, Any]) -> str:
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
