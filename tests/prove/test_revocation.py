"""Taking something away while a request is on its way: every transaction begun after the revoking commit obeys, for
each thing that can be taken and each path where it shows (`interleavings.py`).
"""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from entities.access import get_current_scope
from entities.access.scope import _apply_settings as original_set
from ingestion.models import ContextRow, Kind
from retrieval.search import find_hits
from tests.oracle.known_worlds import RICH
from tests.oracle.planted_world import Everything
from tests.prove.interleavings import Answer, Case, asks_of, case_of, cases_of, violations
from tests.prove.mutation_of_sql import in_function
from tests.prove.revocations import (
    ENDS,
    REVOCATIONS,
    WHO,
    ending,
    wait_until,
)
from tests.prove.size import sample, sized
from tests.prove.steps import Actor

pytestmark = [pytest.mark.prove]


def test_every_transaction_begun_after_the_commit_obeys(
    rich: Everything, superuser_connection: psycopg.Connection
) -> None:
    assert violations(cases_of(rich), superuser_connection, sized(1)) == []


def remembering(build: pytest.MonkeyPatch) -> None:
    """What a scope asks once is remembered by the process."""
    kept: dict[object, object] = {}

    def cached(key: str, load: Callable[[], object]) -> object:
        place = (get_current_scope().workspace, get_current_scope().principal, key)
        if place not in kept:
            kept[place] = load()
        return kept[place]

    for module in ("objects", "labels"):
        build.setattr(f"entities.access.{module}.load_once", cached)


def trusting(build: pytest.MonkeyPatch) -> None:
    """Whoever was let in stays in."""
    build.setattr("entities.access.scope._apply_settings", lambda *given: original_set(*given) or True)


@pytest.mark.parametrize(("break_it", "name"), [(remembering, "a role"), (remembering, ENDS), (trusting, "membership")])
def test_a_broken_build_is_found(
    rich: Everything,
    superuser_connection: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    break_it: Callable[[pytest.MonkeyPatch], None],
    name: str,
) -> None:
    """The negative control."""
    cases = cases_of(rich, name)
    break_it(monkeypatch)
    assert violations(cases, superuser_connection, 0)


def test_a_page_is_answered_where_membership_ends_while_it_is_made(
    rich: Everything, superuser_connection: psycopg.Connection
) -> None:
    """Its frame names the workspaces of who asks: here this one is none of them any more."""
    membership = next(revocation for revocation in REVOCATIONS if revocation.name == "membership")
    case = case_of(rich, membership, "page", asks_of(rich, WHO))
    watched = Actor("watched", case.ask)
    watched.finish()
    framed = next(n for n, sql in enumerate(watched.statements) if "app_workspaces_of" in sql)
    assert framed > case.begins
    assert case.wrong(superuser_connection, framed, framed, pooled=False) == ""


ROWS = {
    "ingestion_contextrow": "entity_id = %(id)s",
    "ingestion_posting": "entity = (SELECT number FROM entities_entity WHERE id = %(id)s)",
    "ingestion_vector": "entity = (SELECT number FROM entities_entity WHERE id = %(id)s)",
}


def test_revoking_a_grant_rewrites_no_index_row(rich: Everything, superuser_connection: psycopg.Connection) -> None:
    """Each row stays where it stands, as the transaction wrote it that made it; the next statement obeys."""
    planted, revocation = rich.planted, REVOCATIONS[0]
    entity = planted.records["record1"]
    with planted.service.open():
        ContextRow.objects.bulk_create(
            ContextRow(workspace=planted.workspace, entity_id=entity, data_classification=0, kind=Kind.DELTA,
                       text=f"Berth {n} is free.", digest=str(n), position=n)
            for n in range(300)
        )  # fmt: skip

    def rows() -> dict[str, list[Any]]:
        return {
            table: superuser_connection.execute(
                f"SELECT ctid::text, xmin::text, xmax::text FROM {table} WHERE {where} ORDER BY 1", {"id": entity}
            ).fetchall()
            for table, where in ROWS.items()
        }

    def found() -> int:
        with (scope := planted.scope(next(p for p in RICH.people if p.name == WHO))).open():
            return len([hit for hit in find_hits(scope, "berth", floor=-1).hits if hit.lexical is not None])

    before = rows()
    assert {table: len(kept) > 300 for table, kept in before.items()} == {
        "ingestion_contextrow": True, "ingestion_posting": True, "ingestion_vector": False,
    }  # fmt: skip
    assert found() > 50
    revocation.revoke(rich)
    assert found() == 0
    assert rows() == before
    revocation.restore(rich)
    with planted.service.open():  # the twin: a label is rewritten, and that shows
        ContextRow.objects.filter(entity=entity, kind=Kind.DELTA).update(data_classification=5)
    assert rows() != before
    with planted.service.open():
        ContextRow.objects.filter(entity=entity, kind=Kind.DELTA).delete()


WITHOUT_THE_CLOCK = """
CREATE OR REPLACE FUNCTION app_allowed() RETURNS integer[] LANGUAGE sql STABLE
AS $$ SELECT CASE WHEN current_setting('app.allowed_for', true) = public.app_settings()
  THEN current_setting('app.allowed', true)::integer[] ELSE public.app_allowed_now() END $$
"""


def answered_past_the_end(case: Case, stop: int, database: psycopg.Connection) -> tuple[Answer, Answer]:
    """Two answers of a reader whose clearance ends while they stand at `stop`: before that it holds, and nobody commits
    anything then.
    """
    for seconds in (0.3, 2, 10, 60):  # on a slow machine the reader comes to the stop later
        end = ending(case.everything, seconds)
        reader = Actor("reader", lambda: case.ask_twice(False))
        try:
            reader.go_to(stop, database)
            in_time = timezone.now() < end
            wait_until(end)
            answers: tuple[Answer, Answer] = reader.finish()
        finally:
            case.revocation.restore(case.everything)
        if in_time:
            return answers
    raise AssertionError("the reader never came to the stop in time")


def test_a_clearance_is_over_in_the_middle_of_a_transaction(
    rich: Everything, superuser_connection: psycopg.Connection
) -> None:
    """By the clock, ADR 31: the labels that were looked up when the scope was opened hold until then."""
    (case, *_) = cases_of(rich, ENDS)
    for stop in sample(range(case.begins + 1, case.stops), 2, "ends"):
        first, second = answered_past_the_end(case, stop, superuser_connection)
        assert first.words <= case.readable
        assert second == case.after
    first, _ = answered_past_the_end(case, case.begins + 1, superuser_connection)
    assert first == case.after, "nothing was read before the end"
    (definition,) = superuser_connection.execute("SELECT pg_get_functiondef('app_allowed'::regproc)").fetchone() or (
        "",
    )
    with in_function(definition, WITHOUT_THE_CLOCK)(superuser_connection):  # the negative control
        first, _ = answered_past_the_end(case, case.begins + 1, superuser_connection)
        assert first != case.after
