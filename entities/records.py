"""Lists of records as a scope may read them: filters, ordering and search over fields that exist for the caller
only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from entities.access import Scope
from entities.models import Entity
from entities.record_columns import TIMES, RecordColumn, build_names_q, find_column, list_record_columns
from entities.record_filters import (
    BadQuery,
    RecordCondition,
    build_finished,
    build_overdue,
    parse_condition,
    refuse_value,
    split_names,
)
from entities.registry import get_content_type_id, list_parent_types

__all__ = ["RESERVED", "BadQuery", "RecordList", "list_records", "load_visible_links", "select_records"]

BASE_COLUMNS = ("name", *TIMES)
RESERVED = {"ordering", "page", "page_size", "q", "archived", "density", "format"}
STATES = ("overdue", "finished", "called")
"""Filters that are no column."""


@dataclass(frozen=True)
class RecordList:
    """Records of one type as a paginator needs them. Counted and cut over `keys`; only a page is read whole.

    keys: of the table that all types share where what narrows and orders them stands there, else of the type's own.
    rows: the type's, as the scope may read them. Both ask for object permission, and the keys of a page stay inside the
    statement that reads its rows: docs/adr/0039.
    columns: that narrow and order them. words: what narrows them, in the active language. called: names among it.
    """

    keys: QuerySet[Any]
    rows: QuerySet[Any]
    order: Sequence[Any]
    columns: Sequence[RecordColumn] = ()
    words: Sequence[str] = ()
    called: Sequence[str] = ()
    ordered = True

    def count(self) -> int:
        return self.keys.count()

    def __len__(self) -> int:
        return self.count()

    def __getitem__(self, cut: slice) -> list[Any]:
        keys = self.keys.order_by(*self.order)[cut]
        return list(self.rows.filter(pk__in=keys.values("pk")).order_by(*self.order))


def list_records(scope: Scope, model: type[Entity], query: Mapping[str, str]) -> RecordList:
    """Records of `model` that `scope` may read, narrowed and ordered by request parameters.

    `<column>=value` for any readable column, also of a linked record (`project.name`), with the lookups of
    `record_filters.LOOKUPS`; `overdue=1`, `finished=0`, `called=words` (a name in the record or of what it links to),
    `q` in the name, `archived=1`, `ordering=column` or `-column`.
    Raises: BadQuery for a column that does not exist for `scope`.
    """
    for name, value in query.items():
        if "\x00" in value:
            raise BadQuery(name, gettext("A value must not contain NUL characters."))
    filters = {name: value for name, value in query.items() if name not in RESERVED and value != ""}
    ordered = _find_order(model, query.get("ordering") or "-updated_at")
    called = _read_called(filters.pop("called", ""))
    conditions = [_build_condition(scope, model, name, value) for name, value in filters.items()]
    columns = [column for condition in conditions for column in condition.columns]
    is_shared = not called and all(not c.link and c.name in BASE_COLUMNS for c in (*columns, ordered))
    table = Entity if is_shared and not filters.keys() & {*STATES} else model
    keys = select_records(scope, table, query).filter(content_type=get_content_type_id(model))
    rows: QuerySet[Any] = model.objects.readable_by(scope)
    for column in (*columns, ordered):
        keys = column.add_to(scope, model, keys)
    for condition in conditions:
        keys = keys.filter(condition.q)
    for words in called:
        keys = keys.filter(build_names_q(scope, model, words))
    if query.get("q"):
        keys = keys.filter(Q(title__icontains=query["q"]))
    asked = [condition.words for condition in conditions if condition.words]
    if called:
        asked.append(gettext("named with %(words)s") % {"words": gettext(" and ").join(called)})
    if query.get("q"):
        asked.append(gettext("name with %(words)s") % {"words": query["q"]})
    if _is_archived(query):
        asked.append(gettext("archived"))
    order = _build_order(ordered, descends=(query.get("ordering") or "-updated_at").startswith("-"))
    return RecordList(keys, ordered.add_to(scope, model, rows), order, (*columns, ordered), asked, called)


def select_records(scope: Scope, model: type[Entity], query: Mapping[str, str]) -> QuerySet[Any]:
    """What a list may have before anything narrows it: archived records or all others."""
    return model.objects.readable_by(scope).filter(archived_at__isnull=not _is_archived(query))


def _is_archived(query: Mapping[str, str]) -> bool:
    return query.get("archived") in ("1", "true")


def _read_called(value: str) -> list[str]:
    try:
        return split_names(value) if value else []
    except ValueError:
        raise refuse_value("called", value) from None


def _build_condition(scope: Scope, model: type[Entity], name: str, value: str) -> RecordCondition:
    if name not in ("overdue", "finished"):
        return parse_condition(scope, model, name, value)
    if value not in ("0", "1", "true", "false"):
        raise BadQuery(name, gettext("Give 1 or 0."))
    is_wanted = value in ("1", "true")
    built = build_overdue(model) if name == "overdue" else build_finished(model, is_wanted)
    if built is None:
        raise BadQuery(name, gettext("There is no filter %(name)s for this type.") % {"name": repr(name)})
    if name == "overdue" and not is_wanted:
        return RecordCondition(~built.q, built.columns, gettext("not overdue"))
    return built


def _find_order(model: type[Entity], ordering: str) -> RecordColumn:
    """Not a link: its keys would sort rows by records that the caller may not see. Raises: BadQuery."""
    name = ordering.removeprefix("-")
    column = find_column(model, name)
    if column is None or column.kind == "link":
        known = {*BASE_COLUMNS, *(each.path for each in list_record_columns(model) if each.kind != "link")}
        raise BadQuery(
            "ordering",
            gettext("Cannot order by %(name)s. You can order by: %(names)s.")
            % {"name": repr(name), "names": ", ".join(sorted(known))},
        )
    return column


def _build_order(column: RecordColumn, descends: bool) -> Sequence[Any]:
    value = F(column.alias)
    # An index serves an order that says nothing of NULL; where there can be none, nothing need be said.
    last = True if column.path not in TIMES else None
    return (value.desc(nulls_last=last) if descends else value.asc(nulls_last=last)), "pk"


def load_visible_links(scope: Scope, rows: list[Any]) -> dict[UUID, Entity]:
    """The records that `rows` of one type link to, as far as `scope` may see them, in one query."""
    if not rows:
        return {}
    names = [f"{name}_id" for name in list_parent_types(type(rows[0]))]
    ids = {getattr(row, name) for row in rows for name in names} - {None}
    return {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ids)} if ids else {}
