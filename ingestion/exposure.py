"""What stands open: how many people read how much, text that nobody has judged, twins of hidden text, and records that
more people see than read their files.

Everything is counted over what whoever looks may read themselves: what they may not is in no number and on no list.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Count

from entities.access import Scope, list_atoms
from entities.api.lists import list_chips
from entities.models import Entity, Membership
from entities.models.entity import Visibility
from entities.registry import get_type_by_content_type
from ingestion.desk import select_field_paragraphs, select_paragraphs
from ingestion.openings import Holding, load_holdings
from ingestion.twins import TwinsFound, find_twins

MOST_RECORDS = 50


@dataclass(frozen=True)
class Need:
    """What somebody needs to read some text. closed: its record, unless that is open to everybody here."""

    atoms: frozenset[int]
    is_labelled: bool
    closed: UUID | None


@dataclass(frozen=True)
class Part:
    """Paragraphs of one file, or of a record's long texts (file: None), that need the same."""

    entity: UUID
    kind: int
    file: UUID | None
    collection: str
    label: int | None
    judged: bool
    need: Need
    count: int


@dataclass(frozen=True)
class Amount:
    paragraphs: int
    files: int
    records: int


@dataclass(frozen=True)
class LevelExposure:
    """Text with one label in one collection of a type; collection: "" for typed text. whole, partly: how many people
    read all of it, and some of it.
    """

    kind: type[Entity]
    collection: str
    label: int | None
    amount: Amount
    whole: int
    partly: int

    @property
    def collection_title(self) -> str:
        declared = self.kind.rag().collections.get(self.collection)
        return declared.label if declared else self.collection

    @property
    def chips(self) -> Sequence[Any] | None:
        return list_chips(self.label)


@dataclass(frozen=True)
class RestingExposure:
    """Text that nobody has judged, with one label and an audience of `people`."""

    label: int
    people: int
    amount: Amount

    @property
    def chips(self) -> Sequence[Any] | None:
        return list_chips(self.label)


@dataclass(frozen=True)
class OpenRecord:
    """A record that `seen_by` people see, of whom `read_by` read something of its `files`, each of which is hidden for
    the most part.
    """

    record: Entity
    files: int
    seen_by: int
    read_by: int
    is_shareable: bool

    @property
    def name(self) -> str | None:
        """None where whoever looks is not cleared for it."""
        return getattr(self.record, "title", None)


@dataclass(frozen=True)
class Exposure:
    """people: members who can sign in. records: those with most who only see them, of `record_count`."""

    people: int
    levels: Sequence[LevelExposure]
    resting: Sequence[RestingExposure]
    records: Sequence[OpenRecord]
    record_count: int
    twins: TwinsFound


class Readers:
    """Members who can sign in: what each holds, and which of the records that are not open to all each of them sees."""

    def __init__(self, scope: Scope) -> None:
        closed = Entity.objects.visible_to(scope).exclude(visibility=Visibility.WORKSPACE)
        self.closed = frozenset(closed.values_list("pk", flat=True))
        users = Membership.objects.filter(user__is_active=True).values_list("user", flat=True)
        self.people: list[tuple[Holding, frozenset[UUID]]] = []
        for user, holding in load_holdings(users).items():
            seen = closed.visible_to(replace(scope, principal=user, narrowed_to=0, attachments=""))
            self.people.append((holding, frozenset(seen.values_list("pk", flat=True) if self.closed else ())))
        self.cleared: dict[int, int] = {}

    def count_who_see(self, record: UUID) -> int:
        if record not in self.closed:
            return len(self.people)
        return sum(record in seen for _, seen in self.people)

    def count_who_read(self, needs: Iterable[Need]) -> tuple[int, int]:
        """(how many people meet all of these, how many of the others meet one)"""
        wanted = set(needs)
        met = [sum(self._meets(holding, seen, need) for need in wanted) for holding, seen in self.people]
        return sum(n == len(wanted) for n in met), sum(0 < n < len(wanted) for n in met)

    def count_cleared(self, label: int) -> int:
        if label not in self.cleared:
            self.cleared[label] = sum(holding.atoms.issuperset(list_atoms(label)) for holding, _ in self.people)
        return self.cleared[label]

    def is_lower(self, label: int, than: int) -> bool:
        """Whether text with `label` is open to somebody who may not read `than`, and to as many people at least."""
        within = set(list_atoms(than)) <= set(list_atoms(label))
        return not within and self.count_cleared(label) >= self.count_cleared(than)

    @staticmethod
    def _meets(holding: Holding, seen: frozenset[UUID], need: Need) -> bool:
        is_open = need.closed is None or need.closed in seen
        return is_open and need.atoms <= holding.atoms and (need.is_labelled or holding.is_steward)


def measure_exposure(scope: Scope, most_twins: int) -> Exposure:
    """For a steward or an administrator, in their open scope."""
    readers = Readers(scope)
    parts = list_parts(scope, readers.closed)
    records, count = find_open_records(scope, readers, parts)
    return Exposure(
        people=len(readers.people),
        levels=measure_levels(readers, parts),
        resting=measure_resting(readers, parts),
        records=records,
        record_count=count,
        twins=find_twins(scope, readers.is_lower, most_twins),
    )


def list_parts(scope: Scope, closed: frozenset[UUID]) -> list[Part]:
    columns = ("data_classification", "floor", "judged")
    place = ("file__entity", "file__entity__content_type", "file", "file__collection")
    of_files = select_paragraphs(scope).order_by().values_list(*place, *columns)
    typed = select_field_paragraphs(scope).order_by().values_list("entity", "entity__content_type", *columns)
    rows: list[Any] = [
        *of_files.annotate(Count("pk")),
        *((entity, kind, None, "", *row) for entity, kind, *row in typed.annotate(Count("pk"))),
    ]
    return [
        Part(
            *(entity, kind, file, collection, label, judged),
            Need(
                frozenset(list_atoms(floor if label is None else label)),
                label is not None,
                entity if entity in closed else None,
            ),
            count,
        )
        for entity, kind, file, collection, label, floor, judged, count in rows
    ]


def measure_levels(readers: Readers, parts: Iterable[Part]) -> list[LevelExposure]:
    """What most people read first."""
    found: defaultdict[tuple[int, str, int | None], list[Part]] = defaultdict(list)
    for part in parts:
        found[part.kind, part.collection, part.label].append(part)
    levels = [
        LevelExposure(
            get_type_by_content_type(kind),
            collection,
            label,
            add_up(members),
            *readers.count_who_read(part.need for part in members),
        )
        for (kind, collection, label), members in found.items()
    ]
    return sorted(levels, key=lambda row: (-row.whole, -row.partly, -row.amount.paragraphs))


def measure_resting(readers: Readers, parts: Iterable[Part]) -> list[RestingExposure]:
    """The widest audience first."""
    audiences: dict[Need, int] = {}
    found: defaultdict[tuple[int, int], list[Part]] = defaultdict(list)
    for part in parts:
        if not part.judged and part.label is not None:
            if part.need not in audiences:
                audiences[part.need] = readers.count_who_read([part.need])[0]
            found[audiences[part.need], part.label].append(part)
    return [RestingExposure(label, people, add_up(found[people, label])) for people, label in sorted(found)[::-1]]


def find_open_records(scope: Scope, readers: Readers, parts: Iterable[Part]) -> tuple[list[OpenRecord], int]:
    """Those with most people who see them and read none of their hidden files, and how many there are. A file is hidden
    where somebody or something has found more than half of it to need a label: what rests says nothing of a record.
    """
    of_file: defaultdict[tuple[UUID, UUID], list[Part]] = defaultdict(list)
    for part in parts:
        if part.file is not None:
            of_file[part.entity, part.file].append(part)
    hidden: defaultdict[UUID, list[list[Part]]] = defaultdict(list)
    for (entity, _), members in of_file.items():
        kept = [part for part in members if part.judged and part.need.atoms]
        if 2 * sum(part.count for part in kept) > sum(part.count for part in members):
            hidden[entity].append(kept)
    counted = [
        (entity, len(files), readers.count_who_see(entity), sum(readers.count_who_read(_list_needs(files))))
        for entity, files in hidden.items()
    ]
    more_open = sorted((row for row in counted if row[2] > row[3]), key=lambda row: (row[3] - row[2], row[0]))
    first = more_open[:MOST_RECORDS]
    wanted = [row[0] for row in first]
    records = Entity.objects.readable_by(scope).in_bulk(wanted)
    shareable = set(Entity.objects.visible_to(scope, "share").filter(pk__in=wanted).values_list("pk", flat=True))
    return [OpenRecord(records[row[0]], *row[1:], row[0] in shareable) for row in first], len(more_open)


def _list_needs(files: Iterable[Iterable[Part]]) -> set[Need]:
    return {part.need for parts in files for part in parts}


def add_up(parts: Sequence[Part]) -> Amount:
    return Amount(
        sum(part.count for part in parts),
        len({part.file for part in parts if part.file is not None}),
        len({part.entity for part in parts}),
    )
