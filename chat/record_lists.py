"""The tool `list_records`: records by type, state, date or name, counted, summed and grouped by the database as the
asker.

Every column that narrows, orders, is summed, grouped, compared or printed is one that the asker is cleared for, and
every record, a linked one too, one that they may see: `entities.records` asks for both in its statements. What is
hidden is in no number, group or order.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation

from chat.budget import PASSAGE_TOKENS, PROMPT_TOKENS, fit_sizes
from chat.derivation import SourceLabel
from chat.models import Session
from chat.record_sources import (
    NoSuchName,
    find_called,
    find_side,
    list_links,
    load_decisive_links,
    load_decisive_names,
    load_labels,
    load_linked,
    load_looked_at,
)
from chat.record_tables import (
    MOST_GROUPS,
    Linked,
    choose_plural,
    find_linked,
    is_name,
    print_record,
    select_linked,
    write_figures,
    write_groups,
    write_head,
)
from chat.record_tool import RecordQuery, describe_tool, read_query
from chat.tools import BadCall, ToolFindings, ToolPassage, get_owner
from entities.access import Scope, combine_many
from entities.models import Weight
from entities.models.entity import Visibility
from entities.record_columns import RecordColumn, list_record_columns
from entities.record_filters import SEPARATOR
from entities.records import BadQuery, list_records, select_records
from ingestion.models import ContextRow, Kind
from llm import chat_prompts, prompts
from llm.offline.list_tables import ADDRESS, UNCITED
from llm.offline.tokens import estimate
from retrieval.citations import CitedSource, register_sources
from retrieval.models import SourceType

__all__ = ["RecordQuery", "describe_tool", "list_knowledge", "read_query"]


@dataclass(frozen=True)
class _PrintedRow:
    """A record's line under its label. names: the linked records that the line says something of."""

    record: Any
    line: str
    label: int
    names: Sequence[SourceLabel]

    @property
    def source(self) -> SourceLabel:
        return SourceLabel(self.record.pk, self.label)


def list_knowledge(scope: Scope, session: Session, query: RecordQuery, room: int = PROMPT_TOKENS) -> ToolFindings:
    """The records, numbered in the session's registry, as many as have room in so many tokens, under a line that counts
    all of them. Raises: BadCall.
    """
    with translation.override(settings.LANGUAGE_CODE):
        try:
            return _list_knowledge(scope, session, query, room)
        except NoSuchName as problem:
            return _refuse_name(scope, query, str(problem))


def _refuse_name(scope: Scope, query: RecordQuery, sentence: str) -> ToolFindings:
    """It says something of every name that was looked at. Raises: BadCall."""
    looked = load_looked_at(scope, query)
    label = combine_many(looked.values())
    drawn = tuple(SourceLabel(pk, label, weight=Weight.COUNT) for pk in looked)
    return ToolFindings(sentence, (), (), drawn=drawn, label=label, notes=sentence)


def _list_knowledge(scope: Scope, session: Session, query: RecordQuery, room: int) -> ToolFindings:
    every = select_records(scope, query.model, query.where)
    if query.sides:
        sides = [find_side(query, every, words) for words in query.sides]
        query = replace(query, where={**query.where, "name__any": f"{SEPARATOR} ".join(sides)})
    try:
        found = list_records(scope, query.model, {**query.where, "ordering": query.order})
    except BadQuery as problem:
        raise BadCall(problem.detail) from None
    decisive = find_called(scope, query, found, every)
    keys = load_labels(found.keys)
    counted = query.model.objects.readable_by(scope).filter(pk__in=[*keys])
    used = [*dict.fromkeys([*found.columns, *query.computed])]
    printed = _choose_printed(query, used)
    label = combine_many(atom for column in (*printed, *used) for atom in column.atoms)
    rows = [] if query.group else found[0 : query.limit]
    cut = query.model.objects.filter(pk__in=[row.pk for row in rows])
    linked = {link: load_linked(scope, query, link, cut) for link in list_links(printed)}
    shown = [_print_row(row, printed, used, linked, label) for row in rows]
    fitted = len(fit_sizes([PASSAGE_TOKENS + estimate(row.line) for row in shown], room))
    is_cut, rows, shown = fitted < len(shown), rows[:fitted], shown[:fitted]
    linked_labels, name_labels = load_decisive_links(scope, query, found, every, counted)
    # The number says something of the names and fields that decide it, also where it is none.
    name_labels += load_decisive_names(query, used, found, every, keys)
    needed = combine_many([label, *name_labels])
    group, lines, texts = query.group, list[str](), set[UUID]()
    named = [source for row in shown for source in row.names]
    if group is not None:
        if list_links([group]):
            linked = {link: load_linked(scope, query, link, counted) for link in list_links([group])}
            weight = Weight.NAME if is_name(group) else Weight.COUNT if group.kind == "choice" else Weight.TEXT
            named = [SourceLabel(pk, needed, weight=weight) for link in linked for pk in linked[link]]
        elif group.kind == "text":
            texts = {*keys}
        lines = _write_lines(write_groups(scope, query, counted, linked))
    sizes = [estimate(line) for line in lines]
    most = len(fit_sizes(sizes[1 : MOST_GROUPS + 1], room - sum(sizes[:1])))
    is_cut = is_cut or most < min(len(lines) - 1, MOST_GROUPS)
    about = {session.entity_id} if session.entity_id else set()
    rest = {*about, *keys, *decisive, *linked_labels} - {row.pk for row in rows}
    weights = {pk: Weight.TEXT if pk in texts else Weight.COUNT for pk in rest}
    sources = _find_snapshots(rows, {row.record.pk: row.label for row in shown})
    numbers = dict(zip(sources, register_sources(scope, get_owner(session), list(sources.values())), strict=True))
    passages = tuple(
        ToolPassage(numbers[row.record.pk], UUID(sources[row.record.pk].key), row.line, row.source, "record")
        for row in shown
        if row.record.pk in numbers
    )
    numbered = [prompts.NumberedPassage(p.n, p.text) for p in passages]
    document = prompts.PromptDocument(choose_plural(query.model, 2), numbered)
    below = prompts.render_passages([document])
    uncited = chat_prompts.render_lines(row.line for row in shown if row.record.pk not in numbers)
    # Those without a number stand after the others: then no order is claimed.
    ordered = found.columns[-1] if len(passages) in (0, len(rows)) else None
    rows_need = combine_many(row.label for row in shown)
    stop = ":" if combine_many([needed, rows_need]) == rows_need else "."
    count, groups = (most, len(lines) - 1) if group else (len(rows), 0)
    heads = [write_head(query, found.words, len(keys), count, groups, ordered, stop)]
    head = chat_prompts.render_lines([*heads, *([] if group else write_figures(query, counted))])
    table = chat_prompts.render_lines(lines[: most + 1])
    notes = [head.text, *_note_money(scope, query, found.columns, counted), *_mark_head(table.text)]
    notes += [f"{UNCITED}{line}" for line in uncited.text.splitlines()]
    notes.append(f"{ADDRESS}{_build_address(scope, query)}")
    injections = tuple(dict.fromkeys(head.injections + table.injections + uncited.injections + below.injections))
    text = "\n".join(note for note in notes if note)
    return ToolFindings(
        f"{text}\n{below.text}",
        passages,
        injections,
        drawn=(
            *(row.source for row in shown),
            *named,
            *(SourceLabel(pk, needed, weight=weight) for pk, weight in weights.items()),
        ),
        label=needed,
        documents=(document,) if numbered else (),
        notes=text,
        is_cut=is_cut,
    )


def _choose_printed(query: RecordQuery, used: Sequence[RecordColumn]) -> list[RecordColumn]:
    """Beside the columns that were asked for, only such as need no clearance: an answer needs no more than its words.
    Those that were asked for come first, times last.
    """
    asked = sorted(used, key=lambda column: (column.kind == "time", column.path == "updated_at"))
    plain = [column for column in list_record_columns(query.model) if not column.link and not column.atoms]
    by_name = {column.link for column in asked if column.link and column.name == "name"}
    hidden = {"name", "currency", *by_name}
    return [c for c in dict.fromkeys([*asked, *plain]) if c.path not in hidden and c.name != "currency"]


def _print_row(
    row: Any, printed: Sequence[RecordColumn], used: Sequence[RecordColumn], linked: Linked, label: int
) -> _PrintedRow:
    """Without links that nobody asked for to what is not open to the workspace."""
    pairs = [(column, find_linked(row, column, linked)) for column in printed]
    pairs = [(c, to) for c, to in pairs if to is None or c.kind != "link" or c in used or _is_open(to)]
    names = [
        SourceLabel(
            to.pk,
            combine_many([label, to.name_classification if to.title else 0]),
            weight=Weight.NAME if is_name(c) else Weight.TEXT,
        )
        for c, to in pairs
        if to is not None
    ]
    titled = [record for record in (row, *(to for _, to in pairs)) if record is not None and record.title]
    needed = combine_many([label, *(record.name_classification for record in titled)])
    return _PrintedRow(row, print_record(row, [column for column, _ in pairs], linked), needed, names)


def _is_open(record: Any) -> bool:
    return bool(record.visibility == Visibility.WORKSPACE and not record.name_classification)


def _note_money(scope: Scope, query: RecordQuery, columns: Sequence[RecordColumn], counted: QuerySet[Any]) -> list[str]:
    """Amounts are not converted: where they narrow or order over several currencies, that is so."""
    for link in {column.link for column in columns if column.kind == "money"}:
        rows = select_linked(scope, query.model, link, counted) if link else counted
        if rows.order_by().values("currency").distinct().count() > 1:
            return ["Amounts in different currencies stand as they are; none is converted."]
    return []


def _write_lines(table: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(re.sub(r'([|`])', '/', cell) for cell in row)} |" for row in table]


def _mark_head(table: str) -> list[str]:
    """Lines of a table with the rule under its head."""
    lines = table.splitlines()
    return [lines[0], "|" + " --- |" * (lines[0].count("|") - 1), *lines[1:]] if lines else []


def _build_address(scope: Scope, query: RecordQuery) -> str:
    """Of the page with the same list."""
    parameters = urlencode({**query.where, "ordering": query.order})
    return f"/w/{scope.slug}/records/{query.model.type_key}/?{parameters}"


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
