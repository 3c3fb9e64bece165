"""Properties that hold in whatever world."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.oracle.known_worlds import DIFFERING
from tests.oracle.monitor import World
from tests.oracle.worlds import worlds
from tests.prove.size import sized

Test = Callable[..., Any]


def in_worlds(count: int, *known: World) -> Callable[[Test], Test]:
    """The test's argument `world` is `DIFFERING`, each of `known`, and `count` of chance (at factor 1, `sized`).

    The first worlds of chance are the smallest, which show few faults; `DIFFERING` shows those that are listed in
    tests/oracle/test_monitor.py whatever the size.
    """

    def decorate(test: Test) -> Test:
        for world in (DIFFERING, *known):
            test = example(world=world)(test)
        unlimited = settings(
            max_examples=sized(count), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
        )
        return pytest.mark.prove(unlimited(given(world=worlds())(test)))

    return decorate
