"""Mutation testing of the access gate and of the policy template: what is changed there is found, or explained.

At factor 1 a handful by name; beyond, ten times the factor, and from 60 on all of them. `tests/prove/survivors.py`
explains who may live.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import psycopg
import pytest
from django.db import connections

from entities.access.objects import permission_number
from entities.access.statements import COMPILED
from entities.rls import LABELLED
from tests.oracle.planting import Everything
from tests.prove.deciding import Question, difference, found_by, questions
from tests.prove.mutant import Mutant
from tests.prove.mutation import mutants
from tests.prove.mutation_of_sql import in_policies
from tests.prove.revocations import plant_rich  # noqa: F401  fixture
from tests.prove.size import FACTOR, sample
from tests.prove.survivors import SURVIVORS

pytestmark = [pytest.mark.prove, pytest.mark.timeout(0)]
HANDFUL = [
    "template LABELLED: left out",
    "template WORKSPACE: left out",
    "entities.access.objects visible: condition &= _visible_as(scope.narrowed_to, model, verb)"
    " -> condition |= _visible_as(scope.narrowed_to, model, verb)",
]


@contextmanager
def clean_connection() -> Iterator[None]:
    """A mutant may leave anything behind on a connection: each gets one of its own, and nothing that was remembered."""
    try:
        forget()
        yield
    finally:
        connections["default"].close()
        del connections["default"]
        forget()


def forget() -> None:
    """What is remembered for longer than a transaction: it was made by another build."""
    COMPILED.clear()
    permission_number.cache_clear()


def lives(mutant: Mutant, order: list[Question], owner: psycopg.Connection) -> bool:
    began = monotonic()
    with clean_connection(), mutant.put(owner):
        found = difference(order)
    if found:
        # Or every mutant to come would be found by what this one, or a question, has left behind.
        with clean_connection():
            assert (left := found_by(order[0])) == "", f"{left}, of the build itself, after {mutant.name}"
    print(f"{'killed' if found else 'LIVES '} {monotonic() - began:5.1f} s  {mutant.name}  # {found}", flush=True)
    return not found


def test_what_is_changed_is_found(rich: Everything, owner_connection: psycopg.Connection) -> None:
    order = questions(rich, owner_connection)
    assert difference(order) == "", "the build itself is refused"
    known = mutants(owner_connection)
    assert set(SURVIVORS) <= {mutant.name for mutant in known}, "explained, and no mutant any more"
    chosen = [m for m in known if m.name in HANDFUL] if FACTOR == 1 else sample(known, 10, "mutants")
    assert FACTOR > 1 or len(chosen) == len(HANDFUL), "a name of the handful is no mutant any more"
    print(f"{len(chosen)} of {len(known)} mutants")
    living = {mutant.name for mutant in chosen if lives(mutant, order, owner_connection)}
    assert difference(order) == "", "a mutant has left something behind"
    assert living - set(SURVIVORS) == set(), "nothing finds these"
    assert set(SURVIVORS) & {mutant.name for mutant in chosen} <= living, "these are found by now"


def test_a_gate_that_decides_nothing_is_found(rich: Everything, owner_connection: psycopg.Connection) -> None:
    """The negative control of the deciding questions, and that what is the same is left alone."""
    order = questions(rich, owner_connection)
    mutant = Mutant("no policy asks for labels", in_policies(lambda sql: sql.replace(LABELLED, "true")))
    assert not lives(mutant, order, owner_connection)
    assert lives(Mutant("nothing is changed", in_policies(lambda sql: sql)), order, owner_connection)
