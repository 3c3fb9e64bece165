"""From an answer's numbers to what they stand for: reference rows when it is written, links when it is read."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from uuid import UUID

from chat.models import Message, Role, Session, Turn
from chat.tools import get_owner
from entities.access import Scope, combine_many, list_readable_fields
from entities.model_markdown import CitationLink
from entities.models import Entity
from entities.registry import get_column
from ingestion.drawn import lock_labels
from ingestion.models import File
from llm.prompts import NOT_FOUND
from references.actions import CitationTarget, replace_citations
from references.kinds import LocationType
from references.locations import Location
from references.models import Reference
from retrieval.citation_links import MARKER, build_citation_links
from retrieval.citations import Owner
from retrieval.listed import ListedRecord
from retrieval.locate import ResolvedCitation, resolve_all
from retrieval.models import Citation
from retrieval.owners import CitingText

SHORTENED = re.compile(r"\d+ of \d+ ")
"""Begins the head of a list that cites some of the records counted: the number may need more than those."""
LIST_HEAD = re.compile(r"\d+ [^|]*:$")
LIST_FIGURE = re.compile(r"(?:Sum|Mean) of [^:|]{1,200}: \D{0,6}\d[\d.,]*$")
LIST_OPENING = re.compile(r"\d+ .*[:.]$")
LIST_LINK = re.compile(r"\[Open this list\]\(/w/[^()\s]*\)$")


def find_citing(scope: Scope, pk: UUID) -> CitingText | None:
    """Resolver for `retrieval.owners`: a message of a conversation that the caller reads, as far as they may read it
    today.
    """
    from chat.access import select_messages, select_sessions

    message = Message.objects.filter(pk=pk).first()
    session = select_sessions(scope).filter(pk=message.session_id).first() if message else None
    if message is None or session is None or not select_messages(scope, session).filter(pk=pk).exists():
        return None
    asked = (
        select_messages(scope, session).filter(turn=message.turn_id, role=Role.USER).values_list("content", flat=True)
    )
    return CitingText(get_owner(session), message.content, asked.first() or "", _load_listed(message))


def load_citation_links(
    scope: Scope, message: Message, question: str = "", resolved: Mapping[int, ResolvedCitation] | None = None
) -> dict[int, CitationLink]:
    """The chips of a message that the caller got from `select_messages`. question: that it answers. resolved: of
    `resolve_cited`, where the caller shows more messages of the conversation.
    """
    citing = CitingText(_find_cited_owner(message), message.content, question, _load_listed(message))
    return build_citation_links(scope, citing, message.pk, resolved)


def resolve_cited(scope: Scope, messages: Collection[Message]) -> dict[int, ResolvedCitation]:
    """All that messages of one conversation cite, in a fixed number of statements."""
    numbers = {int(n) for message in messages for n in MARKER.findall(message.content)}
    return resolve_all(scope, _find_cited_owner(next(iter(messages))), numbers) if numbers else {}


def _find_cited_owner(message: Message) -> Owner:
    return get_owner(Session(pk=message.session_id, audience=message.audience))


def _load_listed(message: Message) -> dict[int, ListedRecord]:
    """Records of a list that the quoting engine copied. A model's table is its own: it is checked whole."""
    listed = read_listed(message.content)
    turns = Turn.objects.filter(pk=message.turn_id, usage__offline=True)
    return listed if listed and turns.exists() else {}


def read_listed(content: str) -> dict[int, ListedRecord]:
    """By number, the records in the table of an answer that is a list by its first and last line, a record to a row or,
    side by side, to a column.
    """
    lines = [line for line in content.splitlines() if line.strip()]
    if not lines or not LIST_OPENING.match(lines[0]) or not LIST_LINK.match(lines[-1]):
        return {}
    rows = [line.strip()[2:-2].split(" | ") for line in lines if line.startswith("| ") and line.endswith(" |")]
    if len(rows) < 3 or len({len(row) for row in rows}) > 1:
        return {}
    table = [rows[0], *rows[2:]]  # without the rule under the head
    if any(MARKER.search(cell) for cell in rows[0]):
        table = [list(line) for line in zip(*table, strict=True)]
    titles = [_restore_cell(title) for title in table[0][1:]]
    return {
        int(n): ListedRecord(
            _restore_cell(MARKER.sub("", row[0]).strip()),
            dict(zip(titles, map(_restore_cell, row[1:]), strict=True)),
        )
        for row in table[1:]
        for n in MARKER.findall(row[0])
    }


def _restore_cell(cell: str) -> str:
    """As it stood before `llm.quoting.list_tables` quoted it."""
    return re.sub(r"\\(.)", r"\1", cell)


def collect_cited_atoms(
    content: str,
    links: Mapping[int, CitationLink],
    fields: Mapping[str, Collection[int]] | None = None,
    find_typed: Callable[[str], Collection[int] | None] = lambda line: None,
) -> tuple[int, ...] | None:
    """The atoms of what an answer shows; None where a line of it cites nothing that can be read, and its label is that
    of all that went into it.

    fields: of an answer by the offline engine, whose lines without a number are fields of the record, by title with
    their atoms, and the heads of lists, which need what the records below them need. find_typed: of a line that the
    asker typed before, the atoms of that message; None of any other.
    """
    if content == NOT_FOUND:
        return ()
    found: set[int] = set()
    heads = cited = 0
    lines = [line for line in content.splitlines() if line.strip()]
    places = _find_list_places(lines) if fields is not None else ()
    for place, line in enumerate(lines):
        numbers = {int(n) for n in MARKER.findall(line)}
        title = line.partition(": ")[0]
        if numbers:
            if any(n not in links or not links[n].url for n in numbers):
                return None
            found |= {atom for n in numbers for atom in links[n].atoms}
            cited += 1
        elif place in places:
            if SHORTENED.match(line):
                return None
            heads += 1
        elif fields is not None and title in fields:
            found |= set(fields[title])
        elif (typed := find_typed(line)) is not None:
            found |= set(typed)
        else:
            return None
    return None if heads and not cited else tuple(sorted(found))


def _find_list_places(lines: Sequence[str]) -> set[int]:
    """Where the lines over and under the records of a list are (`record_lists`). A record may be called as one of them
    is, so their places tell them, and the rule can only be under the first line of the table.
    """
    head = next((n for n, line in enumerate(lines) if line.startswith("|")), 0)
    rule = f"|{' --- |' * (lines[head].count(' | ') + 1)}" if head else ""
    if not LIST_HEAD.match("".join(lines[:1])) or lines[head + 1 : head + 2] != [rule]:
        return set()
    figures = {n for n in range(1, head) if LIST_FIGURE.match(lines[n])}
    return {0, head, head + 1, *figures, *([len(lines) - 1] if LIST_LINK.match(lines[-1]) else [])}


def label_fields(model: type[Entity]) -> dict[str, frozenset[int]]:
    """Title of a readable field, as a prompt prints it -> the atoms that it needs."""
    return {
        str(get_column(model, name).verbose_name).capitalize(): model.rag().get_field_label(name)
        for name in list_readable_fields(model)
    }


def replace_message_citations(session: Session, turn: Turn, numbers: Sequence[int]) -> None:
    """Make the Citation references of a turn's answer. They are its asker's alone, whoever reads the conversation:
    others may not be cleared for the answer that they would tell of. In the service's scope.

    What it cites stood in its prompt, so it is among the answer's sources already. A conversation about the workspace
    is no record that could refer to others.
    """
    if session.entity_id is None:
        return
    owner = get_owner(session)
    rows = Citation.objects.filter(owner_kind=owner.kind, owner=owner.id, n__in=numbers)
    cited = [_build_cited(row, row.entity_id) for row in rows if row.entity_id]
    replace_citations(
        owner=turn.answer,
        source=session.entity_id,
        origin=Reference.Origin.CHAT,
        origin_principal=turn.owner,
        cited=cited,
        audience=turn.owner,
    )


def _build_cited(row: Citation, entity: UUID) -> CitationTarget:
    """A row of the registry as a reference names it: "Survey.pdf, p. 12", under the labels that passage and name have
    now.
    """
    file = File.objects.filter(pk=row.file).first() if row.file else None
    if file is not None:
        name, name_label = file.name, file.name_classification
    else:
        name, name_label = Entity.objects.values_list("name", "name_classification").get(pk=entity)
    paragraphs = [UUID(pk) for pk in row.locator.get("paragraphs", ())]
    place = {
        "file": str(row.file) if row.file else None,
        "page": row.page,
        "passage": row.locator.get("passage") or (str(paragraphs[0]) if paragraphs else None),
    }
    detail = {key: value for key, value in place.items() if value is not None}
    return CitationTarget(
        entity=entity,
        passage=UUID(row.locator["row"]),
        label=combine_many([row.data_classification, name_label, *lock_labels(paragraphs)]),
        name=f"{name}, p. {row.page}" if row.page else name,
        location=Location(LocationType.CHUNK, detail, row.data_classification, paragraphs[0] if paragraphs else None),
        paragraphs=paragraphs,
    )
