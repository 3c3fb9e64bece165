"""What the pipeline knows of the file it works on, and what its steps hand on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from entities.models import Classification, WorkspaceSettings
from entities.models.classification import FIRST_COMPOUND
from entities.rag import Collection
from ingestion.access import collection_of, floor_atoms
from ingestion.claims import Claim, ClaimLost
from ingestion.documents import Note, Unaccounted
from ingestion.extract import STRATEGIES
from ingestion.models import File
from ingestion.vector_models import current_model
from ingestion.votes import Vote
from llm import prompts, rules
from llm.client import model_for
from llm.prompts import Level

SCHEMA = 2
"""Raised by a change of extraction, chunking or the form of the rows, so that older witnesses do not match."""


@dataclass(frozen=True)
class Work:
    """A claimed revision.

    floor: atoms that every paragraph needs (collection, file). published: the revision is the one readers see; only its
    labels are worked over again, and its bytes are not opened. unaccounted, notes, pages, media_type: of the published
    one. strategy: None where pages are looked at as they need it.
    depth: how many files it lies in, as an attachment of an attachment.
    """

    claim: Claim
    name: str
    entity: UUID
    path: str
    strategy: str | None
    collection: Collection
    floor: frozenset[int]
    levels: tuple[Level, ...]
    guidance: str
    witness: str
    published: bool
    media_type: str
    pages: int | None
    unaccounted: tuple[Unaccounted, ...]
    depth: int = 0
    notes: tuple[Note, ...] = ()

    @property
    def file(self) -> UUID:
        return self.claim.file

    @property
    def workspace(self) -> int:
        return self.claim.workspace


@dataclass(frozen=True)
class Classified:
    """votes: of each paragraph, in order, manual ones aside. proposals: (summary, numbers of the paragraphs it was made
    from) as the model gave them. injections: what was neutralised in its prompts."""

    votes: tuple[tuple[Vote, ...], ...]
    proposals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    injections: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "votes": [[vote.to_json() for vote in votes] for votes in self.votes],
            "proposals": [[text, list(numbers)] for text, numbers in self.proposals],
            "injections": list(self.injections),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Classified":
        return cls(
            tuple(tuple(Vote.from_json(vote) for vote in votes) for votes in data["votes"]),
            tuple((text, tuple(numbers)) for text, numbers in data["proposals"]),
            tuple(data["injections"]),
        )


@dataclass(frozen=True)
class Marked:
    """A paragraph with its identity and label. headings: ids of the headings above it, outermost first."""

    id: UUID
    digest: str
    label: int | None
    floor: int
    votes: tuple[Vote, ...]
    headings: tuple[UUID, ...]

    def to_json(self) -> list[Any]:
        votes = [vote.to_json() for vote in self.votes]
        return [str(self.id), self.digest, self.label, self.floor, votes, [str(h) for h in self.headings]]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> "Marked":
        pk, digest, label, floor, votes, headings = data
        return cls(UUID(pk), digest, label, floor, tuple(map(Vote.from_json, votes)), tuple(UUID(h) for h in headings))


@dataclass(frozen=True)
class Segmented:
    """paragraphs: all, in order. summaries: label → sentences. decisions: digest of the manual votes that were
    heeded.
    """

    paragraphs: tuple[Marked, ...]
    summaries: Mapping[int, Sequence[str]]
    decisions: str

    def to_json(self) -> dict[str, Any]:
        return {
            "paragraphs": [paragraph.to_json() for paragraph in self.paragraphs],
            "summaries": [[label, list(sentences)] for label, sentences in self.summaries.items()],
            "decisions": self.decisions,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Segmented":
        return cls(
            tuple(Marked.from_json(paragraph) for paragraph in data["paragraphs"]),
            dict(data["summaries"]),
            data["decisions"],
        )


def load_work(claim: Claim) -> Work:
    """In an open service scope. Raises: ClaimLost."""
    file = File.objects.select_related("pending_revision__blob").filter(claim.mine()).first()
    if file is None or file.pending_revision is None:
        raise ClaimLost
    revision = file.pending_revision
    collection = collection_of(file)
    strategy = file.strategy if file.strategy != "auto" else collection.strategy
    return Work(
        claim=claim,
        name=file.name,
        entity=file.entity_id,
        path=revision.blob.path,
        strategy=strategy if strategy in STRATEGIES else None,
        collection=collection,
        floor=floor_atoms(file),
        levels=workspace_levels(),
        guidance=workspace_guidance(),
        witness=witness_of(revision.blob.sha256, strategy),
        published=file.revision_id == revision.pk,
        media_type=file.media_type,
        pages=file.pages,
        unaccounted=tuple(Unaccounted(u["code"], u["detail"], u.get("page")) for u in file.unaccounted),
        depth=_depth(file),
        notes=tuple(Note(n["code"], n["detail"]) for n in file.notes),
    )


def _depth(file: File) -> int:
    depth, origin = 0, file.origin_id
    while origin is not None:
        depth, origin = depth + 1, File.objects.values_list("origin", flat=True).get(pk=origin)
    return depth


def workspace_levels() -> tuple[Level, ...]:
    """The atoms of the open scope's workspace, as the model is told of them."""
    rows = Classification.objects.filter(value__lt=FIRST_COMPOUND).order_by("value")
    return tuple(Level(c.value, c.label, c.description) for c in rows)


def workspace_guidance() -> str:
    return WorkspaceSettings.objects.values_list("classification_prompt", flat=True).first() or ""


def witness_of(sha256: str, strategy: str) -> str:
    """H(blob digest, policy epoch, schema version, model ids, prompt hash), design §4. In an open scope."""
    epoch = WorkspaceSettings.objects.values_list("policy_epoch", flat=True).first()
    levels = [[level.value, level.label, level.description] for level in workspace_levels()]
    inputs = [
        sha256, strategy, epoch, SCHEMA, rules.VERSION, model_for("fast"), current_model(),
        prompts.digest(*prompts.CLASSIFY_TEMPLATES), levels, workspace_guidance(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
