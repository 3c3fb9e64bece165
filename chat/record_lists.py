"""The tool `list_records`: records by type, state, date or name, counted, summed and grouped by the database as the
asker.

Every column that narrows, orders, is summed, grouped, compared or printed is one that the asker is cleared for, and
every record, a linked one too, one that they may see: `entities.records` asks for both in its statements. What is
hidden is in no number, group or order.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.utils import translation

from chat.derivation import SourceLabel
from chat.models import Session
from chat.record_tables import choose_plural, load_linked, print_record, write_figures, write_groups, write_head
from chat.record_tool import RecordQuery, describe_tool, read_query
from chat.tools import BadCall, ToolFindings, ToolPassage, get_owner
from entities.access import Scope, combine_many
from entities.models import Weight
from entities.models.entity import Visibility
from entities.record_columns import RecordColumn, build_names_q, find_column, list_paths
from entities.records import BadQuery, RecordList, list_records
from ingestion.models import ContextRow, Kind
from llm import chat_prompts, prompts
from retrieval.citations import CitedSource, register_sources
from retrieval.models import SourceType

__all__ = ["RecordQuery", "describe_tool", "list_knowledge", "read_query"]

MAX_COUNTED = 2_000
ADDRESS = "In the lists: "
"""Before the address of the same list."""
UNCITED = "- "
"""Before a record that has no number."""


def list_knowledge(scope: Scope, session: Session, query: RecordQuery) -> ToolFindings:
    """The records, numbered in the session's registry, under a line that counts all of them. Raises: BadCall."""
    with translation.override(settings.LANGUAGE_CODE):
        return _list_knowledge(scope, session, query)


def _list_knowledge(scope: Scope, session: Session, query: RecordQuery) -> ToolFindings:
    try:
        found = list_records(scope, query.model, {**query.where, "ordering": query.order})
    except BadQuery as problem:
        raise BadCall(problem.detail) from None
    _check_names(scope, query, found)
    rows = [] if query.group else found[0 : query.limit]
    keys = dict(found.keys.order_by("pk").values_list("pk", "name_classification")[: MAX_COUNTED + 1])
    if len(keys) > MAX_COUNTED:
        raise BadCall(f"More than {MAX_COUNTED:,} records: narrow it by a field.")
    counted = query.model.objects.readable_by(scope).filter(pk__in=[*keys])
    used = [*dict.fromkeys([*found.columns, *query.computed])]
    linked = load_linked(scope, query.model, _list_links(query, used, found), counted)
    printed = _choose_printed(query, used)
    label = combine_many(atom for column in (*printed, *used) for atom in column.atoms)
    lines = [print_record(row, _drop_secret_links(row, printed, used, linked), linked) for row in rows]
    givens = [_give_row(row, label, _list_printed_links(row, printed, used, linked)) for row in rows]
    # The number says something of the names and fields that decide it, also where it is none.
    decisive = combine_many([label, *_label_names(query, used, found, keys, linked)])
    about = {session.entity_id} if session.entity_id else set()
    known = {row.pk for row in rows}
    others = {pk for link in _list_decisive_links(used, found, linked) for pk in linked[link]}
    rest = [SourceLabel(pk, decisive, weight=Weight.COUNT) for pk in {*about, *keys, *others} - known]
    named = {
        record.pk: combine_many([label, record.name_classification])
        for row in rows
        for record in _list_printed_links(row, printed, used, linked)
    }
    if query.group and query.group.kind == "link":
        named |= {
            pk: combine_many([label, record.name_classification]) for pk, record in linked[query.group.name].items()
        }
    names = [SourceLabel(pk, value) for pk, value in named.items()]
    sources = _find_snapshots(rows, {given.entity: given.label for given in givens})
    numbers = dict(zip(sources, register_sources(scope, get_owner(session), list(sources.values())), strict=True))
    passages = tuple(
        ToolPassage(numbers[row.pk], UUID(sources[row.pk].key), line, given, "record")
        for row, line, given in zip(rows, lines, givens, strict=True)
        if row.pk in numbers
    )
    numbered = [prompts.NumberedPassage(p.n, p.text) for p in passages]
    document = prompts.PromptDocument(choose_plural(query.model, 2), numbered)
    shown = prompts.render_passages([document])
    uncited = chat_prompts.render_lines(line for row, line in zip(rows, lines, strict=True) if row.pk not in numbers)
    ordered = found.columns[-1]
    head = chat_prompts.render_lines([write_head(query, found.words, len(keys), len(rows), ordered)])
    groups = chat_prompts.render_lines(_write_lines(write_groups(scope, query, counted, linked)) if query.group else ())
    figures = [] if query.group else write_figures(query, counted)
    notes = [head.text, *figures, *_note_money(used, ordered, counted), *_mark_head(groups.text)]
    notes += [f"{UNCITED}{line}" for line in uncited.text.splitlines()]
    notes.append(f"{ADDRESS}{_build_address(scope, query)}")
    injections = tuple(dict.fromkeys(head.injections + groups.injections + uncited.injections + shown.injections))
    text = "\n".join(note for note in notes if note)
    return ToolFindings(
        f"{text}\n{shown.text}",
        passages,
        injections,
        drawn=(*givens, *names, *rest),
        label=decisive,
        documents=(document,) if numbered else (),
        notes=text,
    )


def _check_names(scope: Scope, query: RecordQuery, found: RecordList) -> None:
    """What nothing that the person may see is called is no name. Raises: BadCall."""
    every = query.model.objects.readable_by(scope).filter(archived_at__isnull=True)
    for words in found.called:
        if not every.filter(build_names_q(scope, query.model, words)).exists():
            raise BadCall(f"There is no {choose_plural(query.model, 1)} with the name {words!r} in it.")
    for words in query.sides:
        if not every.filter(title__icontains=words).exists():
            raise BadCall(f"There is no {choose_plural(query.model, 1)} called {words!r}.")


def _list_decisive_links(
    used: Sequence[RecordColumn], found: RecordList, linked: Mapping[str, Mapping[UUID, Any]]
) -> list[str]:
    """Links whose records decide what the result says."""
    named = {column.name if column.kind == "link" else column.link for column in used}
    return [link for link in linked if found.called or link in named]


def _list_links(query: RecordQuery, used: Sequence[RecordColumn], found: RecordList) -> list[str]:
    """Links of which the result says something: all that a name may stand in, or is printed."""
    paths = [path for path in list_paths(query.model) if "." not in path]
    columns = [column for path in paths if (column := find_column(query.model, path)) is not None]
    asked = {column.link for column in used if column.link}
    return [c.name for c in columns if c.kind == "link" and (c in used or c.name in asked or not c.atoms)]


def _choose_printed(query: RecordQuery, used: Sequence[RecordColumn]) -> list[RecordColumn]:
    """Beside the columns that were asked for, only such as need no clearance: an answer needs no more than its words.
    Those that were asked for come first.
    """
    own = [column for path in list_paths(query.model) if "." not in path and (column := find_column(query.model, path))]
    plain = [column for column in own if column.name != "currency" and not column.atoms]
    asked = [column for column in used if column.kind not in ("time",) and column.name != "currency"]
    asked += [column for column in used if column.kind == "time" and column.path != "updated_at"]
    changed = [column for column in used if column.path == "updated_at"]
    by_name = {column.link for column in asked if column.link and column.name == "name"}
    return [c for c in dict.fromkeys([*asked, *changed, *plain]) if c.path != "name" and c.path not in by_name]


def _list_printed_links(
    row: Any, printed: Sequence[RecordColumn], used: Sequence[RecordColumn], linked: Mapping[str, Mapping[UUID, Any]]
) -> list[Any]:
    """The linked records of which the line of a record says something."""
    found = {}
    for column in _drop_secret_links(row, printed, used, linked):
        link = column.name if column.kind == "link" else column.link
        record = linked.get(link, {}).get(getattr(row, f"{link}_id")) if link else None
        if record is not None:
            found[record.pk] = record
    return list(found.values())


def _drop_secret_links(
    row: Any, printed: Sequence[RecordColumn], used: Sequence[RecordColumn], linked: Mapping[str, Mapping[UUID, Any]]
) -> list[RecordColumn]:
    """Without links that nobody asked for to what is not open to the workspace."""
    shown = []
    for column in printed:
        record = linked.get(column.name, {}).get(getattr(row, f"{column.name}_id")) if column.kind == "link" else None
        if record is None or column in used or _is_open(record):
            shown.append(column)
    return shown


def _is_open(record: Any) -> bool:
    return bool(record.visibility == Visibility.WORKSPACE and not record.name_classification)


def _give_row(row: Any, label: int, linked: Sequence[Any]) -> SourceLabel:
    names = [record.name_classification for record in linked if record.title]
    return SourceLabel(row.pk, combine_many([label, row.name_classification if row.title else 0, *names]))


def _label_names(
    query: RecordQuery,
    used: Sequence[RecordColumn],
    found: RecordList,
    keys: Mapping[UUID, int],
    linked: Mapping[str, Mapping[UUID, Any]],
) -> list[int]:
    """Labels of the names that decide what the result says."""
    by_name = bool(found.called) or "q" in query.where or any(c.name == "name" and not c.link for c in used)
    labels = [*keys.values()] if by_name else []
    decisive = _list_decisive_links([c for c in used if c.kind == "link" or c.name == "name"], found, linked)
    return labels + [record.name_classification for link in decisive for record in linked[link].values()]


def _note_money(used: Sequence[RecordColumn], ordered: RecordColumn, counted: Any) -> list[str]:
    """Amounts are not converted: an order over several currencies says so."""
    if ordered.kind != "money" or ordered.link or counted.order_by().values("currency").distinct().count() < 2:
        return []
    return ["Amounts in different currencies stand as they are; none is converted."]


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
