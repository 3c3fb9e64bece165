"""Every path against the reference monitor, in a world with one of everything and in random ones."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings

from retrieval.owners import RESOLVERS
from tests.oracle.asked import Asked, Differs
from tests.oracle.breaking import Break
from tests.oracle.breaks import BREAKS
from tests.oracle.known_worlds import RICH
from tests.oracle.monitor import World
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


def ask_everything(everything: Everything) -> None:
    world = everything.world
    for person in world.people:
        asked = Asked(everything, person)
        for check in PATHS.values():
            check(asked)
    for n, person in enumerate(world.people[:2]):
        for role in world.roles[2:] if FACTOR > 1 else world.roles[2 + n : 3 + n]:
            asked = Asked(everything, replace(person, narrowed=role.name))
            for check in IN_A_SCOPE.values():
                check(asked)


def test_one_of_everything(db: None) -> None:
    ask_everything(plant_everything(RICH))


def test_each_break_is_found(db: None) -> None:
    """The negative control: builds that are broken in one named way, on one path."""
    everything = plant_everything(RICH)
    assert {broken.path for broken in BREAKS} == PATHS.keys()
    signed_in = [Asked(everything, person).sign_in() for person in RICH.people]
    assert [f"{b.path}: {b.name}" for b in BREAKS if not is_found(signed_in, b)] == []


def is_found(signed_in: Sequence[Asked], broken: Break) -> bool:
    """By anybody; its finder is asked first."""
    with transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("entities.access.statements.COMPILED", {})  # written by the whole build
        patch.setattr("entities.access.compiled_condition.COMPILED_CONDITIONS", {})
        broken.apply(patch)
        try:
            for asked in sorted(signed_in, key=lambda asked: asked.person.name != broken.finder):
                PATHS[broken.path](asked)
        except Differs:
            return True
        finally:
            transaction.set_rollback(True)
    return False


@SIZED
@given(world=worlds(rich=True))
def test_random_worlds(db: None, world: World) -> None:
    ask_everything(plant_everything(world))
