"""What a search gives: passages with where they stand and why they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext

from entities.access import Scope
from entities.models import Entity
from entities.registry import get_type_by_content_type
from ingestion.models import Kind, RowParagraph
from retrieval.fusion import Hit
from retrieval.gate import INDEX_ROWS, Gates
from retrieval.links import build_passage_url
from retrieval.matches import Matcher, format_words
from retrieval.places import RowLayout, RowText, TextPart, load_layouts
from retrieval.refs import EntityRef, FileRef, build_entity_ref, build_file_ref, build_ref_from_columns
from retrieval.statements import fetch_rows
from retrieval.terms import Terms


@dataclass(frozen=True)
class Scores:
    """vector: cosine similarity. lexical: BM25. None where a branch has nothing to say. is_close: whether the
    similarity tells something (`Likeness.close`).
    """

    vector: float | None
    lexical: float | None
    is_close: bool = False


@dataclass(frozen=True)
class SearchResult:
    """One passage.

    score: 0 to 1, comparable within one search. matched: words of the question in it; matcher finds them in the text.
    page, section: of the sentence that holds most of them, else of the beginning. layout: its paragraphs and where they
    stand. position: place in the file, never shown: it would count what is hidden.
    """

    id: UUID
    kind: Kind
    score: float
    scores: Scores
    why: str
    via_reference: bool
    text: str
    label: int
    entity: EntityRef
    file: FileRef | None
    page: int | None
    section: str
    position: int
    layout: RowLayout
    passage: UUID | None
    url: str
    matched: tuple[str, ...] = ()
    matcher: Matcher = field(default_factory=lambda: Matcher(()), compare=False, repr=False)

    @property
    def is_found(self) -> bool:
        """Whether a branch found it; else it came in beside one that was."""
        return self.scores != Scores(None, None)

    @property
    def src(self) -> str:
        """The eight hex digits by which a passage may be cited."""
        return self.id.hex[:8]

    @property
    def passages(self) -> tuple[UUID, ...]:
        """Its paragraphs, in order."""
        return self.layout.paragraphs

    def find_part_at(self, place: int | None) -> TextPart | None:
        """The part of it in which a character of its text stands."""
        return self.layout.find_part(place)


# Asked for once more under the scope's labels and permissions, with what is told of their records and files.
ROWS = """
WITH {ctes}
SELECT p."row", c.id, p.kind, p.data_classification, c.text, c.heading_path, c.page, c.position,
  e.id, e.content_type_id, CASE WHEN e.name_classification = ANY((SELECT app_allowed())::int[]) THEN e.name END,
  e.name_classification, e.archived_at IS NOT NULL,
  f.id, CASE WHEN f.name_classification = ANY((SELECT app_allowed())::int[]) THEN f.name END,
  f.name_classification, f.collection,
  ARRAY(SELECT coalesce(l.paragraph_id, l.field_paragraph_id) FROM ingestion_rowparagraph l WHERE l.row_id = c.id)
FROM ({rows}) p
JOIN ingestion_contextrow c ON c.number = p."row" JOIN entities_entity e ON e.number = p.entity
LEFT JOIN ingestion_file f ON f.id = c.file_id
WHERE {condition}
"""


SEEN = """
WITH {ctes}
SELECT p."row" FROM ({rows}) p WHERE {condition}
"""
# Joined, not `= ANY`: beside that, the planner reads all that is under the reader's labels out of another index.
OF_NUMBERS = f"{INDEX_ROWS} JOIN unnest(%(rows)s::int[]) asked (number) ON c.number = asked.number"


def filter_visible_rows(numbers: Sequence[int], gates: Gates) -> set[int]:
    """Those of the rows that pass the gate now."""
    statement = gates.each.fill(SEEN, rows=OF_NUMBERS)
    return {row for (row,) in fetch_rows(statement, {**gates.each.params, "rows": list(numbers)})}


def load_results(
    scope: Scope,
    hits: Sequence[Hit],
    gates: Gates,
    terms: Terms,
    linked: Mapping[UUID, UUID] | None = None,
    *,
    close: float = 1.0,
) -> list[SearchResult]:
    """The rows behind `hits`, in their order. linked: record -> the record from which a reference led to it. close: as
    of `Likeness`.

    Text and paragraphs are read by two statements. What rose between them is left out: its text would be given under
    the label that it had, and without the paragraphs by which what is drawn from it rises.
    """
    rows = _load_rows(scope, [hit.row for hit in hits], gates)
    origins = {}
    if linked and (wanted := {linked[row.entity.id] for row in rows.values() if row.entity.id in linked}):
        origins = {e.pk: build_entity_ref(scope, e) for e in load_records(scope, wanted)}
    layouts = load_layouts({row.id: row.text for row in rows.values()})
    matcher = terms.matcher
    matched = {
        hit.row: matcher.find_words_in(
            f"{rows[hit.row].text.section}\n{rows[hit.row].text.text}", terms.matched(hit.terms)
        )
        for hit in hits
        if hit.row in rows
    }
    results = []
    for hit in hits:
        row = rows.get(hit.row)
        if row is None or row.paragraphs != {*layouts.get(row.id, RowLayout()).paragraphs}:
            continue
        origin = origins.get((linked or {}).get(row.entity.id))  # type: ignore[arg-type]
        why = explain_hit(matched[hit.row], hit, matched.get(hit.neighbour_of or 0, ()), origin)
        scores = Scores(
            _round_score(hit.similarity), _round_score(hit.lexical), is_close=(hit.similarity or 0.0) >= close
        )
        found = FoundRow(row, layouts.get(row.id, RowLayout()), matched[hit.row], scores)
        results.append(_build_result(scope, hit, found, matcher, why, origin is not None))
    return results


def _load_rows(scope: Scope, numbers: Sequence[int], gates: Gates) -> "dict[int, IndexRow]":
    if not numbers:
        return {}
    statement = gates.each.fill(ROWS, rows=OF_NUMBERS)
    found = {}
    for (
        number, pk, kind, label, text, path, page, position, entity, content_type, name, name_label, archived,
        file, file_name, file_label, collection, paragraphs,
    ) in fetch_rows(statement, {**gates.each.params, "rows": list(numbers)}):  # fmt: skip
        found[number] = IndexRow(
            id=pk,
            kind=Kind(kind),
            position=position,
            text=RowText(text, label, page, path),
            entity=build_ref_from_columns(
                scope, get_type_by_content_type(content_type), entity, name, name_label, archived
            ),
            file=build_file_ref(file, file_name, file_label, collection) if file else None,
            paragraphs=frozenset(paragraphs),
        )
    return found


def load_records(scope: Scope, ids: set[UUID]) -> list[Entity]:
    return list(Entity.objects.readable_by(scope).filter(pk__in=ids)) if ids else []


def load_paragraph_ids(rows: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """row -> its paragraphs in the order of the text."""
    links = RowParagraph.objects.filter(row__in=rows).order_by(
        "row", "paragraph__position", "field_paragraph__position"
    )
    found: dict[UUID, tuple[UUID, ...]] = {}
    for row, paragraph, field_paragraph in links.values_list("row_id", "paragraph_id", "field_paragraph_id"):
        found[row] = (*found.get(row, ()), paragraph or field_paragraph)
    return found


def build_row_text(row: Mapping[str, Any]) -> RowText:
    return RowText(row["text"], row["data_classification"], row["page"], row["heading_path"])


@dataclass(frozen=True)
class IndexRow:
    """An index row with its record and file as the reader may know them."""

    id: UUID
    kind: Kind
    position: int
    text: RowText
    entity: EntityRef
    file: FileRef | None
    paragraphs: frozenset[UUID]


@dataclass(frozen=True)
class FoundRow:
    """A row that a search found, with what belongs to it."""

    row: IndexRow
    layout: RowLayout
    matched: tuple[str, ...]
    scores: Scores


def _build_result(
    scope: Scope, hit: Hit, found: FoundRow, matcher: Matcher, why: str, via_reference: bool
) -> SearchResult:
    row, text = found.row, found.row.text
    words = matcher.find_best_sentence(text.text) if found.matched else None
    part = found.layout.find_part(words[0] if words else None)
    passage = part.paragraph if part else next(iter(found.layout.paragraphs), None)
    file = row.file.id if row.file else None
    return SearchResult(
        id=row.id,
        kind=row.kind,
        score=round(hit.score, 4),
        scores=found.scores,
        why=why,
        via_reference=via_reference,
        text=text.text,
        label=text.label,
        entity=row.entity,
        file=row.file,
        # A passage found by meaning alone is told as a whole: where it begins.
        page=part.page if part and words else text.page,
        section=part.section if part and words else text.section,
        position=row.position,
        layout=found.layout,
        passage=passage,
        url=build_passage_url(scope, row.entity.id, file, row=row.id, passage=passage, words=words),
        matched=found.matched,
        matcher=matcher,
    )


def explain_hit(words: Sequence[str], hit: Hit, beside: Sequence[str], origin: EntityRef | None = None) -> str:
    """One sentence: which words matched, how near in meaning, beside which passage, through which record."""
    parts = []
    if words:
        parts.append(gettext("matched “%(words)s”") % {"words": format_words(words)})
    if hit.similarity is not None:
        parts.append(
            gettext("%(figure)s similar in meaning") % {"figure": number_format(Decimal(f"{hit.similarity:.2f}"), 2)}
        )
    if hit.neighbour_of is not None:
        if beside:
            parts.append(gettext("next to a passage that matched “%(words)s”") % {"words": format_words(beside)})
        else:
            parts.append(gettext("next to a passage found by meaning"))
    parts += [part for part in (hit.reranked, hit.standing) if part]
    if origin is not None:
        parts.append(gettext("linked by reference from %(name)s") % {"name": origin.title})
    sentence = "; ".join(parts) or gettext("in what was searched")
    return f"{sentence[0].upper()}{sentence[1:]}."


def _round_score(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
