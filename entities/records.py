"""Lists of records as a scope may read them: filters, ordering and search over fields that exist for the caller
only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from entities.access import Scope, list_readable_fields
from entities.models import Entity
from entities.registry import get_column, get_content_type_id, list_parent_types

BASE_ORDER = {"name": "title", "updated_at": "updated_at", "created_at": "created_at"}
TIMES = {"updated_at", "created_at"}
RESERVED = {"ordering", "page", "page_size", "q", "archived", "density", "format"}


class BadQuery(ValueError):
    """A filter or an ordering that does not exist for the caller. The same answer for hidden and for absent fields."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter = parameter
        self.detail = detail


@dataclass(frozen=True)
class RecordList:
    """Records of one type as a paginator needs them. Counted and cut over `keys`; only a page is read whole.

    keys: of the table that all types share where what narrows and orders them stands there, else of the type's own.
    rows: the type's, as the scope may read them. Both ask for object permission, and the keys of a page stay inside the
    statement that reads its rows: docs/adr/0039.
    """

    keys: QuerySet[Any]
    rows: QuerySet[Any]
    order: Sequence[Any]
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

    `<field>=value` for any readable field, `q` in the name, `archived=1`, `ordering=field` or `-field`.
    Raises: BadQuery for a field that does not exist for `scope`.
    """
    for name, value in query.items():
        if "\x00" in value:
            raise BadQuery(name, gettext("A value must not contain NUL characters."))
    fields = list_readable_fields(model)
    filters = {name: value for name, value in query.items() if name not in RESERVED and value != ""}
    ordering = query.get("ordering") or "-updated_at"
    order = _build_order(model, fields, ordering)
    named = {name.partition("__")[0] for name in filters} | {ordering.removeprefix("-")}
    table = Entity if named <= BASE_ORDER.keys() else model
    keys: QuerySet[Any] = table.objects.readable_by(scope).filter(content_type=get_content_type_id(model))
    keys = keys.filter(archived_at__isnull=query.get("archived") not in ("1", "true"))
    for name, value in filters.items():
        keys = _apply_filters(scope, model, keys, fields, name, value)
    if query.get("q"):
        keys = keys.filter(Q(title__icontains=query["q"]))
    return RecordList(keys, model.objects.readable_by(scope), order)


def _apply_filters(
    scope: Scope, model: type[Entity], rows: QuerySet[Any], fields: list[str], name: str, value: str
) -> QuerySet[Any]:
    base, _, lookup = name.partition("__")
    if base not in fields or lookup not in ("", "gte", "lte", "icontains"):
        raise BadQuery(
            name,
            gettext("There is no filter %(name)s. You can filter by: %(names)s.")
            % {"name": repr(name), "names": ", ".join(sorted(fields))},
        )
    column = "title" if base == "name" else base
    target = list_parent_types(model).get(base)
    try:
        if target is not None:
            # A link to a record that the caller may not see matches nothing, as a link to no record does.
            return rows.filter(**{f"{base}__in": target.objects.visible_to(scope).filter(pk=UUID(value))})
        if column != "title":
            # Checked as the form would: a value that the column cannot have fails here and not in the database.
            value = get_column(model, base).clean(value, None) if lookup != "icontains" else value
        narrowed = rows.filter(**{f"{column}__{lookup}" if lookup else column: value})
        str(narrowed.query)
        return narrowed
    except (ValueError, ValidationError, TypeError, ArithmeticError):
        raise BadQuery(
            name,
            gettext("%(value)s is not a value that %(name)s can have.") % {"value": repr(value), "name": repr(base)},
        ) from None


def _build_order(model: type[Entity], fields: list[str], ordering: str) -> Sequence[Any]:
    name = ordering.removeprefix("-")
    # Not by links: their keys would sort rows by records that the caller may not see.
    known = {**BASE_ORDER, **{f: f for f in fields if f != "name" and f not in list_parent_types(model)}}
    if name not in known:
        raise BadQuery(
            "ordering",
            gettext("Cannot order by %(name)s. You can order by: %(names)s.")
            % {"name": repr(name), "names": ", ".join(sorted(known))},
        )
    column = F(known[name])
    # An index serves an order that says nothing of NULL; where there can be none, nothing need be said.
    last = True if name not in TIMES else None
    return (column.desc(nulls_last=last) if ordering.startswith("-") else column.asc(nulls_last=last)), "pk"


def load_visible_links(scope: Scope, rows: list[Any]) -> dict[UUID, Entity]:
    """The records that `rows` of one type link to, as far as `scope` may see them, in one query."""
    if not rows:
        return {}
    names = [f"{name}_id" for name in list_parent_types(type(rows[0]))]
    ids = {getattr(row, name) for row in rows for name in names} - {None}
    return {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ids)} if ids else {}
