"""What an agent may do while it answers. A tool runs as the asker, in a scope of its own, and returns plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from chat.budget import PASSAGE_TOKENS, PROMPT_TOKENS, fit_sizes
from chat.derivation import SourceLabel, load_derivation_sources
from chat.models import LookIn, Session
from chat.passage_names import load_headings, load_name_labels, name_found_by
from chat.places import OutOfBounds, resolve_within
from chat.readers import EVERYBODY
from entities.access import Scope, combine_many, is_readable
from entities.models import Entity
from entities.models.classification import PUBLIC
from entities.registry import list_entity_types
from ingestion.models import ContextRow, Kind
from llm import prompts
from llm.tokens import estimate
from references.graph import DEEPEST
from retrieval.citations import Owner, register_sources
from retrieval.models import OwnerKind
from retrieval.query import CONTROL, PreparedQuery, Within
from retrieval.rerank import Shortlist, select_shortlist
from retrieval.results import SearchResult
from retrieval.search import FoundHits as Hits
from retrieval.search import choose_results, find_hits
from retrieval.tuning import load_tuning

WHEREVER = Within()
NOT_AS_QUOTED = "No passage was found that holds the quoted words as they stand; these are the nearest."
NOT_ALL = "For more passages there was no room: ask for the others by document, or with words that fewer have."
"""Without how many: an answer that says so has not their labels and sources."""

SEARCH_KNOWLEDGE: dict[str, Any] = {
    "name": "search_knowledge",
    "description": (
        "Search the documents, messages and fields that the person asking may see. Returns numbered passages. It "
        "looks in this record and those directly related to it, unless you widen or narrow it."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words that a good passage would contain."},
            "scope": {
                "type": "string",
                "enum": ["record", "related", "workspace"],
                "description": "Where to look: this record alone, it and related ones (the default), or everything.",
            },
            "entity_type": {"type": "string", "description": "Only records of this type, anywhere."},
            "entity_id": {"type": "string", "description": "Only this record."},
            "reference_depth": {
                "type": "integer",
                "minimum": 0,
                "maximum": DEEPEST,
                "description": "Look also in records that references lead to from there, so many steps away.",
            },
        },
        "required": ["query"],
    },
}


@dataclass(frozen=True)
class ToolPassage:
    """A passage that the model was given under `n`. given: with the headings that it was told to stand under. by: what
    found it, one of `chat.inspector.WHY`.
    """

    n: int
    row: UUID
    text: str
    given: SourceLabel
    by: str


@dataclass(frozen=True)
class ToolFindings:
    """What a search gives back to the model, and what it put into the prompt. within: where it looked. drawn: what the
    passages that are derived themselves, summaries and relations, were drawn from. place: where it looked, as in
    `chat.places`; attached: in attachments too. label: of what the text says beside all that, such as that there is
    none. documents: the passages as the text prints them; notes: what it says beside them. is_cut: for some that were
    found there was no room. listed: how many records a list counts.
    """

    text: str
    passages: tuple[ToolPassage, ...]
    injections: tuple[str, ...]
    within: Within = Within()
    drawn: tuple[SourceLabel, ...] = ()
    place: str = ""
    attached: bool = False
    label: int = 0
    documents: tuple[prompts.PromptDocument, ...] = ()
    notes: str = ""
    is_cut: bool = False
    listed: int = 0

    @property
    def sources(self) -> list[SourceLabel]:
        return [*(passage.given for passage in self.passages), *self.drawn]


class BadCall(ValueError):
    """A tool call that cannot be done as asked; the sentence is for the model."""


def get_owner(session: Session) -> Owner:
    """Who gives out the citation numbers of a conversation."""
    return Owner(OwnerKind.CHAT_SESSION, session.pk, session.audience)


def read_search_words(asked: dict[str, Any]) -> str:
    """The words to search for. Raises: BadCall."""
    query = asked.get("query")
    words = CONTROL.sub(" ", query).strip() if isinstance(query, str) else ""
    if not words:
        raise BadCall("Say in `query` what to search for.")
    return words


@dataclass(frozen=True)
class SearchLookup:
    """What a question found before passages are chosen. within: where it looked, and depth: how many references away
    from there. short: what a reranker reads. mentioned: it looked in what the question mentions.
    """

    hits: Hits
    within: Within
    short: Shortlist | None
    depth: int = 0
    mentioned: bool = False


def find_knowledge(
    scope: Scope,
    session: Session,
    query: PreparedQuery,
    asked: dict[str, Any],
    look_in: str = "",
    mentioned: Within | None = None,
) -> SearchLookup:
    """look_in, mentioned: of the turn. Raises: BadCall."""
    within, depth = _read_within(scope, session, asked, look_in, mentioned), _read_depth(asked)
    if mentioned or look_in not in ("", LookIn.WORKSPACE):
        depth = 0  # references lead elsewhere
    hits = find_hits(scope, query, within=within, reference_depth=depth)
    return SearchLookup(hits, within, select_shortlist(hits), depth, mentioned is not None)


def search_knowledge(
    scope: Scope, session: Session, looked: SearchLookup, most: int | None = None, room: int = PROMPT_TOKENS
) -> ToolFindings:
    """The best passages of what was found, `Tuning.prompt` or `most`, in `room` tokens, numbered in the session's
    registry.

    That a record belongs to another is no passage: it answers nothing, and `list_records` tells it.
    """
    limit = load_tuning().prompt if most is None else most
    found = choose_results(scope, looked.hits, limit=min(2 * limit, load_tuning().most))
    results = [result for result in found if result.kind is not Kind.RELATIONSHIP][:limit]
    notices = [NOT_AS_QUOTED] if looked.hits.quoted.lacks_passages and results else []
    if looked.hits.query.typed:
        notices.append(f"{prompts.OTHER_SPELLING} {' '.join(looked.hits.query.text.split())}")
    return print_results(scope, session, results, notices, looked.within, room=room)


def print_results(
    scope: Scope,
    session: Session,
    results: list[SearchResult],
    notices: Sequence[str] = (),
    within: Within = WHEREVER,
    by: str = "",
    room: int = PROMPT_TOKENS,
    is_spread: bool = False,
) -> ToolFindings:
    """Results as numbered passages of a prompt, under `notices`, with what they and their names were drawn from. by: as
    of a `ToolPassage`, where no search found them. In `room` tokens: the last of them are left out, is_spread: of the
    documents that have most.
    """
    if not session.is_private:
        # A passage for one person or role has no sources that would keep its words from who else reads along.
        theirs = ContextRow.objects.filter(
            pk__in=[result.id for result in results], audience__in={EVERYBODY, session.audience}
        )
        kept = set(theirs.values_list("pk", flat=True))
        results = [result for result in results if result.id in kept]
    sizes = [PASSAGE_TOKENS + estimate(result.text) + estimate(result.section) for result in results]
    documents_of = [result.file.id if result.file else None for result in results]
    fitted = [results[place] for place in fit_sizes(sizes, room, documents_of if is_spread else ())]
    is_cut, results = len(fitted) < len(results), fitted
    notices = [*notices, NOT_ALL] if is_cut else notices
    files, records = load_name_labels(results)
    above = load_headings(results)
    results = [result if result.id in above else replace(result, section="") for result in results]
    if session.is_private:
        # What its owner sent, and rests: they alone read what is made of it.
        results = [result if is_readable(result.label) else replace(result, label=PUBLIC) for result in results]
    numbers = register_sources(scope, get_owner(session), results)
    passages = tuple(
        ToolPassage(
            n,
            result.id,
            result.text,
            SourceLabel(
                result.entity.id,
                combine_many(
                    [result.label, records[result.entity.id], *([files[result.file.id]] if result.file else [])]
                ),
                (*result.passages, *above.get(result.id, ())),
            ),
            by or name_found_by(result),
        )
        for n, result in zip(numbers, results, strict=True)
    )
    documents = tuple(_group_documents(results, passages))
    ranked = [n for n, result in zip(numbers, results, strict=True) if result.is_found]
    if not by and len(ranked) > 1:
        notices = [*notices, " ".join([prompts.NEAREST, *(f"[{n}]" for n in ranked)])]
    shown, notes = prompts.render_passages(documents), "\n".join(notices)
    drawn = tuple(load_derivation_sources({result.id: result.label for result in results}))
    text = "\n".join([*notices, shown.text])
    return ToolFindings(
        text, passages, shown.injections, within, drawn, documents=documents, notes=notes, is_cut=is_cut
    )


def _read_depth(asked: dict[str, Any]) -> int:
    """Raises: BadCall."""
    depth = asked.get("reference_depth") or 0
    if not isinstance(depth, int) or not 0 <= depth <= DEEPEST:
        raise BadCall(f"Give `reference_depth` as a whole number from 0 to {DEEPEST}.")
    return depth


def _read_within(
    scope: Scope, session: Session, asked: dict[str, Any], look_in: str, mentioned: Within | None
) -> Within:
    """Raises: BadCall."""
    entity, kind = None, ""
    if asked.get("entity_id"):
        try:
            entity = Entity.objects.visible_to(scope).filter(pk=UUID(str(asked["entity_id"]))).first()
        except ValueError:
            entity = None
        if entity is None:
            raise BadCall("There is no such record, or none that the person asking may see.")
    elif asked.get("entity_type"):
        kind = str(asked["entity_type"]).strip().lower()
        if kind not in list_entity_types():
            raise BadCall(f"There is no such type. Types are: {', '.join(list_entity_types())}.")
    try:
        where = str(asked.get("scope") or "")
        return resolve_within(scope, session, look_in, where, entity.pk if entity else None, kind, mentioned)
    except OutOfBounds as problem:
        raise BadCall(str(problem)) from None


def _group_documents(results: list[SearchResult], passages: tuple[ToolPassage, ...]) -> list[prompts.PromptDocument]:
    """Passages by document and section, in the order in which the best of each was found."""
    grouped: dict[tuple[UUID, str], list[tuple[SearchResult, ToolPassage]]] = {}
    for result, passage in zip(results, passages, strict=True):
        place = result.file.id if result.file else result.entity.id
        grouped.setdefault((place, result.section), []).append((result, passage))
    documents = []
    for (_, section), group in grouped.items():
        group.sort(key=lambda pair: pair[0].position)
        first = group[0][0]
        title = f"{first.file.title} ({first.entity.title})" if first.file else first.entity.title
        named = f"{title}, {section}" if section else title
        # A record's own fields are said to be such: its name among them states nothing.
        kind = "fields" if first.kind is Kind.METADATA and not section else ""
        documents.append(prompts.PromptDocument(named, [prompts.NumberedPassage(p.n, r.text) for r, p in group], kind))
    return documents
