"""What narrows a list of records, as its address and a tool say it: `<column><__lookup>=value` (`parse_condition`)."""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import F, Q
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext, gettext_noop

from entities.access import Scope
from entities.formats import format_long_day
from entities.language import translate_stored
from entities.models import Entity
from entities.record_columns import RecordColumn, find_column, list_record_columns
from entities.registry import list_parent_types

FIELD = "field:"
"""Before the path of the column that a value is compared with."""
COMPARISONS = ("lt", "lte", "gt", "gte")
ORDERED = ("", "not", *COMPARISONS, "empty")
LOOKUPS = {
    "text": ("", "not", "icontains", "any", "empty"),
    "choice": ("", "not", "icontains", "empty"),
    "number": ORDERED,
    "money": ORDERED,
    "date": ORDERED,
    "time": ORDERED,
    "link": ("", "empty"),
    "other": ("",),
}
"""Kind of a column -> what may stand behind it."""
SEPARATOR = ";"
INSIDE = {"icontains": "icontains", "any": "iexact"}
MOST_NAMES, MOST_LETTERS = 5, 200
PERIOD = re.compile(r"(?P<which>this|next|last)_(?:(?P<unit>week|month|quarter|year)|(?P<count>\d{1,4})_days)")
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
PERIOD_WORDS = (
    gettext_noop("yesterday"), gettext_noop("today"), gettext_noop("tomorrow"), gettext_noop("this week"),
    gettext_noop("next week"), gettext_noop("last week"), gettext_noop("this month"), gettext_noop("next month"),
    gettext_noop("last month"), gettext_noop("this quarter"), gettext_noop("next quarter"),
    gettext_noop("last quarter"), gettext_noop("this year"), gettext_noop("next year"), gettext_noop("last year"),
)  # fmt: skip
PART = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2}))?")
MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


class BadQuery(ValueError):
    """A filter or an ordering that does not exist for the caller. The same answer for hidden and for absent fields."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter = parameter
        self.detail = detail


@dataclass(frozen=True)
class RecordCondition:
    """q: on rows that have the values of `columns` under their aliases. words: what is asked for, in the active
    language.
    """

    q: Q
    columns: Sequence[RecordColumn]
    words: str


def parse_condition(scope: Scope, model: type[Entity], parameter: str, value: str) -> RecordCondition:
    """One filter of an address. A `not` has what has no value, too. Raises: BadQuery."""
    path, _, lookup = parameter.partition("__")
    column = find_column(model, path)
    if column is None or lookup not in LOOKUPS[column.kind]:
        raise BadQuery(
            parameter,
            gettext("There is no filter %(name)s. You can filter by: %(names)s.")
            % {"name": repr(parameter), "names": ", ".join(sorted(c.path for c in list_record_columns(model)))},
        )
    try:
        if lookup == "empty":
            return _build_empty(column, value)
        if value.startswith(FIELD):
            return _compare_columns(model, column, lookup, value)
        is_day = column.kind in ("date", "time")
        build: Callable[..., RecordCondition] = _compare_day if is_day else partial(_compare_value, scope)
        built = build(column, lookup, value)
        is_empty = Q(**{f"{column.alias}__isnull": True})
        return replace(built, q=is_empty | ~built.q) if lookup == "not" else built
    except (ValueError, ValidationError, TypeError, ArithmeticError):
        raise refuse_value(parameter, value) from None


def refuse_value(parameter: str, value: str) -> BadQuery:
    words = {"value": repr(value), "name": repr(parameter.partition("__")[0])}
    return BadQuery(parameter, gettext("%(value)s is not a value that %(name)s can have.") % words)


def build_finished(model: type[Entity], is_finished: bool) -> RecordCondition | None:
    """Records in a state that needs nothing more, or all others; None where the scope knows of no such state."""
    found = [(find_column(model, name), states) for name, states in model.rag().finished.items()]
    columns = [column for column, _ in found if column is not None]
    if not found or len(columns) < len(found):
        return None
    q = Q()
    for column, (_, states) in zip(columns, found, strict=True):
        q |= Q(**{f"{column.alias}__in": states})
    return RecordCondition(q if is_finished else ~q, columns, gettext("finished") if is_finished else gettext("open"))


def build_overdue(model: type[Entity]) -> RecordCondition | None:
    """Records past their date that are not finished; None where the scope knows of no such date."""
    column = find_column(model, model.rag().due) if model.rag().due else None
    rest = build_finished(model, is_finished=False)
    if column is None or (model.rag().finished and rest is None):
        return None
    q = Q(**{f"{column.alias}__lt": timezone.localdate()})
    return RecordCondition(q & rest.q if rest else q, [column, *(rest.columns if rest else ())], gettext("overdue"))


def _build_empty(column: RecordColumn, value: str) -> RecordCondition:
    if value not in ("0", "1"):
        raise ValueError(value)
    q = Q(**{f"{column.alias}__isnull": True})
    if column.kind in ("text", "choice"):
        q |= Q(**{column.alias: ""})
    words = gettext("without %(field)s") if value == "1" else gettext("with %(field)s")
    return RecordCondition(q if value == "1" else ~q, [column], words % {"field": _name(column)})


def _compare_columns(model: type[Entity], column: RecordColumn, lookup: str, value: str) -> RecordCondition:
    """With another column of the same kind; amounts only where their money is the same."""
    other = find_column(model, value.removeprefix(FIELD))
    kinds = {"money": "number", "time": ""}
    if other is None or lookup not in COMPARISONS or column.kind not in ("number", "money", "date"):
        raise ValueError(value)
    if kinds.get(other.kind, other.kind) != kinds.get(column.kind, column.kind):
        raise ValueError(value)
    q = Q(**{f"{column.alias}__{lookup}": F(other.alias)})
    columns = [column, other]
    if column.kind == other.kind == "money":
        moneys = [RecordColumn(each.model, each.currency, each.link, each.link_atoms) for each in columns]
        q &= Q(**{moneys[0].alias: F(moneys[1].alias)})
        columns += moneys
    words = _choose_comparison(column.kind, lookup)
    return RecordCondition(q, columns, f"{_name(column)} {words % {'value': _name(other)}}")


def read_days(value: str, today: date | None = None) -> tuple[date, date]:
    """The first and the last day of what a value names: "2026-11-27", "2026-11", "2026", "today", "next_week",
    "last_30_days". Raises: ValueError.
    """
    today = today or timezone.localdate()
    if value in DAYS:
        day = today + timedelta(days=DAYS[value])
        return day, day
    if (period := PERIOD.fullmatch(value)) is not None:
        step = {"this": 0, "next": 1, "last": -1}[period["which"]]
        if period["count"]:
            near, far = sorted((today, today + step * timedelta(days=int(period["count"]))))
            return near, far
        if period["unit"] == "week":
            first = today + timedelta(days=7 * step - today.weekday())
            return first, first + timedelta(days=6)
        months = MONTHS_OF[period["unit"]]
        index = (today.year * 12 + today.month - 1) // months * months + step * months
        return date(index // 12, index % 12 + 1, 1), _end_month(index + months - 1)
    if (part := PART.fullmatch(value)) is not None:
        year, month = int(part["year"]), int(part["month"] or 0)
        return date(year, month or 1, 1), _end_month(year * 12 + (month or 12) - 1)
    named = parse_date(value)
    if named is None:
        raise ValueError(value)
    return named, named


def _end_month(index: int) -> date:
    year, month = index // 12, index % 12 + 1
    return date(year, month, monthrange(year, month)[1])


def _compare_day(column: RecordColumn, lookup: str, value: str) -> RecordCondition:
    first, last = read_days(value)
    start: Any = first
    end: Any = last + timedelta(days=1)
    if column.kind == "time":
        start, end = (timezone.make_aware(datetime.combine(day, time())) for day in (start, end))
    within = Q(**{f"{column.alias}__gte": start, f"{column.alias}__lt": end})
    q = {
        "": within,
        "not": within,
        "lt": Q(**{f"{column.alias}__lt": start}),
        "lte": Q(**{f"{column.alias}__lt": end}),
        "gt": Q(**{f"{column.alias}__gte": end}),
        "gte": Q(**{f"{column.alias}__gte": start}),
    }[lookup]
    return RecordCondition(q, [column], _say_days(column, lookup, value, first, last))


def _say_days(column: RecordColumn, lookup: str, value: str, first: date, last: date) -> str:
    """ "due by 27 November 2026": a date's own "on" gives way to the word for the comparison."""
    if "_" in value or value in DAYS:
        days = _name_period(value)
        plain = gettext("%(field)s %(value)s")
    elif first == last:
        days, plain = format_long_day(first), gettext("%(field)s on %(value)s")
    else:
        days = value if len(value) == 4 else f"{value[5:]}/{value[:4]}"
        plain = gettext("%(field)s in %(value)s")
    name = _name(column).removesuffix(" on").removesuffix(" am")
    if lookup in COMPARISONS:
        return f"{name} {_choose_comparison(column.kind, lookup) % {'value': days}}"
    words = gettext("not %(field)s %(value)s") if lookup == "not" else plain
    return words % {"field": name, "value": days}


def _name_period(value: str) -> str:
    period = PERIOD.fullmatch(value)
    if period is None or not period["count"]:
        return gettext(value.replace("_", " "))
    words = gettext("within %(count)s days") if period["which"] == "next" else gettext("in the last %(count)s days")
    return words % {"count": period["count"]}


def _choose_comparison(kind: str, lookup: str) -> str:
    if kind in ("date", "time"):
        return {
            "lt": gettext("before %(value)s"),
            "lte": gettext("by %(value)s"),
            "gt": gettext("after %(value)s"),
            "gte": gettext("since %(value)s") if kind == "time" else gettext("from %(value)s"),
        }[lookup]
    return {
        "": gettext("exactly %(value)s"),
        "not": gettext("not %(value)s"),
        "lt": gettext("under %(value)s"),
        "lte": gettext("at most %(value)s"),
        "gt": gettext("over %(value)s"),
        "gte": gettext("at least %(value)s"),
    }[lookup]


def _compare_value(scope: Scope, column: RecordColumn, lookup: str, value: str) -> RecordCondition:
    """Checked as the form would: a value that the column cannot have fails here and not in the database."""
    name, alias = _name(column), column.alias
    if column.kind == "link":
        target = list_parent_types(column.model)[column.name]
        # A link to a record that the caller may not see matches nothing, as a link to no record does.
        linked = Q(**{f"{column.name}__in": target.objects.visible_to(scope).filter(pk=UUID(value))})
        return RecordCondition(linked, [column], gettext("of one %(field)s") % {"field": name})
    if column.kind in ("number", "money"):
        number = column.column.clean(value, None)
        q = Q(**{f"{alias}__{lookup}" if lookup in COMPARISONS else alias: number})
        printed = f"{Decimal(number):,}" if number is not None else value
        return RecordCondition(
            q,
            [column],
            f"{name} {_choose_comparison(column.kind, lookup) % {'value': printed.removesuffix('.00')}}",
        )
    if column.kind == "choice" and lookup in ("", "not"):
        known = {key: str(title) for key, title in column.column.flatchoices}  # type: ignore[attr-defined]
        states = [column.column.clean(each.strip(), None) for each in value.split(",")]
        q = Q(**{f"{alias}__in": states})
        words = gettext(" or ").join(translate_stored(known.get(state, state)) for state in states)
        return RecordCondition(q, [column], f"{name} {_write_not(lookup)}{words}")
    parts = split_names(value) if lookup == "any" else [value]
    q = Q()
    for part in parts:
        given = column.column.clean(part, None) if lookup == "" and column.name != "name" else part
        q |= Q(**{f"{alias}__{INSIDE[lookup]}" if lookup in INSIDE else alias: given})
    words = gettext(" or ").join(parts)
    return RecordCondition(q, [column], f"{name} {_write_not(lookup)}{words}")


def split_names(value: str) -> list[str]:
    """Raises: ValueError for none, and for more than a statement should look for."""
    parts = [part.strip() for part in value.split(SEPARATOR) if part.strip()]
    if not 1 <= len(parts) <= MOST_NAMES or max(map(len, parts)) > MOST_LETTERS:
        raise ValueError(value)
    return parts


def _write_not(lookup: str) -> str:
    return f"{gettext('not')} " if lookup == "not" else ""


def _name(column: RecordColumn) -> str:
    """ "due on", or "project's due on" of a linked record."""
    if not column.link:
        return column.title
    if column.name == "name":
        return translate_stored(column.link)
    return gettext("%(link)s's %(field)s") % {"link": translate_stored(column.link), "field": column.title}
