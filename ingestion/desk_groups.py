"""What waits at the desk in groups, and who gains or loses sight of text by a decision.

A group is a document, or paragraphs that wait for the same reason with the same proposal. Everything is counted over
what the steward may read; people are counted, and roles named, but no person is named for what they hold.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy, gettext_noop

from entities.access import Scope, load_atoms_of_people
from entities.api.lists import list_atom_chips
from entities.language import translate_stored
from entities.models import ClassificationGrant, Entity, Membership, Role
from entities.models.entity import Visibility
from ingestion.desk import MOST, Item

MoveCounts = Counter[tuple[frozenset[int] | None, frozenset[int]]]
"""(atoms now, atoms afterwards) -> paragraphs."""
GROUPINGS = {"document": gettext_lazy("By document"), "reason": gettext_lazy("By reason")}
RESTS = gettext_noop("Not judged yet")
MAX_GROUPED_ITEMS = 200


@dataclass(frozen=True)
class ItemGroup:
    """items: as many of it as are decided at once. count: how many it has."""

    title: str
    items: Sequence[Item]
    count: int

    @property
    def first(self) -> Item:
        return self.items[0]

    @property
    def is_acceptable(self) -> bool:
        return any(item.is_acceptable for item in self.items)


def list_reasons(item: Item) -> tuple[str, ...]:
    """Why it waits, with what each vote says of it, without a word of its text."""
    return tuple(
        sorted({vote.reason for vote in item.votes if vote.reason and vote.source in ("rules", "kind", "head")})
    )


def is_alike(one: Item, other: Item) -> bool:
    """Whether two paragraphs wait for the same reason, with the same label and the same proposal."""
    return _describe_kind(one) == _describe_kind(other)


def _describe_kind(item: Item) -> tuple[Any, ...]:
    return (tuple(item.causes), item.now, item.proposed, list_reasons(item))


def group_items(items: Iterable[Item], grouping: str) -> list[ItemGroup]:
    """In the order in which the first of each comes; for reasons the largest group first."""
    found: dict[Any, list[Item]] = {}
    for item in items:
        key = (item.where.entity, item.where.file, item.where.title) if grouping == "document" else _describe_kind(item)
        found.setdefault(key, []).append(item)
    groups = [
        ItemGroup(_format_title(members[0], grouping), members[:MOST], len(members)) for members in found.values()
    ]
    return groups if grouping == "document" else sorted(groups, key=lambda group: -group.count)


def _format_title(item: Item, grouping: str) -> str:
    if grouping == "document":
        return f"{item.where.record} · {item.where.title}"
    reasons = list_reasons(item)
    return " · ".join(translate_stored(words) for words in (*(item.cause_titles or [RESTS]), *reasons[:2]))


# Who gains and who loses sight


@dataclass(frozen=True)
class Move:
    """Paragraphs that go from one label to another. now: None while there is no label: only stewards read it then."""

    now: frozenset[int] | None
    to: frozenset[int]
    count: int

    @property
    def now_chips(self) -> list[Any] | None:
        return None if self.now is None else list_atom_chips(self.now)

    @property
    def to_chips(self) -> list[Any]:
        return list_atom_chips(self.to)

    def change_for(self, held: frozenset[int], is_steward: bool = False) -> int:
        """How many paragraphs more somebody reads who holds these atoms; negative for fewer."""
        before = is_steward if self.now is None else self.now <= held
        return self.count * (int(self.to <= held) - int(before))


@dataclass(frozen=True)
class Sight:
    """What becomes of readers. roles: (name, paragraphs gained, lost). gain, lose, same: how many people."""

    moves: Sequence[Move]
    roles: Sequence[tuple[str, int, int]]
    gain: int
    lose: int
    same: int


def preview_sight(scope: Scope, items: Iterable[Item], atoms: frozenset[int] | None = None) -> Sight:
    """What taking the proposals for `items` does, or giving all of them `atoms`: to roles by what they hold, to active
    members by what they hold on the records that they may see.
    """
    by_record: dict[UUID, MoveCounts] = {}
    for item in items:
        to = item.proposed if atoms is None else atoms
        if to is not None:
            by_record.setdefault(item.where.entity, Counter())[item.now, to] += 1
    return prepare_moves(scope, by_record)


def prepare_moves(scope: Scope, by_record: Mapping[UUID, MoveCounts]) -> Sight:
    """The same of paragraphs that are counted by record and move."""
    moves = _list_moves(by_record.values())
    held: dict[int, set[int]] = {}
    for role, value in ClassificationGrant.objects.values_list("role", "classification__value"):
        held.setdefault(role, set()).add(value)
    roles = [
        (role.name, *_count_changes(moves, frozenset(held.get(role.pk, ())), role.is_steward))
        for role in Role.objects.all()
    ]
    stewards = set(Role.objects.filter(is_steward=True).values_list("group__user", flat=True))
    people = [
        _count_changes(_list_moves(by_record[record] for record in seen), holds, user in stewards)
        for user, holds, seen in _list_readers(scope, set(by_record))
    ]
    return Sight(
        moves,
        sorted((role for role in roles if role[1] or role[2]), key=lambda role: role[0]),
        gain=sum(bool(more) for more, _ in people),
        lose=sum(bool(fewer) for _, fewer in people),
        same=sum(not more and not fewer for more, fewer in people),
    )


def _list_readers(scope: Scope, records: set[UUID]) -> Iterator[tuple[int, frozenset[int], set[UUID]]]:
    """(user, atoms that they hold, which of `records` they may see) of active members. Records that are open to all are
    looked up once, the others for each member."""
    rows = Entity.objects.filter(pk__in=records)
    closed = rows.exclude(visibility=Visibility.WORKSPACE)
    closed_records = set(closed.values_list("pk", flat=True))
    members = Membership.objects.filter(user__is_active=True).values_list("user", flat=True)
    for user, atoms in load_atoms_of_people(members).items():
        reader = replace(scope, principal=user, narrowed_to=0)
        seen = set(closed.visible_to(reader).values_list("pk", flat=True)) if closed_records else set()
        yield user, atoms, records - closed_records | seen


def _list_moves(counts: Iterable[MoveCounts]) -> list[Move]:
    total: MoveCounts = Counter()
    for count in counts:
        total.update(count)
    return [Move(now, to, count) for (now, to), count in total.items()]


def _count_changes(moves: Iterable[Move], held: frozenset[int], is_steward: bool) -> tuple[int, int]:
    """(paragraphs gained, paragraphs lost)"""
    changes = [move.change_for(held, is_steward) for move in moves]
    return sum(n for n in changes if n > 0), -sum(n for n in changes if n < 0)


def find_alike(items: Iterable[Item], item: Item) -> list[Item]:
    """The others that wait for the same reason, all of them: `MOST` are decided at once, this one among them."""
    return [other for other in items if other.key != item.key and is_alike(item, other)]
