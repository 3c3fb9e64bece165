"""References widen a search that is limited to some records, as the reader sees the graph."""

import pytest

from entities.actions import create_entity
from entities.types import Contract, Risk
from references.actions import add_reference


@pytest.fixture
def linked(index, contract, restricted, alice):
    """contract → risk → settlement (restricted) → annex; each has one passage."""
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
        annex = create_entity(scope=alice.scope, model=Contract, fields={"name": "Annex", "counterparty": "Port"})
        for source, target in ((contract, risk), (risk, restricted), (restricted, annex)):
            add_reference(scope=alice.scope, source=source, target=target, kind="BuildsOn")
    for record in (contract, risk, restricted, annex):
        index.row(record, f"Kestrel clause of {record.pk}", vector=False)
    return [contract, risk, restricted, annex]


def found(person, record, depth):
    query = {"q": "kestrel", "entity": str(record.pk), "reference_depth": depth}
    results = person.api.get("/api/search/", query).json()["results"]
    return {r["entity"]["id"]: (r["via_reference"], r["why"]) for r in results}


def test_a_search_follows_references(linked, alice):
    first, risk, settlement, annex = linked
    assert set(found(alice, first, 0)) == {str(first.pk)}
    one = found(alice, first, 1)
    assert set(one) == {str(first.pk), str(risk.pk)}
    assert one[str(first.pk)][0] is False
    assert one[str(risk.pk)][0] is True
    assert "linked by reference from Quay lease" in one[str(risk.pk)][1]
    assert set(found(alice, first, 3)) == {str(r.pk) for r in linked}


def test_it_does_not_pass_through_what_the_reader_may_not_see(linked, viewer):
    first, risk, settlement, annex = linked
    assert set(found(viewer, first, 3)) == {str(first.pk), str(risk.pk)}
    assert found(viewer, settlement, 3) == {}


def test_without_a_limit_there_is_nothing_to_widen(linked, viewer):
    answers = [viewer.api.get("/api/search/", {"q": "kestrel", "reference_depth": depth}).json() for depth in (0, 3)]
    assert answers[0] == answers[1]
