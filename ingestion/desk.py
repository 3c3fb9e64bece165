"""The classification desk: what waits for a steward's decision, and taking proposals as they stand (docs/labels.md).

A paragraph waits by its `review` column, which the database keeps. A steward is shown what row-level security shows
them, on records that they may see, and everything here is counted after that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import BooleanField, CharField, F, Q, QuerySet, Value
from django.urls import reverse
from django.utils.translation import gettext

from entities.access import Scope, list_atoms, load_atoms_by_label, load_granted_atoms
from entities.api.lists import list_atom_chips
from entities.language import translate_stored
from entities.models import Entity, FieldParagraph, Review
from entities.models.classification import STEWARDS
from entities.models.text import Labelled
from ingestion.access import is_steward, select_visible_files, write_file_name
from ingestion.models import File, Paragraph
from ingestion.relabelling import apply_decisions, build_decision, check_own_labels, digest_judged
from ingestion.tables import format_as_prose
from ingestion.votes import Vote, build_votes, collect_automatic, find_manual_vote, find_own_atoms, find_proposed_raise

MOST = 100
"""Proposals that are taken at once: what fits on a page, so that nobody takes what they were not shown."""
CAUSES: Mapping[str, Review] = {cause.name.lower(): cause for cause in Review}
ACCEPTED = "accepted as proposed"
UNJUDGED = "unjudged"
"""In the place of a cause: text that rests. It waits for nobody, and can be decided like what waits."""
RESTS = Q(judged=False, data_classification__isnull=False)
DECIDABLE = ~Q(review=0) | RESTS


@dataclass(frozen=True)
class QueueFilter:
    """Filters of the queue; what is None or "" narrows nothing. label: an atom that the paragraph has, or that a vote
    names. cause: a key of CAUSES, or UNJUDGED.
    """

    cause: str = ""
    file: UUID | None = None
    entity: UUID | None = None
    label: int | None = None


@dataclass(frozen=True)
class Where:
    """Where a paragraph stands: a file's name, or the title of a record's text. file, page: None for typed text."""

    paragraph: UUID
    record: str
    entity: UUID
    title: str
    file: UUID | None = None
    page: int | None = None

    # Addresses of pages, which only pages ask for.

    @property
    def record_url(self) -> str:
        return reverse("entities:detail", args=[self.entity])

    @property
    def url(self) -> str:
        """Of the reader at that place, or of the record."""
        anchor = f"#p-{self.paragraph}"
        if self.file is None:
            return self.record_url + anchor
        return f"{reverse('ingestion:reader', args=[self.file])}?passage={self.paragraph}{anchor}"


@dataclass(frozen=True)
class Item:
    """A paragraph that waits. now: its atoms, None while unlabelled. proposed: what is taken when it is accepted; None
    where nobody has voted yet, so that there is nothing to accept. seen: what `digest_judged` says of it as it is
    shown.
    """

    paragraph: Paragraph | FieldParagraph
    causes: Sequence[str]
    now: frozenset[int] | None
    proposed: frozenset[int] | None
    votes: Sequence[Vote]
    seen: str
    where: Where

    @property
    def key(self) -> str:
        return str(self.paragraph.pk)

    @property
    def url(self) -> str:
        return reverse("ingestion:desk_item", args=[self.paragraph.pk])

    @property
    def words(self) -> str:
        """What the paragraph says, for a line of the queue, where it is cut."""
        return format_as_prose(self.paragraph.text)

    @property
    def cause_titles(self) -> list[str]:
        return [str(CAUSES[cause].label) for cause in self.causes]

    @property
    def now_chips(self) -> list[Any] | None:
        return None if self.now is None else list_atom_chips(self.now)

    @property
    def proposed_chips(self) -> list[Any] | None:
        return None if self.proposed is None else list_atom_chips(self.proposed)

    @property
    def is_acceptable(self) -> bool:
        """Whether there is a proposal, and whoever looks holds all of it."""
        return self.proposed is not None and self.proposed <= load_granted_atoms()

    @property
    def changes_label(self) -> bool:
        """Whether taking the proposal changes the label."""
        return self.now != self.proposed


def select_paragraphs(scope: Scope) -> QuerySet[Paragraph]:
    """Paragraphs of files that the open scope may read, of records that it may see."""
    return Paragraph.objects.filter(file__in=select_visible_files(scope).values("pk"))


def select_field_paragraphs(scope: Scope) -> QuerySet[FieldParagraph]:
    """The same of records' long texts."""
    return FieldParagraph.objects.filter(entity__in=Entity.objects.visible_to(scope).values("pk"))


def select_waiting(scope: Scope, wanted: QueueFilter) -> QuerySet[Any]:
    """(id, whether it is of a file) of what waits for a decision and is the steward's to see: document by document, the
    oldest first, in reading order.
    """
    kept = RESTS if wanted.cause == UNJUDGED else ~Q(review=0)
    of_files: QuerySet[Any] = select_paragraphs(scope).filter(kept)
    typed: QuerySet[Any] = select_field_paragraphs(scope).filter(kept)
    if wanted.cause in CAUSES:
        bit = int(CAUSES[wanted.cause])
        of_files, typed = (rows.annotate(has=F("review").bitand(bit)).filter(has=bit) for rows in (of_files, typed))
    if wanted.label is not None:
        named = _build_atom_q(wanted.label)
        of_files, typed = of_files.filter(named), typed.filter(named)
    if wanted.file is not None:
        of_files, typed = of_files.filter(file=wanted.file), typed.none()
    if wanted.entity is not None:
        of_files, typed = of_files.filter(file__entity=wanted.entity), typed.filter(entity=wanted.entity)
    columns = ("pk", "of_file", "came", "holder", "part", "place")
    first = of_files.annotate(
        of_file=Value(True, BooleanField()), came=F("file__created_at"), holder=F("file"), part=Value("", CharField()),
        place=F("position"),
    ).order_by().values_list(*columns)  # fmt: skip
    second = typed.annotate(
        of_file=Value(False, BooleanField()), came=F("entity__created_at"), holder=F("entity"), part=F("field"),
        place=F("position"),
    ).order_by().values_list(*columns)  # fmt: skip
    return first.union(second, all=True).order_by("came", "holder", "part", "place")


def _build_atom_q(atom: int) -> Q:
    has = [label for label, parts in load_atoms_by_label().items() if atom in parts]
    voted = Q(votes__contains=[{"labels": [atom]}]) | Q(votes__contains=[{"proposed": [atom]}])
    return Q(data_classification__in=has) | voted


def build_items(scope: Scope, rows: Iterable[Sequence[Any]]) -> list[Item]:
    """What `select_waiting` gave, in that order, with where each stands."""
    rows = list(rows)
    found: dict[UUID, Paragraph | FieldParagraph] = {}
    found |= {p.pk: p for p in select_paragraphs(scope).filter(pk__in=[pk for pk, of_file, *_ in rows if of_file])}
    found |= {
        p.pk: p for p in select_field_paragraphs(scope).filter(pk__in=[pk for pk, of_file, *_ in rows if not of_file])
    }
    paragraphs = [found[row[0]] for row in rows if row[0] in found]
    places = load_places(scope, paragraphs)
    return [build_item(paragraph, places[paragraph.pk]) for paragraph in paragraphs if paragraph.pk in places]


def build_item(paragraph: Paragraph | FieldParagraph, where: Where) -> Item:
    votes = build_votes(paragraph.votes)
    label = paragraph.data_classification
    return Item(
        paragraph,
        [name for name, cause in CAUSES.items() if paragraph.review & cause],
        None if label is None else frozenset(list_atoms(label)),
        find_proposal(paragraph, votes),
        votes,
        digest_judged(paragraph),
        where,
    )


def find_proposal(paragraph: Labelled, votes: Sequence[Vote]) -> frozenset[int] | None:
    """What is taken when a steward accepts. Of a decrease that waits, what this version would get by itself; of text
    without a label, what its votes say, and its floor, or None where there is no vote: nobody has looked at it, and
    silence is no proposal to publish it; else the label that it has, and what is proposed to add where nobody has
    decided. What text rests as with stewards alone is no label to give: without another there is no proposal.
    """
    if paragraph.data_classification is None:
        floor, held = frozenset(list_atoms(paragraph.floor)), (vote.labels for vote in votes if vote.held)
        return (collect_automatic(votes) | floor).union(*held) if votes else None
    added = find_proposed_raise(votes) if paragraph.review & Review.RAISE else frozenset()
    now = frozenset(list_atoms(paragraph.data_classification))
    if paragraph.review & Review.DECREASE and find_manual_vote(votes) is None:
        proposed = find_own_atoms(votes) | added
    else:
        proposed = (now | added) - {STEWARDS}
    return (proposed or None) if STEWARDS in now else proposed


def load_places(scope: Scope, paragraphs: Iterable[Paragraph | FieldParagraph]) -> dict[UUID, Where]:
    """Where paragraphs stand that the scope may read, names as far as they are cleared. What was removed or closed
    since the paragraphs were read is left out.
    """
    paragraphs = list(paragraphs)
    files = {f.pk: f for f in File.objects.filter(pk__in={p.file_id for p in paragraphs if isinstance(p, Paragraph)})}
    of = {
        p.pk: files[p.file_id].entity_id if isinstance(p, Paragraph) else p.entity_id
        for p in paragraphs
        if not isinstance(p, Paragraph) or p.file_id in files
    }
    records = {row.pk: row for row in Entity.objects.readable_by(scope).filter(pk__in=set(of.values()))}
    places = {}
    for p in paragraphs:
        record = records.get(of[p.pk]) if p.pk in of else None
        if record is None:
            continue
        if isinstance(p, Paragraph):
            file = files[p.file_id]
            places[p.pk] = Where(p.pk, str(record), record.pk, write_file_name(scope, file), file.pk, p.page)
        else:
            texts = record.type_class.long_texts
            title = translate_stored(texts[p.field].verbose_name) if p.field in texts else p.field
            places[p.pk] = Where(p.pk, str(record), record.pk, title)
    return places


@dataclass(frozen=True)
class AcceptResult:
    """accepted: proposals that are taken. changed: ids of what is not as it was shown any more, is gone, or has no
    proposal; nothing was decided of it. missed: of what was taken, what had changed before it was carried out; known
    when the transaction has committed.
    """

    accepted: Sequence[Item]
    changed: Sequence[UUID]
    missed: list[UUID] = field(default_factory=list)

    def drop_missed(self) -> "AcceptResult":
        """What came of it, when the transaction has committed."""
        accepted = [item for item in self.accepted if item.paragraph.pk not in self.missed]
        return AcceptResult(accepted, [*self.changed, *self.missed])


def find_unchanged_items(scope: Scope, shown: Mapping[UUID, str]) -> list[Item]:
    """Those of the paragraphs as they were shown (`Item.seen` by id) that still wait or rest, unchanged since."""
    rows: list[Paragraph | FieldParagraph] = [
        *select_paragraphs(scope).filter(DECIDABLE, pk__in=shown),
        *select_field_paragraphs(scope).filter(DECIDABLE, pk__in=shown),
    ]
    same = [row for row in rows if digest_judged(row) == shown[row.pk]]
    places = load_places(scope, same)
    return [build_item(row, places[row.pk]) for row in same if row.pk in places]


def accept_proposals(
    *, scope: Scope, shown: Mapping[UUID, str], atoms: frozenset[int] | None = None, reason: str = ""
) -> AcceptResult:
    """Take the proposals for paragraphs as they were shown (`Item.seen` by id), in one transaction of the service when
    this one commits and before the caller gets an answer (`Accepted.drop_missed`). With `atoms` all of them get these,
    for a `reason` (`relabelling.check_decision`). Raises: PermissionError for who is no steward; BadUpload where one of
    them would give a label that the steward does not hold: nothing is decided then.
    """
    if not is_steward(scope):
        raise PermissionError(gettext("Labels are decided by stewards."))
    if len(shown) > MOST:
        raise ValueError(gettext("at most %(most)s proposals are taken at once") % {"most": MOST})
    found = find_unchanged_items(scope, shown)
    taken = [(item, given) for item in found if (given := item.proposed if atoms is None else atoms) is not None]
    check_own_labels(frozenset().union(*(given for _, given in taken)))
    decisions = [
        build_decision(scope, item.paragraph, given, ACCEPTED, item.seen, tuple(item.causes) or (UNJUDGED,))
        if atoms is None
        else build_decision(scope, item.paragraph, given, reason, item.seen)
        for item, given in taken
    ]
    items = [item for item, _ in taken]
    done = AcceptResult(items, [pk for pk in shown if pk not in {item.paragraph.pk for item in items}])
    if decisions:
        transaction.on_commit(partial(apply_decisions, decisions, missed=done.missed))
    return done
