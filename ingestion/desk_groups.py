"""What waits at the desk in groups, and who gains or loses sight of text by a decision.

A group is a document, or paragraphs that wait for the same reason with the same proposal. Everything is counted over
what the steward may read; people are counted, and roles named, but no person is named for what they hold.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy

from entities.access import Scope
from entities.api.lists import chips_of_atoms
from entities.language import translate_stored
from entities.models import ClassificationGrant, Role
from ingestion.desk import MOST, Item

GROUPINGS = {"document": gettext_lazy("By document"), "reason": gettext_lazy("By reason")}
MAX_GROUPED_ITEMS = 200


@dataclass(frozen=True)
class Group:
    title: str
    items: Sequence[Item]

    @property
    def first(self) -> Item:
        return self.items[0]

    @property
    def is_acceptable(self) -> bool:
        return any(item.proposed is not None for item in self.items)


def list_reasons(item: Item) -> tuple[str, ...]:
    """Why it waits, with what each vote says of it, without a word of its text."""
    return tuple(sorted({vote.reason for vote in item.votes if vote.reason and vote.source == "rules"}))


def is_alike(one: Item, other: Item) -> bool:
    """Whether two paragraphs wait for the same reason, with the same label and the same proposal."""
    return _kind(one) == _kind(other)


def _kind(item: Item) -> tuple[Any, ...]:
    return (tuple(item.causes), item.now, item.proposed, list_reasons(item))


def group_items(items: Iterable[Item], grouping: str) -> list[Group]:
    """In the order in which the first of each comes; for reasons the largest group first."""
    found: dict[Any, list[Item]] = {}
    for item in items:
        key = (item.where.entity, item.where.file, item.where.title) if grouping == "document" else _kind(item)
        found.setdefault(key, []).append(item)
    groups = [Group(_title(members[0], grouping), members) for members in found.values()]
    return groups if grouping == "document" else sorted(groups, key=lambda group: -len(group.items))


def _title(item: Item, grouping: str) -> str:
    if grouping == "document":
        return f"{item.where.record} · {item.where.title}"
    reasons = list_reasons(item)
    return " · ".join(translate_stored(words) for words in (*item.cause_titles, *reasons[:2]))


# Who gains and who loses sight


@dataclass(frozen=True)
class Move:
    """Paragraphs that go from one label to another. now: None while there is no label: only stewards read it then."""

    now: frozenset[int] | None
    to: frozenset[int]
    count: int

    @property
    def now_chips(self) -> list[Any] | None:
        return None if self.now is None else chips_of_atoms(self.now)

    @property
    def to_chips(self) -> list[Any]:
        return chips_of_atoms(self.to)

    def change_for(self, held: frozenset[int]) -> int:
        """How many paragraphs more somebody reads who holds these atoms; negative for fewer."""
        before = self.now is not None and self.now <= held
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
    """What taking the proposals for `items` does, or giving all of them `atoms`, to members of the workspace who can
    open the records that they stand in.
    """
    wanted = [(item.now, item.proposed if atoms is None else atoms) for item in items]
    counted = Counter((now, to) for now, to in wanted if to is not None)
    moves = [Move(now, to, count) for (now, to), count in counted.items()]
    held: dict[str, set[int]] = {name: set() for name in Role.objects.values_list("name", flat=True)}
    for name, value in ClassificationGrant.objects.values_list("role__name", "classification__value"):
        held[name].add(value)
    roles = [(name, *_changes(moves, frozenset(holds))) for name, holds in held.items()]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT app_atoms_of(user_id) FROM entities_membership WHERE workspace_id = %s", [scope.workspace]
        )
        people = [_changes(moves, frozenset(row[0] or ())) for row in cursor.fetchall()]
    return Sight(
        moves,
        sorted((role for role in roles if role[1] or role[2]), key=lambda role: role[0]),
        gain=sum(bool(more) for more, _ in people),
        lose=sum(bool(fewer) for _, fewer in people),
        same=sum(not more and not fewer for more, fewer in people),
    )


def _changes(moves: Iterable[Move], held: frozenset[int]) -> tuple[int, int]:
    """(paragraphs gained, paragraphs lost)"""
    changes = [move.change_for(held) for move in moves]
    return sum(n for n in changes if n > 0), -sum(n for n in changes if n < 0)


def find_alike(items: Iterable[Item], item: Item) -> list[Item]:
    """The others that wait for the same reason, as many as are decided at once."""
    return [other for other in items if other.key != item.key and is_alike(item, other)][: MOST - 1]
