"""The known world shows each of these faults: a build that has one is found without luck."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.oracle.known_worlds import DIFFERING
from tests.oracle.monitor import Person, World
from tests.oracle.worlds import VERBS


class NoLabel(World):
    def cleared(self, person: Person, label: frozenset[int] | None) -> bool:
        return True


class OneAtomIsEnough(World):
    def cleared(self, person: Person, label: frozenset[int] | None) -> bool:
        return super().cleared(person, label) or bool(label and label & self.held(person))


class UnlabelledIsPublic(World):
    def cleared(self, person: Person, label: frozenset[int] | None) -> bool:
        return label is None or super().cleared(person, label)


def rebuild(**changes: Callable[[Any], Any]) -> Callable[[World], World]:
    """The world in which something is not so, whatever its records, texts or people say."""
    return lambda world: replace(
        world, **{part: tuple(change(one) for one in getattr(world, part)) for part, change in changes.items()}
    )


def as_monitor(kind: type[World]) -> Callable[[World], World]:
    return lambda world: kind(**vars(world))


WRONG = {
    "a label is never checked": as_monitor(NoLabel),
    "one atom is enough": as_monitor(OneAtomIsEnough),
    "what is unlabelled is public": as_monitor(UnlabelledIsPublic),
    "the audience is ignored": rebuild(texts=lambda text: replace(text, audience=None)),
    "a hidden source is ignored": rebuild(texts=lambda text: replace(text, sources=frozenset())),
    "the bin is ignored": rebuild(records=lambda record: replace(record, binned=False)),
    "an expired grant counts": rebuild(
        records=lambda record: replace(record, grants=tuple(replace(g, expired=False) for g in record.grants))
    ),
    "an expired clearance counts": rebuild(
        people=lambda person: replace(person, own=tuple(replace(c, expired=False) for c in person.own))
    ),
    "a grant is ignored": rebuild(records=lambda record: replace(record, grants=())),
    "roles are ignored": rebuild(people=lambda person: replace(person, roles=frozenset())),
}


def decide(world: World) -> list[bool]:
    """All that the world says of who sees which record and reads which text."""
    return [
        *(world.sees(person, record, verb) for person in world.people for record in world.records for verb in VERBS),
        *(world.reads(person, text) for person in world.people for text in world.texts),
    ]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_monitor_decides_otherwise_in_the_known_world(wrong: str) -> None:
    assert decide(WRONG[wrong](DIFFERING)) != decide(DIFFERING)
