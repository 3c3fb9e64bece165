"""Lists of records as a scope may read them: filters, ordering and search over fields that exist for the caller
only.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet

from entities.access import Scope, readable_fields
from entities.models import Entity
from entities.registry import column_of, parents

BASE_ORDER = {"name": "title", "updated_at": "updated_at", "created_at": "created_at"}
RESERVED = {"ordering", "page", "page_size", "q", "archived", "density", "format"}


class BadQuery(ValueError):
    """A filter or an ordering that does not exist for the caller. The same answer for hidden and for absent fields."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter = parameter
        self.detail = detail


def list_records(scope: Scope, model: type[Entity], query: Mapping[str, str]) -> QuerySet[Any]:
    """Records of `model` that `scope` may read, narrowed and ordered by request parameters.

    `<field>=value` for any readable field, `q` in the name, `archived=1`, `ordering=field` or `-field`.
    Raises: BadQuery for a field that does not exist for `scope`.
    """
    for name, value in query.items():
        if "\x00" in value:
            raise BadQuery(name, "A value holds no NUL characters.")
    rows: QuerySet[Any] = model.objects.readable_by(scope)
    rows = rows.filter(archived_at__isnull=query.get("archived") not in ("1", "true"))
    fields = readable_fields(model)
    for name, value in query.items():
        if name in RESERVED or value == "":
            continue
        rows = _narrow(scope, model, rows, fields, name, value)
    if query.get("q"):
        rows = rows.filter(Q(title__icontains=query["q"]))
    return _order(model, rows, fields, query.get("ordering") or "-updated_at")


def _narrow(
    scope: Scope, model: type[Entity], rows: QuerySet[Any], fields: list[str], name: str, value: str
) -> QuerySet[Any]:
    base, _, lookup = name.partition("__")
    if base not in fields or lookup not in ("", "gte", "lte", "icontains"):
        raise BadQuery(name, f"There is no filter {name!r}. You can filter by: {', '.join(sorted(fields))}.")
    column = "title" if base == "name" else base
    target = parents(model).get(base)
    try:
        if target is not None:
            # A link to a record that the caller may not see matches nothing, as a link to no record does.
            return rows.filter(**{f"{base}__in": target.objects.visible_to(scope).filter(pk=UUID(value))})
        if column != "title":
            # Checked as the form would: a value that the column cannot have fails here and not in the database.
            value = column_of(model, base).clean(value, None) if lookup != "icontains" else value
        narrowed = rows.filter(**{f"{column}__{lookup}" if lookup else column: value})
        str(narrowed.query)
        return narrowed
    except (ValueError, ValidationError, TypeError, ArithmeticError):
        raise BadQuery(name, f"{value!r} is not a value that {base!r} can have.") from None


def _order(model: type[Entity], rows: QuerySet[Any], fields: list[str], ordering: str) -> QuerySet[Any]:
    name = ordering.removeprefix("-")
    # Not by links: their keys would sort rows by records that the caller may not see.
    known = {**BASE_ORDER, **{f: f for f in fields if f != "name" and f not in parents(model)}}
    if name not in known:
        raise BadQuery("ordering", f"Cannot order by {name!r}. You can order by: {', '.join(sorted(known))}.")
    expression = F(known[name])
    order = expression.desc(nulls_last=True) if ordering.startswith("-") else expression.asc(nulls_last=True)
    return rows.order_by(order, "pk")


def visible_links(scope: Scope, rows: list[Any]) -> dict[UUID, Entity]:
    """The records that `rows` of one type link to, as far as `scope` may see them, in one query."""
    if not rows:
        return {}
    names = [f"{name}_id" for name in parents(type(rows[0]))]
    ids = {getattr(row, name) for row in rows for name in names} - {None}
    return {e.pk: e for e in Entity.objects.readable_by(scope).filter(pk__in=ids)} if ids else {}
