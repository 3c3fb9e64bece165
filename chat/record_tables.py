"""What `list_records` prints of records: a line of fields each, groups as a table, sums and means by currency."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Avg, Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import NullIf
from django.utils import timezone
from django.utils.dateformat import format as format_date

from chat.record_tool import RecordQuery
from entities.access import Scope
from entities.formats import format_money
from entities.language import find_kind_name
from entities.models import Entity
from entities.record_columns import OWN, RecordColumn
from entities.registry import list_parent_types

Linked = Mapping[str, Mapping[UUID, Any]]
"""Link of the listed type -> key -> the linked record, as the scope may read it."""
NOBODY = "—"
MOST_GROUPS = 50


def select_linked(scope: Scope, model: type[Entity], link: str, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The records that those of `rows` link to, as far as the scope may see them."""
    keys = model.objects.filter(pk__in=rows.order_by().values("pk")).values(f"{link}_id")
    return list_parent_types(model)[link].objects.readable_by(scope).filter(pk__in=keys)


def find_linked(row: Any, column: RecordColumn, linked: Linked) -> Any:
    """The record of which a column says something that is not the row's own; None for none."""
    link = column.name if column.kind == "link" else column.link
    return linked.get(link, {}).get(getattr(row, f"{link}_id")) if link else None


def is_name(column: RecordColumn) -> bool:
    """Whether it says no more of a linked record than its name."""
    return column.kind == "link" or column.name == "name"


def name_column(column: RecordColumn) -> str:
    if column.link and column.name == "name":
        return column.link.capitalize()
    return f"{column.link} {column.title}".strip().capitalize()


def print_value(row: Any, column: RecordColumn, linked: Linked) -> str:
    """ "" for none."""
    if column.link or column.kind == "link":
        row = find_linked(row, column, linked)
        if row is None:
            return ""
        if is_name(column):
            return str(row.title_or_type)
    currency = getattr(row, "currency", "") if column.kind == "money" else ""
    return _print_plain(column, getattr(row, column.name), currency)


def _print_plain(column: RecordColumn, value: Any, currency: str) -> str:
    if value is None or value == "":
        return ""
    if column.kind == "choice":
        return str(dict(column.column.flatchoices).get(value, value))  # type: ignore[attr-defined]
    if isinstance(value, Decimal):
        return format_money(value, currency)
    if isinstance(value, datetime):
        value = timezone.localtime(value)
    return format_date(value, "j F Y") if isinstance(value, date) else str(value)


def choose_plural(model: type[Entity], count: int) -> str:
    name = str(model._meta.verbose_name if count == 1 else model._meta.verbose_name_plural)
    return find_kind_name(name) or name


def write_head(
    query: RecordQuery, words: Sequence[str], total: int, count: int, groups: int, order: RecordColumn | None, stop: str
) -> str:
    """ "24 of 159 tasks, due by 27 November 2026, earliest due first:"; "No tasks, overdue." for none. count: of rows,
    or of those of so many groups, below it. order: None where they stand in none. stop: "." where it needs more than
    the rows below it (`chat.citations`).
    """
    plural = choose_plural(query.model, total)
    asked = "".join(f", {part}" for part in words)
    if not total:
        return f"No {plural}{asked}."
    if query.group:
        return f"{total} {plural}{asked}{f', the largest {count} of {groups} groups' * (count < groups)}:"
    if count == total:
        return f"{total} {plural}{asked}{stop}"
    by = f", {_write_order(order, descends=query.order.startswith('-'))}" if order else ""
    return f"{count} of {total} {plural}{asked}{by}{stop}"


def _write_order(order: RecordColumn, descends: bool) -> str:
    """ "earliest due first", "largest project budget first", "by name"."""
    least = {"money": "smallest", "number": "smallest", "date": "earliest", "time": "earliest"}
    most = {"money": "largest", "number": "largest", "date": "latest", "time": "latest"}
    which = (most if descends else least).get(order.kind)
    title = (name_column(order).lower() if order.link else order.title).removesuffix(" on")
    return f"{which} {title} first" if which else f"by {title}"


def write_figures(query: RecordQuery, rows: QuerySet[Any]) -> list[str]:
    """One line a currency: amounts of different money are never added. A mean says of how many records."""
    rows = rows.order_by().annotate(grouped=Value(0))
    return [
        f"{title}{f' of {count} {choose_plural(query.model, count)}' * title.startswith('Mean')}: {printed}"
        for _, title, printed, count in _compute_figures(query, rows)
    ]


def _compute_figures(query: RecordQuery, rows: QuerySet[Any]) -> Iterator[tuple[Any, str, str, int]]:
    """Of rows with a value `grouped`: this, what is computed, the figure, and of how many records; by currency."""
    for what, column, aggregate in (("Sum", query.sum, Sum), ("Mean", query.mean, Avg)):
        if column is None:
            continue
        keys = ["grouped", "currency"] if column.kind == "money" else ["grouped"]
        filled = rows.filter(**{f"{column.name}__isnull": False}).values(*keys)
        for found in filled.annotate(figure=aggregate(column.name), n=Count("pk")).order_by(*keys):
            if not found["n"]:
                continue  # a statement without groups has a row for none
            figure = Decimal(str(found["figure"] or 0))
            rounded = f"{figure:,.1f}".removesuffix(".0")
            if column.kind == "money":
                rounded = format_money(figure.quantize(Decimal("0.01")), found["currency"])
            yield found["grouped"], f"{what} of {column.title}", rounded, found["n"]


@dataclass(frozen=True)
class GroupTable:
    """head: titles of columns. groups: for each value, the greatest number first, the value and a row of cells."""

    head: Sequence[str]
    groups: Sequence[tuple[Any, Sequence[str]]]


def add_group_values(scope: Scope, query: RecordQuery, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows with the value that they are `grouped` by; None for an empty text."""
    group = query.group
    assert group is not None
    value: Any = F(group.alias) if group.kind == "link" else NullIf(F(group.alias), Value(""))
    return group.add_to(scope, query.model, rows.order_by()).annotate(grouped=value)


def write_groups(scope: Scope, query: RecordQuery, rows: QuerySet[Any], linked: Linked) -> GroupTable:
    """A link to a record that the scope may not see counts as none."""
    group = query.group
    assert group is not None
    rows = add_group_values(scope, query, rows)
    numbers = dict(rows.values("grouped").annotate(n=Count("pk")).values_list("grouped", "n"))
    figures: dict[Any, dict[str, str]] = {}
    for of, title, printed, _ in _compute_figures(query, rows):
        cells = figures.setdefault(of, {})
        cells[title] = f"{cells[title]} + {printed}" if title in cells else printed
    titles = list(dict.fromkeys(title for cells in figures.values() for title in cells))
    groups = []
    for of, count in sorted(numbers.items(), key=lambda pair: (-pair[1], str(pair[0] or ""))):
        if group.kind == "link":
            record = linked.get(group.name, {}).get(of)
            name = str(record.title_or_type) if record else NOBODY
        else:
            name = _print_plain(group, of, "") or NOBODY
        groups.append((of, [name, str(count), *(figures.get(of, {}).get(title, "") for title in titles)]))
    return GroupTable([name_column(group), "Number", *titles], groups)


def select_grouped(group: RecordColumn, linked: Mapping[UUID, Any], values: Collection[Any]) -> list[UUID]:
    """The linked records that one of the values is of, or is itself; None among them is of those without one."""
    if group.kind == "link":
        return [pk for pk in linked if pk in values]
    return [pk for pk, record in linked.items() if (getattr(record, OWN.get(group.name, group.name)) or None) in values]


def load_grouped(scope: Scope, query: RecordQuery, rows: QuerySet[Any], values: Collection[Any]) -> set[UUID]:
    """The rows that have one of the values."""
    has_one = Q(grouped__in=[value for value in values if value is not None])
    has_none = Q(grouped__isnull=True) if None in values else Q(pk__in=())
    return {*add_group_values(scope, query, rows).filter(has_one | has_none).values_list("pk", flat=True)}
