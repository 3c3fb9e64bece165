"""From a number back to its passage, under today's labels and permissions (design §6).

A citation locates, it does not quote. The index row is looked for first; when it has been replaced, the paragraphs that
it stood on, which keep their ids through a new revision; for a record's snapshot, today's snapshot. Each is found by
queries that obey the scope now. What is hidden now and what is gone are the same answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext

from entities.access import Scope, build_sources_visible_q, build_visibility_q, list_atoms
from entities.access.objects import list_declared_fields
from entities.models import Entity, FieldParagraph
from entities.registry import get_column, list_entity_types
from ingestion.access import is_name_known
from ingestion.models import ContextRow, File, Kind, Paragraph
from retrieval.citations import Owner
from retrieval.links import build_passage_url
from retrieval.models import Citation, SourceType
from retrieval.places import RowLayout, TextPart, load_layouts
from retrieval.refs import EntityRef, FileRef, build_entity_ref, build_file_ref
from retrieval.results import build_row_text, load_records

PREVIEW = 200
SEPARATOR = "\n\n"


@dataclass(frozen=True)
class CitedLocation:
    """The text that a citation leads to now.

    atoms: what it needs. page, section: where it begins. exact: it is what was cited, to the letter. row: the index
    row, where it still stands.
    """

    text: str
    atoms: tuple[int, ...]
    page: int | None
    section: str
    layout: RowLayout
    exact: bool
    row: UUID | None = None


@dataclass(frozen=True)
class ResolvedCitation:
    """A known number. `located` is None where the source is no longer available to this reader: no more is told.

    words: the characters of its text that are meant, where that is known.
    """

    n: int
    type: SourceType
    located: CitedLocation | None = None
    entity: EntityRef | None = None
    file: FileRef | None = None
    words: tuple[int, int] | None = None

    @property
    def available(self) -> bool:
        return self.located is not None

    @property
    def name(self) -> str:
        """A short name of the source: its file, or its record."""
        return self.file.title if self.file else self.entity.title if self.entity else ""

    @property
    def page(self) -> int | None:
        """Of what is meant by it: of `words`, else of the beginning."""
        part = self._cited_part
        return part.page if part else self.located.page if self.located else None

    @property
    def section(self) -> str:
        part = self._cited_part
        return part.section if part else self.located.section if self.located else ""

    @property
    def where(self) -> str:
        return gettext("p. %(page)s") % {"page": self.page} if self.page else ""

    def url(self, scope: Scope) -> str:
        """Where it opens, with `words` marked; empty where it is not available."""
        if self.located is None or self.entity is None:
            return ""
        part = self._cited_part or self.located.layout.find_part(None)
        file = self.file.id if self.file else None
        row, passage = self.located.row, part.paragraph if part else None
        field = "" if file or passage else self._cited_field
        return build_passage_url(scope, self.entity.id, file, row=row, passage=passage, words=self.words, field=field)

    @property
    def preview(self) -> str:
        """200 characters, from where the words begin if the passage's beginning would not show them."""
        if self.located is None:
            return ""
        start, end = self.words or (0, 0)
        cut = start if end > PREVIEW else 0
        text = f"{'…' if cut else ''}{' '.join(self.located.text[cut:].split())}"
        return text if len(text) <= PREVIEW else f"{text[: PREVIEW - 1].rstrip()}…"

    @property
    def _cited_field(self) -> str:
        """The name of the field whose line of the record's properties is meant; "" for none."""
        model = list_entity_types().get(self.entity.type) if self.entity else None
        if model is None or self.located is None or self.words is None:
            return ""
        label = self.located.text[slice(*self.words)].partition(":")[0]
        titles = {str(get_column(model, name).verbose_name).capitalize(): name for name in list_declared_fields(model)}
        return titles.get(label, "")

    @property
    def _cited_part(self) -> TextPart | None:
        return self.located.layout.find_part(self.words[0]) if self.located and self.words else None


def resolve_citation(scope: Scope, owner: Owner, n: int) -> ResolvedCitation | None:
    """`[n]` of `owner`; None for a number that was never given out, as far as the scope may know."""
    return resolve_all(scope, owner, [n]).get(n)


def resolve_all(scope: Scope, owner: Owner, numbers: Iterable[int]) -> dict[int, ResolvedCitation]:
    """Several numbers at once, in a fixed number of statements."""
    cited = list(Citation.objects.filter(owner_kind=owner.kind, owner=owner.id, n__in=set(numbers)))
    if not cited:
        return {}
    entities: dict[UUID | None, EntityRef]
    entities = {
        e.pk: build_entity_ref(scope, e) for e in load_records(scope, {c.entity_id for c in cited if c.entity_id})
    }
    files = _load_files(scope, {c.file for c in cited if c.file}, entities)
    seen = [c for c in cited if c.entity_id in entities and (c.file is None or c.file in files)]
    places = _locate_citations(scope, seen)
    result = {}
    for citation in cited:
        located, type_ = places.get(citation.n), SourceType(citation.source_type)
        if located is None:
            result[citation.n] = ResolvedCitation(citation.n, type_)
            continue
        result[citation.n] = ResolvedCitation(
            n=citation.n,
            type=type_,
            located=located,
            entity=entities[citation.entity_id],
            file=files.get(citation.file),
        )
    return result


def _load_files(scope: Scope, ids: set[UUID], entities: Mapping[UUID | None, EntityRef]) -> dict[UUID | None, FileRef]:
    files = File.objects.filter(pk__in=ids, entity__in=list(entities))
    return {
        f.pk: build_file_ref(f.pk, f.name if is_name_known(scope, f) else None, f.name_classification, f.collection)
        for f in files
    }


def _locate_citations(scope: Scope, cited: list[Citation]) -> dict[int, CitedLocation]:
    found = _locate_by_row(scope, cited)
    found |= _locate_by_paragraphs([c for c in cited if c.n not in found])
    return found | _locate_by_record(scope, [c for c in cited if c.n not in found])


def _locate_by_row(scope: Scope, cited: list[Citation]) -> dict[int, CitedLocation]:
    """The index row itself. Rows are never rewritten, so its text is what was cited."""
    wanted = {c.n: UUID(c.locator["row"]) for c in cited if c.locator.get("row")}
    rows = {row["id"]: row for row in _select_readable_rows(scope, Q(pk__in=set(wanted.values())))}
    layouts = load_layouts({pk: build_row_text(row) for pk, row in rows.items()})
    return {n: _build_located(rows[pk], layouts, exact=True) for n, pk in wanted.items() if pk in rows}


def _locate_by_record(scope: Scope, cited: list[Citation]) -> dict[int, CitedLocation]:
    """A snapshot of a record's properties is replaced whenever they change: today's one, of the same label."""
    snapshots = [c for c in cited if c.file is None and c.locator.get("kind") == Kind.METADATA]
    if not snapshots:
        return {}
    rows = _select_readable_rows(scope, Q(kind=Kind.METADATA, file=None, entity__in=[c.entity_id for c in snapshots]))
    layouts = load_layouts({row["id"]: build_row_text(row) for row in rows})
    latest = {(row["entity_id"], row["data_classification"]): row for row in rows if row["id"] not in layouts}
    return {
        c.n: _build_located(latest[c.entity_id, c.data_classification], {}, exact=False)
        for c in snapshots
        if (c.entity_id, c.data_classification) in latest
    }


def _select_readable_rows(scope: Scope, which: Q) -> list[Any]:
    """Index rows that the scope may read: labels and audience by row-level security, and the permission on records."""
    seen = Entity.objects.filter(build_visibility_q(scope, Entity)).order_by().values("pk")
    rows = ContextRow.objects.filter(which, build_sources_visible_q(scope), entity__in=seen).order_by(
        "created_at", "number"
    )
    return [*rows.values("id", "entity_id", "text", "data_classification", "page", "heading_path")]


def _build_located(row: Mapping[str, Any], layouts: Mapping[UUID, RowLayout], *, exact: bool) -> CitedLocation:
    return CitedLocation(
        text=row["text"],
        atoms=list_atoms(row["data_classification"]),
        page=row["page"],
        section=row["heading_path"],
        layout=layouts.get(row["id"], RowLayout()),
        exact=exact,
        row=row["id"],
    )


def _locate_by_paragraphs(cited: list[Citation]) -> dict[int, CitedLocation]:
    """What is left, and readable, of the row's paragraphs. The caller has checked permission on records and files."""
    wanted = {UUID(pk) for c in cited for pk in c.locator.get("paragraphs", ())}
    if not wanted:
        return {}
    rows: dict[UUID, Any] = {
        p.pk: p for p in Paragraph.objects.filter(pk__in=wanted, data_classification__isnull=False)
    }
    rows |= {p.pk: p for p in FieldParagraph.objects.filter(pk__in=wanted, data_classification__isnull=False)}
    headings = {pk for p in rows.values() if isinstance(p, Paragraph) for pk in (*p.headings, *(p.under or ()))}
    words = dict(Paragraph.objects.filter(pk__in=headings).values_list("pk", "text"))
    found = {}
    for citation in cited:
        here = [rows[pk] for pk in map(UUID, citation.locator.get("paragraphs", ())) if pk in rows]
        here = [p for p in here if _belongs_to_citation(p, citation)]
        if here:
            text = SEPARATOR.join(p.text for p in here)
            found[citation.n] = CitedLocation(
                text=text,
                atoms=tuple(sorted({a for p in here for a in list_atoms(p.data_classification)})),
                page=getattr(here[0], "page", None),
                section=_format_section(here[0], words),
                layout=RowLayout(tuple(p.pk for p in here), tuple(_list_parts(here, words))),
                exact=sha256(text.encode()).hexdigest() == citation.locator.get("digest"),
            )
    return found


def _format_section(paragraph: Paragraph | FieldParagraph, words: Mapping[UUID, str]) -> str:
    above = paragraph.list_headings_to(words) if isinstance(paragraph, Paragraph) else ()
    return " > ".join(words[pk] for pk in above if pk in words)


def _list_parts(paragraphs: Iterable[Paragraph | FieldParagraph], words: Mapping[UUID, str]) -> Iterator[TextPart]:
    start = 0
    for p in paragraphs:
        end = start + len(p.text)
        yield TextPart(p.pk, start, end, p.page if isinstance(p, Paragraph) else None, _format_section(p, words))
        start = end + len(SEPARATOR)


def _belongs_to_citation(paragraph: Paragraph | FieldParagraph, citation: Citation) -> bool:
    """Permission was checked on the citation's record and file, so the paragraph must be of those."""
    if isinstance(paragraph, Paragraph):
        return paragraph.file_id == citation.file
    return paragraph.entity_id == citation.entity_id
