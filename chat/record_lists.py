"""The tool `list_records`: records by type, state, date or name, counted, summed and grouped by the database as the
asker.

Every column that narrows, orders, is summed, grouped, compared or printed is one that the asker is cleared for, and
every record, a linked one too, one that they may see: `entities.records` asks for both in its statements. What is
hidden is in no number, group or order.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation

from chat.budget import PASSAGE_TOKENS, PROMPT_TOKENS, fit_sizes
from chat.derivation import SourceLabel
from chat.models import Session
from chat.record_rows import choose_printed, print_row
from chat.record_snapshots import find_snapshots
from chat.record_sources import (
    NoSuchName,
    TooMany,
    find_called,
    find_side,
    list_links,
    list_narrowing,
    load_counted,
    load_decisive_links,
    load_decisive_names,
    load_labels,
    load_linked,
    load_looked_at,
)
from chat.record_tables import (
    MOST_GROUPS,
    choose_plural,
    is_name,
    load_grouped,
    select_grouped,
    select_linked,
    write_figures,
    write_groups,
    write_head,
)
from chat.record_tool import RecordQuery, describe_tool, read_query
from chat.tools import BadCall, ToolFindings, ToolPassage, get_owner
from entities.access import Scope, combine_many
from entities.models import Weight
from entities.record_columns import RecordColumn
from entities.record_filters import SEPARATOR
from entities.records import BadQuery, RecordList, list_records, select_records
from llm import chat_prompts, prompts
from llm.list_results import ADDRESS, APART, UNCITED, write_apart
from llm.tokens import estimate
from retrieval.citations import register_sources

__all__ = ["RecordQuery", "describe_tool", "list_knowledge", "read_query"]


def list_knowledge(scope: Scope, session: Session, query: RecordQuery, room: int = PROMPT_TOKENS) -> ToolFindings:
    """The records, numbered in the session's registry, as many as have room in so many tokens, under a line that counts
    all of them. Raises: BadCall.
    """
    with translation.override(settings.LANGUAGE_CODE):
        try:
            return _list_knowledge(scope, session, query, room)
        except NoSuchName as problem:
            return _refuse_name(scope, query, str(problem))
        except TooMany as problem:
            return _refuse_number(scope, query, problem)


def _refuse_name(scope: Scope, query: RecordQuery, sentence: str) -> ToolFindings:
    """It says something of every name that was looked at."""
    looked = load_looked_at(scope, query)
    return _refuse_list(sentence, looked, combine_many(looked.values()))


def _refuse_number(scope: Scope, query: RecordQuery, problem: TooMany) -> ToolFindings:
    """That there are so many says something of the fields that narrow them, as a number does."""
    columns = [*_find_list(scope, query).columns, *query.computed]
    behind = load_counted(scope, query, columns, problem.records)
    if query.sides or SEPARATOR in query.where.get("called", ""):
        behind |= load_looked_at(scope, query)  # some of the names were found before it was refused
    label = combine_many([*(atom for column in columns for atom in column.atoms), *behind.values()])
    return _refuse_list(str(problem), behind, label)


def _refuse_list(sentence: str, behind: Iterable[UUID], label: int) -> ToolFindings:
    """A sentence under the label of what it says, and with the records that it says something of."""
    drawn = tuple(SourceLabel(pk, label, weight=Weight.COUNT) for pk in behind)
    return ToolFindings(sentence, (), (), drawn=drawn, label=label, notes=sentence)


def _find_list(scope: Scope, query: RecordQuery) -> RecordList:
    """Raises: BadCall."""
    try:
        return list_records(scope, query.model, {**query.where, "ordering": query.order})
    except BadQuery as problem:
        raise BadCall(problem.detail) from None


def _list_knowledge(scope: Scope, session: Session, query: RecordQuery, room: int) -> ToolFindings:
    every = select_records(scope, query.model, query.where)
    if query.sides:
        sides = [find_side(query, every, words) for words in query.sides]
        query = replace(query, where={**query.where, "name__any": f"{SEPARATOR} ".join(sides)})
    found = _find_list(scope, query)
    # First of all: that too many are linked depends on no name and no value that was asked for.
    narrowing, name_labels = load_decisive_links(scope, query, list_narrowing(query, found), every)
    decisive = find_called(scope, query, found, every) | narrowing
    keys = load_labels(found.keys)
    counted = query.model.objects.readable_by(scope).filter(pk__in=[*keys])
    used = [*dict.fromkeys([*found.columns, *query.computed])]
    printed = choose_printed(query, used)
    label = combine_many(atom for column in (*printed, *used) for atom in column.atoms)
    rows = [] if query.group else found[0 : query.limit]
    cut = query.model.objects.filter(pk__in=[row.pk for row in rows])
    linked = {link: load_linked(scope, query, link, cut) for link in list_links(printed)}
    shown = [print_row(row, printed, used, linked, label) for row in rows]
    fitted = len(fit_sizes([PASSAGE_TOKENS + estimate(row.line) for row in shown], room))
    is_cut, rows, shown = fitted < len(shown), rows[:fitted], shown[:fitted]
    linked_labels, computed = load_decisive_links(scope, query, [found.columns[-1], *query.computed], counted)
    # The number says something of the names and fields that decide it, also where it is none.
    name_labels = [*name_labels, *computed, *load_decisive_names(query, used, found, every, keys)]
    needed = combine_many([label, *name_labels])
    group, lines, most, texts = query.group, list[str](), 0, set[UUID]()
    named = [source for row in shown for source in row.names]
    if group is not None:
        linked = {link: load_linked(scope, query, link, counted) for link in list_links([group])}
        table = write_groups(scope, query, counted, linked)
        lines = _write_lines([table.head, *(cells for _, cells in table.groups)])
        head_size, *sizes = map(estimate, lines)
        most = len(fit_sizes(sizes[:MOST_GROUPS], room - head_size))
        is_cut = most < min(len(sizes), MOST_GROUPS)
        values = {value for value, _ in table.groups[:most]}
        if linked:
            weight = Weight.NAME if is_name(group) else Weight.COUNT if group.kind == "choice" else Weight.TEXT
            of = [pk for link in linked for pk in select_grouped(group, linked[link], values)]
            named = [SourceLabel(pk, needed, weight=weight) for pk in of]
        elif group.kind == "text":
            texts = load_grouped(scope, query, counted, values)
    about = {session.entity_id} if session.entity_id else set()
    rest = {*about, *keys, *decisive, *linked_labels} - {row.pk for row in rows}
    weights = {pk: Weight.TEXT if pk in texts else Weight.COUNT for pk in rest}
    cited = find_snapshots(shown)
    registered = register_sources(scope, get_owner(session), [snapshot.source for snapshot in cited.values()])
    numbers = dict(zip(cited, registered, strict=True))
    passages = tuple(
        ToolPassage(n, UUID(cited[row.record.pk].source.key), cited[row.record.pk].text, row.source, "record")
        for row in shown
        if (n := numbers.get(row.record.pk))
    )
    numbered = [prompts.NumberedPassage(p.n, p.text) for p in passages]
    document = prompts.PromptDocument(choose_plural(query.model, 2), numbered)
    below = prompts.render_passages([document])
    uncited = chat_prompts.render_lines(row.line for row in shown if row.record.pk not in numbers)
    # Those without a number stand after the others: then no order is claimed.
    ordered = found.columns[-1] if len(passages) in (0, len(rows)) else None
    # What the citations show: where the rest of the rows, or the number, needs more, the answer's label is of all.
    cited_need = combine_many(
        cited[row.record.pk].source.label if row.record.pk in cited else row.label for row in shown
    )
    stop = ":" if combine_many([needed, cited_need, *(row.label for row in shown)]) == cited_need else "."
    count, groups = (most, len(lines) - 1) if group else (len(rows), 0)
    heads = [write_head(query, found.words, len(keys), count, groups, ordered, stop)]
    head = chat_prompts.render_lines([*heads, *([] if group else write_figures(query, counted))])
    printed_lines = chat_prompts.render_lines(lines[: most + 1])
    rests = {numbers[pk]: snapshot.rest for pk, snapshot in cited.items() if snapshot.rest}
    apart = chat_prompts.render_lines(rests.values())
    notes = [head.text, *_note_money(scope, query, found.columns, counted), *_mark_head(printed_lines.text)]
    notes += [APART] if rests else []
    notes += [f"{write_apart(n)}{line}" for n, line in zip(rests, apart.text.splitlines(), strict=True)]
    notes += [f"{UNCITED}{line}" for line in uncited.text.splitlines()]
    notes.append(f"{ADDRESS}{_build_address(scope, query)}")
    rendered = (head, printed_lines, apart, uncited, below)
    injections = tuple(dict.fromkeys(name for one in rendered for name in one.injections))
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
        listed=len(keys),
    )


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
