"""The tool `list_records`: records by type, state, date or name, counted and summed by the database as the asker.

Every column that narrows, orders, is summed or printed is one that the asker is cleared for, and every record one that
they may see: `entities.records` asks for both in its statements. What is hidden is in no number.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Sum
from django.utils.formats import date_format

from chat.budget import PASSAGE_TOKENS, PROMPT_TOKENS, fit_sizes
from chat.derivation import SourceLabel
from chat.models import Session
from chat.tools import BadCall, ToolFindings, ToolPassage, get_owner
from entities.access import Scope, combine_many, list_readable_fields
from entities.formats import format_money
from entities.models import Entity, Weight
from entities.records import RESERVED, BadQuery, list_records
from entities.registry import get_column, list_entity_types, list_parent_types
from ingestion.models import ContextRow, Kind
from llm import chat_prompts, prompts
from llm.offline.tokens import estimate
from retrieval.citations import CitedSource, register_sources
from retrieval.models import SourceType
from retrieval.query import CONTROL

MAX_LISTED = 50
MAX_COUNTED = 2_000
DEFAULT_LISTED = 20
NAME = "list_records"
UNUSED = RESERVED - {"q", "archived"}
"""Parameters of a list's page that narrow nothing."""
NAMES = ("name", "q")
"""What narrows or orders by the names of records."""
DESCRIPTION = """\
List, count and sum records that the person asking may see, by the database: for "all open risks", "how many", "which
end in 2026", "total value". Types and their fields:
{types}
A field that is not named here does not exist for the person asking."""


@dataclass(frozen=True)
class RecordQuery:
    """What is asked for. where: request parameters as `entities.records.list_records` takes them."""

    model: type[Entity]
    where: Mapping[str, str]
    order: str
    sum_field: str
    limit: int

    @property
    def fields_used(self) -> list[str]:
        """Columns that decide what the result says, `name` apart."""
        named = [name.partition("__")[0] for name in self.where]
        found = dict.fromkeys([*named, self.order.removeprefix("-"), self.sum_field])
        return [name for name in found if name and name not in (*NAMES, "archived", "updated_at", "created_at")]

    @property
    def asks_names(self) -> bool:
        """Whether the names of records decide what the result says."""
        named = {name.partition("__")[0] for name in self.where}
        return not named.isdisjoint(NAMES) or self.order.removeprefix("-") in NAMES


def describe_tool(scope: Scope) -> dict[str, Any]:
    """The tool with the types and fields that exist for the open scope."""
    types = "\n".join(_describe_type(key, model) for key, model in list_entity_types().items())
    text = {"type": "string"}
    return {
        "name": NAME,
        "description": DESCRIPTION.format(types=types),
        "input_schema": {
            "type": "object",
            "properties": {
                "type": {**text, "enum": list(list_entity_types())},
                "where": {
                    "type": "object",
                    "description": "field: value. Also field__gte and field__lte for dates (YYYY-MM-DD) and numbers,"
                    " field__icontains for a part of a text.",
                },
                "order": {**text, "description": "A field to order by; with - before it, the greatest first."},
                "sum": {**text, "description": "A field of money or numbers to add up."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LISTED},
            },
            "required": ["type"],
        },
    }


def _describe_type(key: str, model: type[Entity]) -> str:
    fields = [f"{name}{_describe_column(model, name)}" for name in _list_plain_fields(model)]
    return f"- {key} ({model._meta.verbose_name_plural}): {', '.join(fields)}"


def _list_plain_fields(model: type[Entity]) -> list[str]:
    """Readable columns that are no links to other records."""
    return [name for name in list_readable_fields(model) if name not in list_parent_types(model)]


def _describe_column(model: type[Entity], name: str) -> str:
    column = get_column(model, name)
    if column.choices:
        return f" = {' | '.join(str(value) for value, _ in column.flatchoices)}"
    if isinstance(column, models.DecimalField):
        return " (money)"
    if isinstance(column, models.DateField):
        return " (date)"
    return " (number)" if isinstance(column, models.IntegerField) else ""


def read_query(scope: Scope, asked: Mapping[str, Any]) -> RecordQuery:
    """What a model asked for, in the open scope. Raises: BadCall."""
    kind = str(asked.get("type") or "").strip().lower()
    if kind not in list_entity_types():
        raise BadCall(f"There is no such type. Types are: {', '.join(list_entity_types())}.")
    model, where = list_entity_types()[kind], asked.get("where") or {}
    if not isinstance(where, dict) or not all(isinstance(value, str | int | float) for value in where.values()):
        raise BadCall("Give `where` as field: value.")
    if bad := [name for name, value in where.items() if name in UNUSED or not str(value) or CONTROL.search(str(value))]:
        raise BadCall(f"These narrow nothing: {', '.join(map(str, bad))}.")
    sum_field, limit = str(asked.get("sum") or ""), asked.get("limit") or DEFAULT_LISTED
    if sum_field and not (
        sum_field in _list_plain_fields(model)
        and isinstance(get_column(model, sum_field), models.DecimalField | models.IntegerField)
    ):
        raise BadCall(f"There is no number {sum_field!r} to add up.")
    if not isinstance(limit, int) or not 1 <= limit <= MAX_LISTED:
        raise BadCall(f"Give `limit` as a whole number from 1 to {MAX_LISTED}.")
    order = str(asked.get("order") or "name")
    return RecordQuery(model, {str(k): str(v) for k, v in where.items()}, order, sum_field, limit)


def list_knowledge(scope: Scope, session: Session, query: RecordQuery, room: int = PROMPT_TOKENS) -> ToolFindings:
    """The records, numbered in the session's registry, as many as have room in so many tokens, under a line that counts
    all of them. Raises: BadCall.
    """
    try:
        found = list_records(scope, query.model, {**query.where, "ordering": query.order})
    except BadQuery as problem:
        raise BadCall(problem.detail) from None
    rows = list(found[0 : query.limit])
    keys = dict(found.keys.order_by("pk").values_list("pk", "name_classification")[: MAX_COUNTED + 1])
    if len(keys) > MAX_COUNTED:
        raise BadCall(f"More than {MAX_COUNTED:,} records: narrow it by a field.")
    printed = [name for name in _list_plain_fields(query.model) if _is_printed(query, name)]
    label = combine_many(
        atom for name in {*printed, *query.fields_used} for atom in query.model.rag().get_field_label(name)
    )
    names = [*keys.values()] if query.asks_names else []
    lines = [_print_record(row, printed) for row in rows]
    fitted = len(fit_sizes([PASSAGE_TOKENS + estimate(line) for line in lines], room))
    is_cut, lines, rows = fitted < len(rows), lines[:fitted], rows[:fitted]
    query = replace(query, limit=min(query.limit, fitted or query.limit))
    givens = [SourceLabel(row.pk, combine_many([label, row.name_classification if row.title else 0])) for row in rows]
    # The number says something of the names and fields that decide it, also where it is none.
    counted = combine_many([label, *names])
    about = {session.entity_id} if session.entity_id else set()
    rest = [SourceLabel(pk, counted, weight=Weight.COUNT) for pk in {*about, *keys} - {row.pk for row in rows}]
    sources = _find_snapshots(rows, {given.entity: given.label for given in givens})
    numbers = dict(zip(sources, register_sources(scope, get_owner(session), list(sources.values())), strict=True))
    passages = tuple(
        ToolPassage(numbers[row.pk], UUID(sources[row.pk].key), line, given, "record")
        for row, line, given in zip(rows, lines, givens, strict=True)
        if row.pk in numbers
    )
    numbered = [prompts.NumberedPassage(p.n, p.text) for p in passages]
    document = prompts.PromptDocument(_choose_plural(query.model, 2), numbered)
    shown = prompts.render_passages([document])
    uncited = chat_prompts.render_lines(line for row, line in zip(rows, lines, strict=True) if row.pk not in numbers)
    head = [_count_line(query, len(keys)), *_format_sums(query, found.rows.filter(pk__in=[*keys]))]
    injections = tuple(dict.fromkeys(uncited.injections + shown.injections))
    notes = "\n".join(part for part in (*head, uncited.text) if part)
    return ToolFindings(
        f"{notes}\n{shown.text}",
        passages,
        injections,
        drawn=(*givens, *rest),
        label=counted,
        documents=(document,) if numbered else (),
        notes=notes,
        is_cut=is_cut,
    )


def _is_printed(query: RecordQuery, name: str) -> bool:
    """Beside the fields that were asked for, only such as need no clearance: an answer needs no more than its words."""
    return name not in ("name", "currency") and (
        name in query.fields_used or not query.model.rag().get_field_label(name)
    )


def _print_record(row: Any, fields: Iterable[str]) -> str:
    title = row.title_or_type
    values = {str(get_column(type(row), name).verbose_name).capitalize(): _print_value(row, name) for name in fields}
    return "; ".join([title, *(f"{label}: {value}" for label, value in values.items() if value)])


def _print_value(row: Any, name: str) -> str:
    value = getattr(row, name)
    if value is None or value == "":
        return ""
    if get_column(type(row), name).choices:
        return str(getattr(row, f"get_{name}_display")())
    if isinstance(value, Decimal):
        return format_money(value, getattr(row, "currency", ""))
    return date_format(value, "j F Y") if isinstance(value, date) else str(value)


def _choose_plural(model: type[Entity], count: int) -> str:
    return str(model._meta.verbose_name if count == 1 else model._meta.verbose_name_plural)


def _count_line(query: RecordQuery, count: int) -> str:
    wanted = ", ".join(f"{name.replace('__', ' ')} {value}" for name, value in query.where.items())
    shown = f"; the first {query.limit} by {query.order.removeprefix('-')}" if count > query.limit else ""
    return f"{count} {_choose_plural(query.model, count)}{f' ({wanted})' if wanted else ''}{shown}:"


def _format_sums(query: RecordQuery, rows: Any) -> list[str]:
    """One line a currency: amounts of different money are never added."""
    name = query.sum_field
    if not name:
        return []
    label = str(get_column(query.model, name).verbose_name)
    if not isinstance(get_column(query.model, name), models.DecimalField):
        return [f"Sum of {label}: {rows.order_by().aggregate(total=Sum(name))['total'] or 0}"]
    totals = rows.order_by().filter(**{f"{name}__isnull": False}).values_list("currency").annotate(total=Sum(name))
    return [f"Sum of {label}: {format_money(total, currency)}" for currency, total in sorted(totals)]


def _find_snapshots(rows: Sequence[Any], labels: Mapping[UUID, int]) -> dict[UUID, CitedSource]:
    """Record -> the index row of its own fields under the label of its line; none where there is no such row, for a
    citation leads to what was said."""
    found: dict[UUID, Any] = {}
    stored = ContextRow.objects.filter(kind=Kind.METADATA, field="", file=None, entity__in=[row.pk for row in rows])
    for row in stored.order_by("number"):
        if row.data_classification == labels[row.entity_id]:
            found.setdefault(row.entity_id, row)
    return {pk: _cite_snapshot(row) for pk, row in found.items()}


def _cite_snapshot(row: ContextRow) -> CitedSource:
    locator = {"row": str(row.pk), "kind": int(Kind.METADATA), "paragraphs": [], "passage": None, "digest": row.digest}
    return CitedSource(
        SourceType.KB_CHUNK,
        str(row.pk),
        row.data_classification or 0,
        row.entity_id,
        src=row.pk.hex[:8],
        locator=locator,
    )
