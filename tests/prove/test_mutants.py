"""Mutation testing of the access gate and of the policy template: what is changed there is found, or explained.

At factor 1 a handful by name; beyond, ten times the factor, and from 60 on all of them. CLEARANCE_MUTANTS, a regular
expression, chooses by name instead, so that a long run can go place by place. `tests/prove/survivors.py` explains who
may live.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import psycopg
import pytest
from django.db import connections

from config.postgres import Cluster
from config.roles import OWNER
from entities.access.compiled_condition import COMPILED_CONDITIONS
from entities.access.objects import get_permission_number
from entities.access.statements import COMPILED
from entities.rls import LABELLED
from tests.db_plugin import connected
from tests.oracle.planted_world import Everything
from tests.prove.mutant import Mutant
from tests.prove.mutant_questions import EXTRA, OF_OWNER, Question, difference, found_by, questions
from tests.prove.mutation import mutants
from tests.prove.mutation_of_sql import in_policies
from tests.prove.size import FACTOR, sample
from tests.prove.survivors import SURVIVORS

pytestmark = [pytest.mark.prove, pytest.mark.timeout(0)]
HANDFUL = [
    "template LABELLED: left out",
    "template WORKSPACE: left out",
    "entities.access.objects build_visibility_q: condition &= _get_visibility_of_principal(scope.narr"
    "owed_to, model, verb) -> condition |= _get_visibility_of_principal(scope.narrowed_to, model, ver"
    "b)",
]


ALL_FROM = 60
ALONE = len(EXTRA) + len(OF_OWNER)
"""Questions that are no paths of the oracle, of which there are many times as many."""
NAMED = os.environ.get("CLEARANCE_MUTANTS", "")


@pytest.fixture
def owner(cluster: Cluster) -> Iterator[psycopg.Connection]:
    yield from connected(cluster, OWNER)


def every_or(order: list[Question], first: int) -> list[Question]:
    """At factor 1 the first questions: `test_oracle.py` asks the paths, which are the others, of the same world."""
    return order if FACTOR > 1 else order[:first]


def chosen_of(known: list[Mutant]) -> list[Mutant]:
    if NAMED:
        return [mutant for mutant in known if re.search(NAMED, mutant.name)]
    if FACTOR > 1:
        return known if FACTOR >= ALL_FROM else sample(known, 10, "mutants")
    chosen = [mutant for mutant in known if mutant.name in HANDFUL]
    assert len(chosen) == len(HANDFUL), "a name of the handful is no mutant any more"
    return chosen


@contextmanager
def clean_connection() -> Iterator[None]:
    """A mutant may leave anything behind on a connection: each gets one of its own, and nothing that was remembered."""
    try:
        forget()
        with connections["default"].cursor() as cursor:
            cursor.execute("SET statement_timeout = '60s'")  # a mutant may walk without end
        yield
    finally:
        connections["default"].close()
        del connections["default"]
        forget()


def forget() -> None:
    """What is remembered for longer than a transaction: it was made by another build."""
    COMPILED.clear()
    COMPILED_CONDITIONS.clear()
    get_permission_number.cache_clear()


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


def test_what_is_changed_is_found(rich: Everything, owner: psycopg.Connection) -> None:
    order = questions(rich, owner)
    assert difference(every_or(order, ALONE)) == "", "the build itself is refused"
    known = mutants(owner)
    assert set(SURVIVORS) <= {mutant.name for mutant in known}, "explained, and no mutant any more"
    chosen = chosen_of(known)
    print(f"{len(chosen)} of {len(known)} mutants")
    living = {mutant.name for mutant in chosen if lives(mutant, order, owner)}
    assert difference(every_or(order, len(HANDFUL))) == "", "a mutant has left something behind"
    assert living - set(SURVIVORS) == set(), "nothing finds these"
    assert set(SURVIVORS) & {mutant.name for mutant in chosen} <= living, "these are found by now"


def test_a_gate_that_decides_nothing_is_found(rich: Everything, owner: psycopg.Connection) -> None:
    """The negative control of the deciding questions, and that what is the same is left alone."""
    order = questions(rich, owner)
    mutant = Mutant("no policy asks for labels", in_policies(lambda sql: sql.replace(LABELLED, "true")))
    assert not lives(mutant, order, owner)
    same = Mutant("nothing is changed", in_policies(lambda sql: sql))
    assert lives(same, every_or(order, len(HANDFUL)), owner)
