"""What `list_records` prints of records: a line of fields each, groups as a table, sums and means by currency."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Avg, Count, F, QuerySet, Sum
from django.utils import timezone
from django.utils.dateformat import format as format_date

from chat.record_tool import RecordQuery
from entities.access import Scope
from entities.formats import format_money
from entities.language import find_kind_name
from entities.models import Entity
from entities.record_columns import RecordColumn
from entities.registry import list_parent_types

Linked = Mapping[str, Mapping[UUID, Any]]
"""Link of the listed type -> key -> the linked record, as the scope may read it."""
NOBODY = "—"


def load_linked(
    scope: Scope, model: type[Entity], links: Sequence[str], keys: QuerySet[Any]
) -> dict[str, dict[UUID, Any]]:
    """The records that those of `keys` link to, as far as the scope may see them."""
    targets = list_parent_types(model)
    return {
        link: {
            row.pk: row
            for row in targets[link]
            .objects.readable_by(scope)
            .filter(pk__in=model.objects.filter(pk__in=keys.values("pk")).values(f"{link}_id"))
        }
        for link in links
    }


def print_record(row: Any, columns: Sequence[RecordColumn], linked: Linked) -> str:
    """ "Quay lease; Ends on: 1 May 2027": a value holds no semicolon, so that the line can be parsed."""
    values = [(_name_column(column), print_value(row, column, linked)) for column in columns]
    parts = [row.title_or_type, *(f"{title}: {value}" for title, value in values if value)]
    return "; ".join(" ".join(part.replace(";", ",").split()) for part in parts)


def _name_column(column: RecordColumn) -> str:
    if column.link and column.name == "name":
        return column.link.capitalize()
    return f"{column.link} {column.title}".strip().capitalize()


def print_value(row: Any, column: RecordColumn, linked: Linked) -> str:
    """ "" for none."""
    link = column.name if column.kind == "link" else column.link
    if link:
        row = linked.get(link, {}).get(getattr(row, f"{link}_id"))
        if row is None:
            return ""
        if column.kind == "link" or column.name == "name":
            return str(row.title_or_type)
    return _print_plain(
        column, getattr(row, column.name), getattr(row, "currency", "") if column.kind == "money" else ""
    )


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


def write_head(query: RecordQuery, words: Sequence[str], total: int, count: int, order: RecordColumn) -> str:
    """ "24 of 159 tasks, due by 27 November 2026, earliest due first:"; "No tasks, overdue." for none."""
    plural = choose_plural(query.model, total)
    asked = "".join(f", {part}" for part in words)
    if not total:
        return f"No {plural}{asked}."
    if count == total or query.group:
        return f"{total} {plural}{asked}:"
    least = {"money": "smallest", "number": "smallest", "date": "earliest", "time": "earliest"}
    most = {"money": "largest", "number": "largest", "date": "latest", "time": "latest"}
    which = (most if query.order.startswith("-") else least).get(order.kind)
    title = order.title.removesuffix(" on")
    return f"{count} of {total} {plural}{asked}, {f'{which} {title} first' if which else f'by {title}'}:"


def write_figures(query: RecordQuery, rows: QuerySet[Any]) -> list[str]:
    """One line a currency: amounts of different money are never added."""
    lines = []
    for what, column, aggregate in (("Sum", query.sum, Sum), ("Mean", query.mean, Avg)):
        if column is None:
            continue
        filled = rows.order_by().filter(**{f"{column.name}__isnull": False})
        if column.kind != "money":
            figure = filled.aggregate(figure=aggregate(column.name))["figure"] or 0
            lines.append(f"{what} of {column.title}: {_round(figure)}")
            continue
        by_money = filled.values_list("currency").annotate(figure=aggregate(column.name))
        lines += [f"{what} of {column.title}: {_print_money(figure, money)}" for money, figure in sorted(by_money)]
    return lines


def _round(figure: Any) -> str:
    return f"{Decimal(str(figure)):,.1f}".removesuffix(".0")


def _print_money(figure: Decimal, money: str) -> str:
    return format_money(Decimal(figure).quantize(Decimal("0.01")), money)


def write_groups(scope: Scope, query: RecordQuery, rows: QuerySet[Any], linked: Linked) -> list[list[str]]:
    """A head and a row for each value, the greatest number first. A link to a record that the scope may not see counts
    as none.
    """
    group = query.group
    assert group is not None
    rows, key = group.add_to(scope, query.model, rows.order_by()), "grouped"
    counted = rows.annotate(grouped=F(group.alias)).values(key)
    numbers = dict(counted.annotate(n=Count("pk")).values_list(key, "n"))
    figures: dict[Any, dict[str, str]] = {}
    for what, column, aggregate in (("Sum", query.sum, Sum), ("Mean", query.mean, Avg)):
        if column is None:
            continue
        money = ["currency"] if column.kind == "money" else []
        filled = counted.filter(**{f"{column.name}__isnull": False}).values(key, *money)
        for found in filled.annotate(figure=aggregate(column.name)):
            printed = _print_money(found["figure"], found["currency"]) if money else _round(found["figure"])
            cells = figures.setdefault(found[key], {})
            title = f"{what} of {column.title}"
            cells[title] = f"{cells[title]} + {printed}" if title in cells else printed
    titles = list(dict.fromkeys(title for cells in figures.values() for title in cells))
    lines = [[_name_column(group), "Number", *titles]]
    for value, count in sorted(numbers.items(), key=lambda pair: (-pair[1], str(pair[0] or ""))):
        if group.kind == "link":
            record = linked.get(group.name, {}).get(value)
            name = str(record.title_or_type) if record else NOBODY
        else:
            name = _print_plain(group, value, "") or NOBODY
        lines.append([name, str(count), *(figures.get(value, {}).get(title, "") for title in titles)])
    return lines
