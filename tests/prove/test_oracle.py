"""Every path against the reference monitor, in a world with one of everything and in random ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings

from retrieval.owners import RESOLVERS
from tests.oracle.asked import Asked, Differs
from tests.oracle.breaking import Break
from tests.oracle.breaks import BREAKS
from tests.oracle.known_worlds import RICH
from tests.oracle.monitor import Person, World
from tests.oracle.paths import IN_A_SCOPE, PATHS
from tests.oracle.planted_world import Everything, RowsRuled, plant_everything, resolve_citing
from tests.oracle.worlds import worlds
from tests.prove.size import FACTOR, sized

pytestmark = [pytest.mark.prove]
# A world takes seconds to plant: making it smaller would take longer than reading it.
SIZED = settings(
    max_examples=sized(2),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    """Articles have a rule about rows, and a text that cites everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("entities.types.Article.Access", RowsRuled)
        patch.setattr("retrieval.owners.RESOLVERS", [*RESOLVERS, resolve_citing])
        yield


def who_asks(path: str, people: Sequence[Person]) -> list[Person]:
    """At factor 1 whoever finds the breaks of the path, and one more of those whose turns are not theirs
    (`Asked.takes`), others from path to path; beyond, everybody.
    """
    finders = {broken.finder for broken in BREAKS if broken.path == path}
    chosen = {n for n, person in enumerate(people) if FACTOR > 1 or person.name in finders}
    for turn in {0, 1} - {n % 2 for n in chosen}:
        others = range(turn, len(people), 2)
        chosen.add(others[[*PATHS].index(path) // 2 % len(others)])
    return [people[n] for n in sorted(chosen)]


def ask_everything(everything: Everything) -> None:
    world = everything.world
    everybody = {person.name: Asked(everything, person) for person in world.people}
    for name, check in PATHS.items():
        for person in who_asks(name, world.people):
            check(everybody[person.name])
    for n, person in enumerate(world.people[:2]):
        for role in world.roles[2:] if FACTOR > 1 else world.roles[2 + n : 3 + n]:
            asked = Asked(everything, replace(person, narrowed=role.name))
            for check in IN_A_SCOPE.values():
                check(asked)


def test_one_of_everything(db: None) -> None:
    ask_everything(plant_everything(RICH))


def test_each_break_is_found(db: None) -> None:
    """The negative control: builds that are broken in one named way, on one path. Those who ask it find them."""
    everything = plant_everything(RICH)
    assert {broken.path for broken in BREAKS} == PATHS.keys()
    signed_in = {person.name: Asked(everything, person).sign_in() for person in RICH.people}
    assert [f"{b.path}: {b.name}" for b in BREAKS if not is_found(signed_in, b)] == []


def is_found(signed_in: Mapping[str, Asked], broken: Break) -> bool:
    """Its finder is asked first."""
    with transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("entities.access.statements.COMPILED", {})  # written by the whole build
        patch.setattr("entities.access.compiled_condition.COMPILED_CONDITIONS", {})
        broken.apply(patch)
        try:
            for person in sorted(who_asks(broken.path, RICH.people), key=lambda person: person.name != broken.finder):
                PATHS[broken.path](signed_in[person.name])
        except Differs:
            return True
        finally:
            transaction.set_rollback(True)
    return False


@SIZED
@given(world=worlds(rich=True))
def test_random_worlds(db: None, world: World) -> None:
    ask_everything(plant_everything(world))
