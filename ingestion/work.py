"""What the pipeline knows of the file it works on, and what its steps hand on."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from entities.access import list_atoms
from entities.models import Classification
from entities.models.classification import FIRST_COMPOUND, STEWARDS
from entities.rag import Collection, split_label
from ingestion.access import collect_floor_atoms, get_collection
from ingestion.claims import Claim, ClaimLost
from ingestion.documents import Note, UnreadContent
from ingestion.extract import STRATEGIES
from ingestion.models import File, FileRevision, Redo, Stage
from ingestion.policy import Policy, load_policy
from ingestion.segment import Clearances
from ingestion.vector_models import get_current_model
from ingestion.votes import Vote
from ingestion.witness import CONCEALED, NAMES, RevisionInputs, collect_inputs, hash_parts
from llm.prompts import Level


@dataclass
class UnsavedResults:
    """What steps gave and a killed worker would lose. results: (step, part, JSON data), in order. since: when the last
    of the others was saved, of the monotonic clock. has_saved: whether any was."""

    results: list[tuple[Stage, int, Any]] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    has_saved: bool = False

    @property
    def age_seconds(self) -> float:
        return time.monotonic() - self.since

    def clear(self) -> None:
        """All has been saved."""
        self.results.clear()
        self.since, self.has_saved = time.monotonic(), True


@dataclass(frozen=True)
class Work:
    """A claimed revision.

    floor: atoms that every paragraph needs (collection, file). published: the revision is the one readers see; only its
    labels are worked over again, and its bytes are not opened. unaccounted, notes, pages, media_type: of the published
    one. strategy: None where pages are looked at as they need it.
    lineage: the file and those that it lies in, as an attachment of an attachment. number: of the version. inputs: what
    it is worked on with; witness: the digest of the bytes and those; embedder: the model of its vectors. changed: of a
    published one that is worked over again, the inputs that are others now; else its labels alone are, from the votes
    it has, and its inputs stay those it was made with. anew: nothing is taken over, not even from equal inputs.
    review: what a steward decided of it when it was quarantined (`ingestion.drift`). policy: of the workspace.
    declared_public: text in which nothing is found is Public, as its collection or sender says. declares: its
    collection, or who sent this version, gives it labels. is_offline: labels are left to the rules.
    saved: (step, witness) of the results that earlier workers saved. unsaved: what this one has not saved yet.
    """

    claim: Claim
    number: int
    name: str
    entity: UUID
    path: str
    strategy: str | None
    collection: Collection
    floor: frozenset[int]
    levels: tuple[Level, ...]
    policy: Policy
    inputs: RevisionInputs
    witness: str
    embedder: str
    published: bool
    media_type: str
    pages: int | None
    unaccounted: tuple[UnreadContent, ...]
    lineage: tuple[UUID, ...] = ()
    changed: frozenset[str] = frozenset()
    anew: bool = False
    review: str = ""
    declared_public: bool = False
    declares: bool = False
    notes: tuple[Note, ...] = ()
    is_offline: bool = False
    saved: frozenset[tuple[str, str]] = frozenset()
    unsaved: UnsavedResults = field(default_factory=UnsavedResults, compare=False)

    @property
    def is_first(self) -> bool:
        """Whether nothing was made of the file before."""
        return self.number == 1 and not self.published

    @property
    def known_atoms(self) -> frozenset[int]:
        return frozenset(level.value for level in self.levels) - {0}

    @property
    def opened(self) -> bool:
        """Whether its bytes are read: those of a new version, or of one whose text is taken out again."""
        return not self.published or "extraction" in self.changed

    @property
    def depth(self) -> int:
        """How many files it lies in, as an attachment of an attachment."""
        return len(self.lineage) - 1

    @property
    def file(self) -> UUID:
        return self.claim.file

    @property
    def workspace(self) -> int:
        return self.claim.workspace

    def build_witness(self, stage: Stage) -> str:
        """What the result of a step was made from: passages are measured, and vectors made, by the embedding model, and
        where they are cut depends on what is concealed; labels, on what unjudged text rests as."""
        if stage == Stage.EXTRACT:
            return self.witness
        rests = hash_parts(self.witness, sorted(self.policy.resting))
        cut = hash_parts(rests, self.embedder, self.inputs.concealed)
        return cut if stage in (Stage.CHUNK, Stage.EMBED) else rests


@dataclass(frozen=True)
class FileVotes:
    """votes: of each paragraph, in order, manual ones aside. proposals: (summary, numbers of the paragraphs it was made
    from) as the model gave them. injections: what was neutralised in its prompts. asked: the text is new to this
    workspace, so that summaries are made of it; else those that equal inputs gave serve. remainder: of the texts that
    no paragraph shows. kind: what the document as a whole looks like; None where that was not asked."""

    votes: tuple[tuple[Vote, ...], ...]
    proposals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    injections: tuple[str, ...] = ()
    asked: bool = False
    remainder: tuple[Vote, ...] = ()
    kind: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "votes": [[vote.to_json() for vote in votes] for votes in self.votes],
            "proposals": [[text, list(numbers)] for text, numbers in self.proposals],
            "injections": list(self.injections),
            "asked": self.asked,
            "remainder": [vote.to_json() for vote in self.remainder],
            "kind": self.kind,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FileVotes":
        return cls(
            tuple(tuple(Vote.from_json(vote) for vote in votes) for votes in data["votes"]),
            tuple((text, tuple(numbers)) for text, numbers in data["proposals"]),
            tuple(data["injections"]),
            data["asked"],
            tuple(map(Vote.from_json, data.get("remainder", ()))),  # kept by an earlier release without it
            data.get("kind"),
        )


@dataclass(frozen=True)
class MarkedParagraph:
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
    def from_json(cls, data: Sequence[Any]) -> "MarkedParagraph":
        pk, digest, label, floor, votes, headings = data
        return cls(UUID(pk), digest, label, floor, tuple(map(Vote.from_json, votes)), tuple(UUID(h) for h in headings))


@dataclass(frozen=True)
class SegmentedFile:
    """paragraphs: all, in order. summaries: label → sentences. decisions: digest of the manual votes that were
    heeded.
    """

    paragraphs: tuple[MarkedParagraph, ...]
    summaries: Mapping[int, Sequence[str]]
    decisions: str

    def to_json(self) -> dict[str, Any]:
        return {
            "paragraphs": [paragraph.to_json() for paragraph in self.paragraphs],
            "summaries": [[label, list(sentences)] for label, sentences in self.summaries.items()],
            "decisions": self.decisions,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SegmentedFile":
        return cls(
            tuple(MarkedParagraph.from_json(paragraph) for paragraph in data["paragraphs"]),
            dict(data["summaries"]),
            data["decisions"],
        )


def load_work(claim: Claim, embedder: str = "", *, hold: bool = False) -> Work:
    """embedder: the workspace's model, where that is known. hold: its policy, until the transaction ends. In an open
    service scope. Raises: ClaimLost.
    """
    file = File.objects.select_related("pending_revision__blob").filter(claim.build_ownership_q()).first()
    if file is None or file.pending_revision is None:
        raise ClaimLost
    revision = file.pending_revision
    collection = get_collection(file)
    strategy = get_strategy(file, revision)
    levels, concealed = load_levels()
    policy = load_policy(hold=hold)
    inputs = collect_inputs(collection, strategy, levels, policy.guidance, concealed, policy.epoch)
    witness = inputs.witness(revision.blob.sha256)
    published, changed = file.revision_id == revision.pk, frozenset[str]()
    anew = published and file.redo == Redo.ALL
    if published and file.redo:
        # Passages are cut as what is concealed now asks, whatever else has changed.
        changed = frozenset(NAMES if anew else inputs.list_changed_since(revision.inputs)) - {CONCEALED}
    elif published:
        inputs = replace(RevisionInputs.from_json(revision.inputs), concealed=inputs.concealed)
        witness = revision.witness
    return Work(
        claim=claim,
        number=revision.number,
        name=file.name,
        entity=file.entity_id,
        path=revision.blob.path,
        strategy=strategy if strategy in STRATEGIES else None,
        collection=collection,
        floor=collect_floor_atoms(file),
        levels=levels,
        policy=policy,
        inputs=inputs,
        witness=witness,
        embedder=embedder or get_current_model(),
        published=published,
        media_type=file.media_type,
        pages=file.pages,
        unaccounted=tuple(UnreadContent(u["code"], u["detail"], u.get("page")) for u in file.unaccounted),
        lineage=_load_lineage(file),
        changed=changed,
        anew=anew,
        review=revision.review,
        declared_public=collection.is_public or revision.public,
        declares=bool(split_label(collection.classification)) or revision.declared,
        notes=tuple(Note(n["code"], n["detail"]) for n in file.notes),
    )


def get_strategy(file: File, revision: FileRevision | None = None) -> str:
    """How a file is read, or a revision of it that came with a way of its own."""
    asked = (revision.strategy if revision else "") or file.strategy
    return asked if asked != "auto" else get_collection(file).strategy


def collect_inputs_now(file: File) -> RevisionInputs:
    """What a file would be worked on with today. In an open scope."""
    levels, concealed = load_levels()
    policy = load_policy()
    return collect_inputs(get_collection(file), get_strategy(file), levels, policy.guidance, concealed, policy.epoch)


def _load_lineage(file: File) -> tuple[UUID, ...]:
    found, origin = [file.pk], file.origin_id
    while origin is not None:
        found.append(origin)
        origin = File.objects.values_list("origin", flat=True).get(pk=origin)
    return tuple(found)


def load_levels() -> tuple[tuple[Level, ...], frozenset[int]]:
    """(the atoms of the open scope's workspace, as the model is told of them; those of which it shows nothing to who
    lacks them). That of stewards alone is no finding, and not among the first."""
    rows = list(Classification.objects.filter(value__lt=FIRST_COMPOUND).order_by("value"))
    levels = tuple(Level(row.value, row.label, row.description) for row in rows if row.value != STEWARDS)
    return levels, frozenset(row.value for row in rows if row.conceal)


def load_workspace_atoms() -> frozenset[int]:
    """In an open scope."""
    return frozenset(level.value for level in load_levels()[0]) - {0}


def load_workspace_levels() -> tuple[Level, ...]:
    return load_levels()[0]


def build_clearances(labels: Iterable[int | None], concealed: frozenset[int]) -> Clearances:
    """What who may read one of these labels knows of the others. In an open scope where one of them is a compound."""
    atoms = {
        label: frozenset({label} - {0}) if label < FIRST_COMPOUND else frozenset(list_atoms(label))
        for label in {*labels}
        if label is not None
    }
    return Clearances(atoms, concealed)
