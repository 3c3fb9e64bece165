"""Rows of the index and their vectors: what is wanted against what is there (design §4, Index and Publish).

Unchanged rows are not touched, so they keep their vectors, postings and citations. Postings follow by triggers.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from entities.models import Source
from ingestion.chunk import SEPARATOR, build_embedding_text
from ingestion.embedders import Embedder
from ingestion.models import ContextRow, Kind, RowParagraph

BATCH = 500
EMBED_BATCH = 64
Vector = str
"""A vector as the database reads and writes it: `[0.1,…]`."""


@dataclass(frozen=True)
class RowDraft:
    """An index row as it should be.

    paragraphs, field_paragraphs: whose text is in it, all with its label. sources: (entity, passage or None) of text
    that was drawn from elsewhere. heading_path: outermost first.
    """

    id: UUID
    kind: Kind
    label: int
    text: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    position: int = 0
    tokens: int = 0
    lang: str = "en"
    field: str = ""
    paragraphs: tuple[UUID, ...] = ()
    field_paragraphs: tuple[UUID, ...] = ()
    sources: tuple[tuple[UUID, UUID | None], ...] = ()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def path(self) -> str:
        return SEPARATOR.join(self.heading_path)

    @property
    def embedding_text(self) -> str:
        return build_embedding_text(self.heading_path, self.text)

    def to_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("label", "text", "page", "position", "tokens", "lang", "field")},
            "id": str(self.id),
            "kind": int(self.kind),
            "heading_path": list(self.heading_path),
            "paragraphs": [str(p) for p in self.paragraphs],
            "field_paragraphs": [str(p) for p in self.field_paragraphs],
            "sources": [[str(e), str(p) if p else None] for e, p in self.sources],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RowDraft":
        given = {
            **data,
            "id": UUID(data["id"]),
            "kind": Kind(data["kind"]),
            "heading_path": tuple(data["heading_path"]),
            "paragraphs": tuple(UUID(p) for p in data["paragraphs"]),
            "field_paragraphs": tuple(UUID(p) for p in data["field_paragraphs"]),
            "sources": tuple((UUID(e), UUID(p) if p else None) for e, p in data["sources"]),
        }
        return cls(**given)


# Vectors

INSERT_VECTORS = """
INSERT INTO ingestion_vector
  (workspace_id, data_classification, audience, entity, file, "row", kind, model, embedding, drawn)
SELECT c.workspace_id, c.data_classification, c.audience, e.number, coalesce(f.number, 0), c.number, c.kind,
  (SELECT id FROM ingestion_vectormodel WHERE model_id = %s), given.vector::halfvec,
  coalesce((SELECT p.drawn FROM ingestion_posting p WHERE p."row" = c.number AND p.term = 0), true)
FROM unnest(%s::uuid[], %s::text[]) AS given (id, vector)
JOIN ingestion_contextrow c ON c.id = given.id
JOIN entities_entity e ON e.id = c.entity_id
LEFT JOIN ingestion_file f ON f.id = c.file_id
ON CONFLICT DO NOTHING
"""


def load_known_vectors(
    drafts: Sequence[RowDraft], model_id: str, *, is_first: bool = False
) -> tuple[set[UUID], dict[UUID, Vector]]:
    """(drafts whose row has its vector already, vectors of equal text elsewhere in the workspace), in a service
    scope. is_first: none of the rows is there yet.
    """
    present: set[UUID] = set()
    with connection.cursor() as cursor:
        if not is_first:
            cursor.execute(
                "SELECT c.id FROM ingestion_contextrow c JOIN ingestion_vector v ON v.row = c.number"
                " JOIN ingestion_vectormodel m ON m.id = v.model WHERE c.id = ANY(%s) AND m.model_id = %s",
                [[draft.id for draft in drafts], model_id],
            )
            present = {row[0] for row in cursor.fetchall()}
        missing = [draft for draft in drafts if draft.id not in present]
        cursor.execute(
            "SELECT DISTINCT ON (c.digest, c.heading_path) c.digest, c.heading_path, v.embedding::text"
            " FROM ingestion_contextrow c JOIN ingestion_vector v ON v.row = c.number"
            " JOIN ingestion_vectormodel m ON m.id = v.model"
            " WHERE c.workspace_id = app_workspace() AND c.digest = ANY(%s) AND m.model_id = %s",
            [[draft.digest for draft in missing], model_id],
        )
        equal = {(digest, path): vector for digest, path, vector in cursor.fetchall()}
    reused = {d.id: equal[d.digest, d.path] for d in missing if (d.digest, d.path) in equal}
    return present, reused


def embed_texts(
    embedder: Embedder, drafts: Sequence[RowDraft], on_batch: Callable[[dict[UUID, Vector]], None] | None = None
) -> dict[UUID, Vector]:
    """Vectors of drafts, with no scope open. `on_batch` gets each batch as it is done. Raises: EmbeddingFailed."""
    made: dict[UUID, Vector] = {}
    for start in range(0, len(drafts), EMBED_BATCH):
        batch = drafts[start : start + EMBED_BATCH]
        texts = list(dict.fromkeys(draft.embedding_text for draft in batch))  # a short text is its own summary
        vectors = dict(zip(texts, map(format_vector, embedder.embed_documents(texts)), strict=True))
        done = {draft.id: vectors[draft.embedding_text] for draft in batch}
        made.update(done)
        if on_batch is not None:
            on_batch(done)
    return made


def format_vector(values: Iterable[float]) -> Vector:
    """Five significant digits are more than a half-precision float holds."""
    return f"[{','.join(f'{value:.5g}' for value in values)}]"


# Rows


def replace_rows(
    *,
    workspace: int,
    entity: UUID,
    file: UUID | None,
    existing: QuerySet[ContextRow],
    drafts: Sequence[RowDraft],
    vectors: Mapping[UUID, Vector],
    embedder: Embedder,
    witness: str,
) -> None:
    """Make `existing` what `drafts` say, in the open transaction of a service scope.

    vectors: of every draft whose row is new or has none of this embedder's yet.
    """
    wanted = {draft.id: draft for draft in drafts}
    there = {row.pk: row for row in existing.defer("text")}
    delete_rows(set(there) - set(wanted))
    moved = []
    for pk, row in there.items():
        draft = wanted.get(pk)
        if draft is None:
            continue
        new = (draft.label, draft.position, draft.page, draft.tokens, witness)
        if (row.data_classification, row.position, row.page, row.tokens, row.witness) != new:
            row.data_classification, row.position, row.page, row.tokens, row.witness = new
            moved.append(row)
    ContextRow.objects.bulk_update(
        moved, ["data_classification", "position", "page", "tokens", "witness"], batch_size=BATCH
    )
    ContextRow.objects.bulk_create(
        [_build_row(workspace, entity, file, draft, witness) for draft in drafts if draft.id not in there],
        batch_size=BATCH,
    )
    _write_links(workspace, drafts, set(there))
    _write_sources(workspace, drafts, set(there))
    write_vectors(vectors, embedder)


def delete_rows(rows: Iterable[UUID]) -> None:
    """Rows out, with their vectors, postings, links and sources."""
    ContextRow.objects.filter(pk__in=list(rows))._raw_delete("default")


def _build_row(workspace: int, entity: UUID, file: UUID | None, draft: RowDraft, witness: str) -> ContextRow:
    return ContextRow(
        id=draft.id,
        workspace_id=workspace,
        data_classification=draft.label,
        kind=draft.kind,
        entity_id=entity,
        file_id=file,
        field=draft.field,
        text=draft.text,
        heading_path=draft.path,
        page=draft.page,
        position=draft.position,
        tokens=draft.tokens,
        lang=draft.lang,
        digest=draft.digest,
        witness=witness,
    )


def _write_links(workspace: int, drafts: Sequence[RowDraft], old: set[UUID]) -> None:
    """Which paragraphs stand in which row. The database refuses a link whose ends do not have the same label. old: the
    rows that were there before; others have none yet."""
    there: dict[UUID, set[tuple[UUID | None, UUID | None, int]]] = defaultdict(set)
    for link in RowParagraph.objects.filter(row__in=[draft.id for draft in drafts if draft.id in old]):
        there[link.row_id].add((link.paragraph_id, link.field_paragraph_id, link.data_classification))
    wrong, made = [], []
    for draft in drafts:
        links = [(p, None, draft.label) for p in draft.paragraphs] + [
            (None, p, draft.label) for p in draft.field_paragraphs
        ]
        if there[draft.id] != set(links):
            wrong.append(draft.id)
            made += [
                RowParagraph(
                    workspace_id=workspace,
                    row_id=draft.id,
                    paragraph_id=p,
                    field_paragraph_id=f,
                    data_classification=label,
                )
                for p, f, label in dict.fromkeys(links)
            ]
    RowParagraph.objects.filter(row__in=old.intersection(wrong))._raw_delete("default")
    RowParagraph.objects.bulk_create(made, batch_size=BATCH)


def _write_sources(workspace: int, drafts: Sequence[RowDraft], old: set[UUID]) -> None:
    there: dict[UUID, set[tuple[UUID, UUID | None]]] = defaultdict(set)
    for source in Source.objects.filter(derived__in=[draft.id for draft in drafts if draft.id in old]):
        there[source.derived].add((source.entity_id, source.passage))
    changed = [draft for draft in drafts if there[draft.id] != set(draft.sources)]
    Source.objects.filter(derived__in=[draft.id for draft in changed if draft.id in old])._raw_delete("default")
    Source.objects.bulk_create(
        [
            Source(workspace_id=workspace, derived=draft.id, entity_id=entity, passage=passage)
            for draft in changed
            for entity, passage in dict.fromkeys(draft.sources)
        ],
        batch_size=BATCH,
    )


def write_vectors(vectors: Mapping[UUID, Vector], embedder: Embedder) -> None:
    """Put vectors of a model that is registered (`vector_models`) beside their rows; columns that filters use are
    copied from the row."""
    if not vectors:
        return
    ids = list(vectors)
    with connection.cursor() as cursor:
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            cursor.execute(
                INSERT_VECTORS,
                [embedder.model_id, batch, [vectors[pk] for pk in batch]],
            )
