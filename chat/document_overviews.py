"""The tool `read_documents`: what the documents of a record say on the whole, for a summary or a first look.

A search needs words that a passage would contain, and "What is this about?" has none. This tool goes through the
documents instead: of each the opening, then the passages that say most of what the others say, or that hold the words
of `focus`. Everything is read as the asker: a row that they may not see is neither counted nor weighed.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Left

from chat.access import get_entity
from chat.attachments import find_attached
from chat.budget import PROMPT_TOKENS
from chat.models import LookIn, Session
from chat.numbered import parse_numbers, read_numbered
from chat.places import list_related
from chat.tools import BadCall, ToolFindings, print_results
from entities.access import Scope, build_sources_visible_q, build_visibility_q
from entities.models import Entity
from ingestion.models import ContextRow, File, Kind
from retrieval.fusion import Hit
from retrieval.gate import build_gates
from retrieval.query import CONTROL, Within
from retrieval.refs import FILE_NAME_IS_READABLE
from retrieval.results import load_results
from retrieval.terms import Terms
from text.papers import PAPERS
from text.pieces import split_sentences
from text.rarity import compute_frequencies, sum_cosines
from text.terms import extract_content_words, extract_terms

NAME = "read_documents"
MAX_DOCUMENTS = 8
MAX_PASSAGES = 14
MAX_PASSAGES_PER_DOCUMENT = 8
MAX_SHORT_CHARACTERS = 2_000
"""Of a document that is read whole, with what is printed around its passages: a receipt or a form of one page, cut into
many of them.
"""
OVERHEAD_CHARACTERS = 20
"""Of a passage: its number and lines."""
MAX_PASSAGES_OF_WHOLE = 60
"""Of all documents of an answer that are read whole."""
MAX_ROWS_PER_DOCUMENT = 400
"""Passages of a document among which the tool chooses, from its beginning."""
MAX_NAMES = 500
MAX_NAMED = 5_000
"""Names that are looked at in one place, whether or not their files have text for the asker."""
MAX_FOCUS_WORDS = 12
"""Words of a focus by which documents are chosen: each is looked for in every passage of the record."""
MAX_SOUGHT_FILES = 200
"""The newest files of a record, whose passages are looked through for the words of a focus."""
MAX_FIELD_ROWS = 4
MAX_OPENING_CHARACTERS = 600
DEPTHS: Mapping[str, int] = {LookIn.RECORD: 1, LookIn.FILES: 1, LookIn.LINKED: 2}
"""How many places a document is looked for in by its name, where one was chosen."""
MIN_STATEMENT_CHARACTERS = 30
MIN_NAME_FIT = 0.6
"""Share of the words asked for that a document's name has."""
NO_SUCH_NAME = "No document that the person asking may see is called so."
NO_TEXT = "There is no text here that the person asking may see."

READ_DOCUMENTS: dict[str, Any] = {
    "name": NAME,
    "description": (
        "Read what the documents of this record say on the whole, and its own fields: for a summary, an overview, main"
        " points, what was decided, who was there. Returns numbered passages of each document. To find a fact, search."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "document": {"type": "string", "description": "Words of a document's name, to read that one alone."},
            "focus": {"type": "string", "description": "Words that the passages should have, such as: agreed decided."},
            "fields": {"type": "boolean", "description": "Only the record's own fields, to cite one."},
            "numbers": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "Only the passages that were given under these numbers earlier in this conversation.",
            },
        },
    },
}


@dataclass(frozen=True)
class ReadingRequest:
    """What a model asks to read. document: words of a name, "" for all. focus: words of passages, "" for any. fields:
    no document, but the record's own fields. numbers: no document, but passages of the conversation.
    """

    document: str = ""
    focus: str = ""
    fields: bool = False
    numbers: tuple[int, ...] = ()


def parse_reading(asked: Mapping[str, Any]) -> ReadingRequest:
    """Raises: BadCall."""
    values = [asked.get(name) or "" for name in ("document", "focus")]
    if not all(isinstance(value, str) for value in values):
        raise BadCall("Give `document` and `focus` as words.")
    document, focus = (CONTROL.sub(" ", value).strip()[:300] for value in values)
    return ReadingRequest(document, focus, asked.get("fields") is True, parse_numbers(asked.get("numbers") or ()))


def read_documents(
    scope: Scope,
    session: Session,
    request: ReadingRequest,
    look_in: str = "",
    mentioned: Within | None = None,
    room: int = PROMPT_TOKENS,
    known: Collection[int] = (),
) -> ToolFindings:
    """Passages of the documents, numbered in the session's registry, in `room` tokens. look_in, mentioned: of the turn.
    known: numbers in its prompt. Raises: Http404 where the record is hidden; BadCall.
    """
    if request.numbers:
        return read_numbered(scope, session, request.numbers, look_in, mentioned, room, known)
    entity, attached = get_entity(scope, session), find_attached(scope, session)
    numbers: list[int] = []
    if mentioned is not None:
        read = () if request.fields else mentioned.entities
        every = [] if request.fields else list(mentioned.files)
        every += [file for record in read for file in _list_files(scope, record, request.focus)]
        named = find_named_files(scope, entity, request.document) if every and request.document else []
        files = ([file for file in named if file in every] or every)[:MAX_DOCUMENTS]
        numbers = [row for record in mentioned.entities for row in _choose_field_rows(scope, record)]
    elif request.document:
        files = find_named_files(scope, entity, request.document, look_in, attached)
        if not files:
            return ToolFindings(NO_SUCH_NAME, (), ())
    else:
        whole = [] if request.fields else [record.pk for record in (attached, entity) if record]
        files = [file for record in whole for file in _list_files(scope, record, request.focus)][:MAX_DOCUMENTS]
        numbers = _choose_field_rows(scope, entity.pk) if entity and look_in != LookIn.FILES else []
    alone = request.document and len(files) == 1
    share = MAX_PASSAGES if alone else max(2, min(MAX_PASSAGES_PER_DOCUMENT, MAX_PASSAGES // max(1, len(files))))
    for file in files:
        numbers += _choose_passages(
            scope, file, extract_terms(request.focus), share, MAX_PASSAGES_OF_WHOLE - len(numbers)
        )
    # Asked for once more by number, under the conditions of every search.
    through = build_gates(scope, Within())
    results = load_results(scope, [Hit(number, 0.0) for number in numbers], through, Terms({}))
    if not results and entity is None and mentioned is None and not request.document:
        # Also where something is attached, or who reads an answer that says so would know.
        raise BadCall("This chat is about no record: name a document, or search.")
    if not results:
        return ToolFindings(NO_TEXT, (), ())
    return print_results(scope, session, results, by="document", room=room, is_spread=True)


def find_named_files(
    scope: Scope, entity: Entity | None, name: str, look_in: str = "", attached: Entity | None = None
) -> list[UUID]:
    """The files whose names fit the words best: of what is attached to the conversation, else of the record, else of
    records beside it, else anywhere, as far as `look_in` goes.
    """
    wanted = _split_name(name)
    if not wanted:
        return []
    places = [Q(name__icontains=max(re.findall(r"\w+", name), key=len, default=name))]
    if entity is not None:
        places = [Q(entity=entity.pk), Q(entity__in=list_related(scope, entity.pk)), *places][: DEPTHS.get(look_in)]
    own = [Q(entity=record.pk) for record in (attached, entity) if record]
    if attached is not None:
        places = [own[0], *places]
    for place in places:
        # Two statements: in one, PostgreSQL looks through all passages anew for each name.
        newest = _select_named_files(scope).filter(place).order_by("-created_at", "pk")
        named = dict(newest.values_list("pk", "name")[:MAX_NAMED])
        rows = _select_readable_rows(scope).filter(file__in=list(named)).order_by()
        read = rows.values_list("file", flat=True).distinct()[:MAX_NAMES]
        names = {pk: named[pk] for pk in read}
        fits = {pk: _measure_fit(wanted, _split_name(known)) for pk, known in names.items()}
        best = max(fits.values(), default=0.0)
        if best < MIN_NAME_FIT and place in own:
            for pk, text in _read_openings(scope, names).items():
                fits[pk] = _measure_fit(wanted, _split_name(names[pk]) | set(extract_terms(text)))
            best = max(fits.values(), default=0.0)
            if best < MIN_NAME_FIT and len(names) == 1 and wanted <= PAPERS:
                return list(names)  # "the agreement", where the record has one paper
        if best >= MIN_NAME_FIT:
            chosen = [pk for pk, fit in fits.items() if fit == best]
            # Of "Annex 1.pdf" and "Annex 1 to the lease.pdf" the first is called just so.
            shortest = min(len(_split_name(names[pk])) for pk in chosen)
            return [pk for pk in chosen if len(_split_name(names[pk])) == shortest][:MAX_DOCUMENTS]
    return []


def _measure_fit(wanted: set[str], known: set[str]) -> float:
    """The share of the words that a name has."""
    return len(wanted & known) / len(wanted)


def _read_openings(scope: Scope, files: Iterable[UUID]) -> dict[UUID, str]:
    """With which text each of the files begins: a document names itself there."""
    rows = _select_readable_rows(scope).filter(file__in=files, position__lte=1).order_by("file", "position", "number")
    found: dict[UUID, str] = {}
    for pk, text in rows.values_list("file", Left("text", MAX_OPENING_CHARACTERS)):
        found[pk] = f"{found.get(pk, '')} {text}"
    return found


def _split_name(name: str) -> set[str]:
    """Words of a file's name: "Side_letter-2.pdf" has "side", "letter" and "2"."""
    return set(extract_terms(re.sub(r"\.\w{2,4}$", "", name).replace("_", " ").replace("-", " ").replace(".", " ")))


def _select_named_files(scope: Scope) -> QuerySet[File]:
    """Files of visible records whose names the asker is cleared for."""
    return _select_visible_files(scope).alias(cleared=FILE_NAME_IS_READABLE).filter(cleared=True)


def _select_visible_files(scope: Scope) -> QuerySet[File]:
    return File.objects.filter(
        entity__in=Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
    )


def _select_readable_rows(scope: Scope) -> QuerySet[ContextRow]:
    """Passages of files as the asker reads them: row-level security asks for labels and audience."""
    seen = Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
    return ContextRow.objects.filter(build_sources_visible_q(scope), entity__in=seen, kind=Kind.FILE_CHUNK)


def _list_files(scope: Scope, entity: UUID, focus: str) -> list[UUID]:
    """The record's newest files with text for the asker: pictures after papers, first those with a word of `focus`,
    then the newest.
    """
    rows = _select_readable_rows(scope).filter(entity=entity, file__isnull=False).order_by()
    words = [Q(text__icontains=word) for word in dict.fromkeys(extract_content_words(focus)[:MAX_FOCUS_WORDS])]
    hits = rows.filter(file=OuterRef("pk")).filter(reduce(or_, words)) if words else rows.none()
    files = _select_visible_files(scope).filter(pk__in=rows.values("file"))
    newest = list(files.order_by("-created_at", "pk").values_list("pk", flat=True)[:MAX_SOUGHT_FILES])
    files = files.filter(pk__in=newest).annotate(has_word=Exists(hits)).order_by("-has_word", "-created_at", "pk")
    found = list(files.values_list("pk", "revision__blob__media_type")[: 4 * MAX_DOCUMENTS])
    found.sort(key=lambda pair: str(pair[1] or "").startswith("image/"))
    return [pk for pk, _ in found[:MAX_DOCUMENTS]]


def _choose_field_rows(scope: Scope, entity: UUID) -> list[int]:
    """The record's own fields and long texts, a row a label, those of fields first."""
    seen = Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
    rows = ContextRow.objects.filter(
        build_sources_visible_q(scope), entity=entity, entity__in=seen, kind=Kind.METADATA, file=None
    )
    return list(rows.order_by("field", "position", "number").values_list("number", flat=True)[:MAX_FIELD_ROWS])


def _choose_passages(scope: Scope, file: UUID, focus: Sequence[str], count: int, whole: int) -> list[int]:
    """Numbers of rows, in reading order: of a short document all, where those are no more than `whole`."""
    rows = _select_readable_rows(scope).filter(file=file).order_by("position", "number")
    every = list(rows.values_list("number", "text")[:MAX_ROWS_PER_DOCUMENT])
    found = [(number, text) for number, text in every if re.search(r"\w", text)]  # a drawn line says nothing
    length = sum(len(text) + OVERHEAD_CHARACTERS for _, text in found)
    if len(every) < MAX_ROWS_PER_DOCUMENT and len(found) <= whole and length <= MAX_SHORT_CHARACTERS:
        return [number for number, _ in found]
    chosen = choose_central([text for _, text in found], focus, count)
    return [found[index][0] for index in chosen]


def is_statement(sentence: str) -> bool:
    """Whether it is a whole sentence of prose, no row, no title."""
    return len(sentence) >= MIN_STATEMENT_CHARACTERS and sentence[0] != "|" and sentence.endswith((".", "!", "。"))


def choose_central(texts: Sequence[str], focus: Sequence[str], count: int) -> list[int]:
    """Places of `count` texts, in order: the first that state something, then those that hold most and the rarest
    words of `focus` or, without one, stand early and are like the others.

    Who asks for something in particular gets more of the opening, where authors and dates stand.
    """
    if len(texts) <= count:
        return list(range(len(texts)))
    bags = [extract_terms(text) for text in texts]
    weights = compute_frequencies(bags)
    likeness = sum_cosines(bags, weights)
    most = max(likeness) or 1.0
    states = [any(map(is_statement, split_sentences(text))) for text in texts]
    wanted = set(focus)
    opening = range(max(1, (count + 1) // 2)) if wanted else [0]
    first = [*opening, *[index for index, has in enumerate(states) if has][:2]]

    def rank(index: int) -> tuple[float, bool, float]:
        early = 1 - index / len(texts)
        return (
            -sum(weights[term] for term in wanted & set(bags[index])),
            not states[index],
            -(likeness[index] / most + early),
        )

    order = sorted(range(len(texts)), key=rank)
    return sorted(list(dict.fromkeys([*first, *order]))[:count])
