"""What a search gives: passages with where they stand and why they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Case, CharField, F, Value, When
from django.db.models.expressions import RawSQL

from entities.access import Scope, sources_visible, visible
from entities.models import Entity
from ingestion.models import ContextRow, Kind, RowParagraph
from retrieval.fusion import Hit
from retrieval.links import passage_url, workspace_url
from retrieval.matches import Matcher, bare
from retrieval.places import Layout, Part, RowText, layouts_of
from retrieval.terms import Terms

FILE_NAME_IS_READABLE = RawSQL(
    "ingestion_file.name_classification = ANY((SELECT app_allowed())::int[])", [], output_field=BooleanField()
)
FILE_NAME = Case(
    When(FILE_NAME_IS_READABLE, then=F("file__name")), default=Value(None), output_field=CharField(null=True)
)


@dataclass(frozen=True)
class EntityRef:
    """The record of a passage. name: None where the reader is not cleared for it; title is what may be printed."""

    id: UUID
    type: str
    name: str | None
    title: str
    type_name: str
    icon: str
    color: str
    url: str
    archived: bool


@dataclass(frozen=True)
class FileRef:
    """The file of a passage. name: None where the reader is not cleared for it."""

    id: UUID
    name: str | None
    collection: str

    @property
    def title(self) -> str:
        return self.name or "File (name not cleared)"


@dataclass(frozen=True)
class Scores:
    """vector: cosine similarity. lexical: BM25. None where a branch has nothing to say."""

    vector: float | None
    lexical: float | None


@dataclass(frozen=True)
class Result:
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
    layout: Layout
    passage: UUID | None
    url: str
    matched: tuple[str, ...] = ()
    matcher: Matcher = field(default_factory=lambda: Matcher(()), compare=False, repr=False)

    @property
    def src(self) -> str:
        """The eight hex digits by which a passage may be cited."""
        return self.id.hex[:8]

    @property
    def passages(self) -> tuple[UUID, ...]:
        """Its paragraphs, in order."""
        return self.layout.paragraphs

    def part_at(self, place: int | None) -> Part | None:
        """The part of it in which a character of its text stands."""
        return self.layout.at(place)


def entity_ref(scope: Scope, entity: Entity) -> EntityRef:
    """Of a record from `readable_by`."""
    model = entity.type_class
    return EntityRef(
        id=entity.pk,
        type=entity.type_name,
        name=entity.title,  # type: ignore[attr-defined]
        title=entity.title_or_type,
        type_name=str(model._meta.verbose_name).capitalize(),
        icon=model.rag().icon,
        color=model.rag().color,
        url=workspace_url(scope, "entities:detail", entity.pk),
        archived=entity.archived_at is not None,
    )


def load_results(
    scope: Scope, hits: Sequence[Hit], terms: Terms, linked: Mapping[UUID, UUID] | None = None
) -> list[Result]:
    """The rows behind `hits`, in their order, asked for once more under the scope's labels and permissions.

    linked: record -> the record from which a reference led to it.
    """
    rows = {
        row["number"]: row
        for row in ContextRow.objects.filter(
            sources_visible(scope),
            number__in=[hit.row for hit in hits],
            entity__in=Entity.objects.filter(visible(scope, Entity)).order_by().values("pk"),
        )
        .annotate(file_name=FILE_NAME)
        .values(
            "number", "id", "kind", "data_classification", "text", "heading_path", "page", "position", "entity_id",
            "file_id", "file_name", "file__collection",
        )
    }  # fmt: skip
    linked = linked or {}
    wanted = {row["entity_id"] for row in rows.values()}
    entities = {
        e.pk: entity_ref(scope, e) for e in records(scope, wanted | {linked[pk] for pk in wanted if pk in linked})
    }
    layouts = layouts_of({row["id"]: row_text(row) for row in rows.values()})
    matcher = terms.matcher
    matched = {hit.row: terms.matched(hit.terms) for hit in hits}
    results = []
    for hit in hits:
        row = rows.get(hit.row)
        if row is None or row["entity_id"] not in entities:
            continue
        origin = entities.get(linked[row["entity_id"]]) if row["entity_id"] in linked else None
        why = explain(matched[hit.row], hit, matched.get(hit.neighbour_of or 0, ()), origin)
        found = Found(row, entities[row["entity_id"]], layouts.get(row["id"], Layout()), tuple(matched[hit.row]))
        results.append(_result(scope, hit, found, matcher, why, origin is not None))
    return results


def records(scope: Scope, ids: set[UUID]) -> list[Entity]:
    return list(Entity.objects.readable_by(scope).filter(pk__in=ids)) if ids else []


def paragraphs_of(rows: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """row -> its paragraphs in the order of the text."""
    links = RowParagraph.objects.filter(row__in=rows).order_by(
        "row", "paragraph__position", "field_paragraph__position"
    )
    found: dict[UUID, tuple[UUID, ...]] = {}
    for row, paragraph, field_paragraph in links.values_list("row_id", "paragraph_id", "field_paragraph_id"):
        found[row] = (*found.get(row, ()), paragraph or field_paragraph)
    return found


def row_text(row: Mapping[str, Any]) -> RowText:
    return RowText(row["text"], row["data_classification"], row["page"], row["heading_path"])


@dataclass(frozen=True)
class Found:
    """A row that a search found, with what belongs to it."""

    row: Mapping[str, Any]
    entity: EntityRef
    layout: Layout
    matched: tuple[str, ...]


def _result(scope: Scope, hit: Hit, found: Found, matcher: Matcher, why: str, via_reference: bool) -> Result:
    row, entity = found.row, found.entity
    words = matcher.best_sentence(row["text"]) if found.matched else None
    part = found.layout.at(words[0] if words else None)
    passage = part.paragraph if part else next(iter(found.layout.paragraphs), None)
    return Result(
        id=row["id"],
        kind=Kind(row["kind"]),
        score=round(hit.score, 4),
        scores=Scores(_rounded(hit.similarity), _rounded(hit.lexical)),
        why=why,
        via_reference=via_reference,
        text=row["text"],
        label=row["data_classification"],
        entity=entity,
        file=FileRef(row["file_id"], row["file_name"], row["file__collection"]) if row["file_id"] else None,
        # A passage found by meaning alone is told as a whole: where it begins.
        page=part.page if part and words else row["page"],
        section=part.section if part and words else row["heading_path"],
        position=row["position"],
        layout=found.layout,
        passage=passage,
        url=passage_url(scope, entity.id, row["file_id"], row=row["id"], passage=passage, words=words),
        matched=found.matched,
        matcher=matcher,
    )


def explain(words: Sequence[str], hit: Hit, beside: Sequence[str], origin: EntityRef | None = None) -> str:
    """One sentence: which words matched, how near in meaning, beside which passage, through which record."""
    parts = []
    if words:
        parts.append(f"matched “{' '.join(map(bare, words))}”")
    if hit.similarity is not None:
        parts.append(f"{hit.similarity:.2f} similar in meaning")
    if hit.neighbour_of is not None:
        how = f"that matched “{' '.join(map(bare, beside))}”" if beside else "found by meaning"
        parts.append(f"beside a passage {how}")
    if hit.reranked:
        parts.append(hit.reranked)
    if origin is not None:
        parts.append(f"linked by reference from {origin.title}")
    sentence = "; ".join(parts) or "in what was searched"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
