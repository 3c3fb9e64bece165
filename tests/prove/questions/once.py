"""What is asked once and remembered, and what is not asked at all: nobody would see more or less without it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q

from entities.access import (
    STEWARD,
    build_sources_visible_q,
    combine_many,
    compiled_condition,
    list_atoms,
    load_atoms_by_label,
    statements,
)
from entities.access.objects import build_visibility_q, list_declared_rules, lock_or_404
from entities.access.routes import open_scope_satisfies
from entities.access.statements import build_visible_records
from entities.models import Entity
from retrieval.gate import IN_A_SET, build_gates
from retrieval.query import Within
from tests.oracle.planted_world import Everything
from tests.prove.questions.refusals import undone


def statements_of(work: Callable[[], Any]) -> list[str]:
    seen = []

    def note(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        seen.append(str(sql))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        work()
    return seen


def texts_are_written_once(e: Everything) -> None:
    """For each set of roles, and forgotten when there are too many."""
    scopes = [e.planted.scope(person) for person in e.world.people]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "COMPILED", {})
        patch.setattr(statements, "MOST", 2)
        known = []
        for scope in scopes:
            texts = []
            for _ in range(2):
                with scope.open():
                    texts.append(build_visible_records(scope))
            assert texts[0] is texts[1]
            known.append(len(statements.COMPILED))
        assert known == [1, 2, 1, 2]
        assert {len(key) for key in statements.COMPILED} == {3 + len(list_declared_rules())}, "nobody has no roles"


def conditions_are_written_once(e: Everything) -> None:
    """For each person, and forgotten when there are too many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_condition, "COMPILED_CONDITIONS", {})
        patch.setattr(compiled_condition, "MAX_CONDITIONS", 2)
        known = []
        for person in e.world.people:
            scope = e.planted.scope(person)
            conditions = []
            for _ in range(2):
                with scope.open():
                    conditions.append(build_visibility_q(scope, Entity))
            assert conditions[0] is conditions[1]
            known.append(len(compiled_condition.COMPILED_CONDITIONS))
        assert known == [1, 2, 1, 2]


def the_faster_form_is_taken(e: Everything) -> None:
    scope = e.planted.scope(e.world.people[1])
    with pytest.MonkeyPatch.context() as patch, scope.open():
        gates = build_gates(scope, Within())
        for records, form in ((IN_A_SET * 10, gates.all), (IN_A_SET * 10 + 1, gates.each)):
            patch.setattr("retrieval.gate.read_sizes", lambda records=records: SimpleNamespace(records=records))
            assert gates.choose_cheaper(10) is form


def what_is_known_is_not_asked(e: Everything) -> None:
    service, ann = e.planted.service, e.planted.scope(e.world.people[0])
    with ann.open():
        load_atoms_by_label()
        open_scope_satisfies(ann, STEWARD)
        for work in (lambda: list_atoms(1), lambda: combine_many([]), lambda: combine_many([3]),
                     lambda: open_scope_satisfies(ann, STEWARD)):  # fmt: skip
            assert statements_of(work) == []
    assert not open_scope_satisfies(ann, STEWARD), "outside a scope nothing is seen, and nothing remembered"
    with undone(), service.open():
        assert build_sources_visible_q(service) == Q()
        assert "drawn" not in build_gates(service, Within()).each.cleared
        row = Entity.objects.get(pk=e.planted.records["record0"])
        assert "FOR NO KEY UPDATE" in statements_of(lambda: lock_or_404(row))[0]
