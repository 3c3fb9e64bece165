"""The registry of citations: find-or-create a number for a source, per conversation or Pulse (design §6).

The model only ever echoes a number that was printed beside a passage. Numbers are small, grow by one, and never change
their meaning; all tools and agents of one owner share them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import connection

from entities.access import Scope
from ingestion.models import File, Kind, Paragraph
from retrieval.models import Citation, CitationCounter, OwnerKind, SourceType
from retrieval.results import SearchResult


@dataclass(frozen=True)
class Owner:
    """Who gives out numbers. audience: 0, or the one principal whose conversation it is."""

    kind: OwnerKind
    id: UUID
    audience: int = 0


@dataclass(frozen=True)
class CitedSource:
    """Something citable. key: its identity among sources of its type. src: eight hex digits, or "" for none."""

    type: SourceType
    key: str
    label: int
    entity: UUID
    file: UUID | None = None
    page: int | None = None
    src: str = ""
    locator: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source_key(self) -> str:
        return f"{self.type.value}:{self.key}"


@dataclass(frozen=True)
class CitationNumbers:
    """The numbers that an owner has given out, as far as the scope may know of them."""

    known: frozenset[int]
    by_src: Mapping[str, int]


def build_source(result: SearchResult) -> CitedSource:
    """A search result as a source. Its number is that of the index row, so the same passage keeps its number."""
    return CitedSource(
        type=SourceType.CHAT_TURN if result.kind is Kind.CHAT_MESSAGE else SourceType.KB_CHUNK,
        key=str(result.id),
        label=result.label,
        entity=result.entity.id,
        file=result.file.id if result.file else None,
        page=result.page,
        src=result.src,
        locator={
            "row": str(result.id),
            "kind": int(result.kind),
            "paragraphs": [str(pk) for pk in result.passages],
            "passage": str(result.passage) if result.passage else None,
            "digest": sha256(result.text.encode()).hexdigest(),
        },
    )


def register_source(scope: Scope, owner: Owner, source: SearchResult | CitedSource) -> int:
    """The number of `source` within `owner`. `register_sources` for one."""
    return register_sources(scope, owner, [source])[0]


def register_sources(scope: Scope, owner: Owner, sources: Sequence[SearchResult | CitedSource]) -> list[int]:
    """The numbers of `sources` within `owner`, new ones where they have none, in the open scope.

    Concurrent callers of one owner wait for each other, to the end of the transaction: keep it short.
    """
    given = [build_source(source) if isinstance(source, SearchResult) else source for source in sources]
    if not given:
        return []
    issued = _lock_counter(scope, owner)
    known = _load_source_numbers(owner, given)
    fresh: dict[tuple[str, int], CitedSource] = {}
    for source in given:
        if (source.source_key, source.label) not in known:
            fresh.setdefault((source.source_key, source.label), source)
    if fresh:
        spans = _load_spans(fresh.values())
        Citation.objects.bulk_create(
            _build_row(scope, owner, issued + i, source, spans) for i, source in enumerate(fresh.values(), start=1)
        )
        known.update({key: issued + i for i, key in enumerate(fresh, start=1)})
        CitationCounter.objects.filter(owner_kind=owner.kind, owner=owner.id).update(issued=issued + len(fresh))
    return [known[source.source_key, source.label] for source in given]


def load_numbers(scope: Scope, owner: Owner) -> CitationNumbers:
    """What `CitationStream` needs to tell a known marker from an invented one."""
    rows = list(Citation.objects.filter(owner_kind=owner.kind, owner=owner.id).values_list("n", "src"))
    return CitationNumbers(frozenset(n for n, _ in rows), {src: n for n, src in reversed(rows) if src})


def delete_registry(scope: Scope, owner: Owner) -> None:
    """Delete an owner's registry, when the owner is deleted. In the service's scope, or hidden rows would stay."""
    Citation.objects.filter(owner_kind=owner.kind, owner=owner.id).delete()
    CitationCounter.objects.filter(owner_kind=owner.kind, owner=owner.id).delete()


def _lock_counter(scope: Scope, owner: Owner) -> int:
    """Take the owner's counter until the transaction ends; how many numbers have been given out."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO retrieval_citationcounter AS c (workspace_id, owner_kind, owner, audience, issued)"
            " VALUES (%s, %s, %s, %s, 0)"
            " ON CONFLICT (workspace_id, owner_kind, owner) DO UPDATE SET issued = c.issued RETURNING issued",
            [scope.workspace, owner.kind.value, owner.id, owner.audience],
        )
        return int(cursor.fetchone()[0])


def _load_source_numbers(owner: Owner, sources: Iterable[CitedSource]) -> dict[tuple[str, int], int]:
    rows = Citation.objects.filter(
        owner_kind=owner.kind, owner=owner.id, source_key__in={source.source_key for source in sources}
    )
    return {(key, label): n for key, label, n in rows.values_list("source_key", "data_classification", "n")}


def _load_spans(sources: Iterable[CitedSource]) -> dict[str, tuple[int, int]]:
    """Paragraph -> its span in the canonical text of the revision."""
    ids = {pk for source in sources if source.file for pk in source.locator.get("paragraphs", ())}
    found = Paragraph.objects.filter(pk__in=ids).values_list("pk", "start", "end")
    return {str(pk): (start, end) for pk, start, end in found}


def _build_row(
    scope: Scope, owner: Owner, n: int, source: CitedSource, spans: Mapping[str, tuple[int, int]]
) -> Citation:
    places = [spans[pk] for pk in source.locator.get("paragraphs", ()) if pk in spans]
    revision = File.objects.filter(pk=source.file).values_list("revision", flat=True).first() if source.file else None
    return Citation(
        workspace_id=scope.workspace,
        owner_kind=owner.kind,
        owner=owner.id,
        audience=owner.audience,
        n=n,
        source_type=source.type,
        source_key=source.source_key,
        data_classification=source.label,
        entity_id=source.entity,
        file=source.file,
        page=source.page,
        src=source.src,
        locator={
            **source.locator,
            "revision": str(revision) if revision else None,
            "span": [min(s for s, _ in places), max(e for _, e in places)] if places else None,
        },
    )
