"""A search of a turn follows references as far as the model asks, and as the person asking sees the graph; it puts
into the prompt as many passages as are set.
"""

import pytest

from entities.actions import create_entity
from entities.models import AuditText
from entities.types import Risk
from references.actions import add_reference
from retrieval.tuning import load_tuning

DEPTH = {"query": "kestrel clause", "scope": "record"}


@pytest.fixture
def linked(index, contract, restricted, alice):
    """contract → risk, contract → settlement (restricted); each has one passage."""
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel"})
        for target in (risk, restricted):
            add_reference(scope=alice.scope, source=contract, target=target, kind="BuildsOn")
    for record, text in ((contract, "lease"), (risk, "steel"), (restricted, "settlement")):
        index.row(record, f"The kestrel clause of the {text}.", vector=False)


@pytest.mark.parametrize("depth", [0, 1])
def test_a_search_of_a_turn_follows_references(depth, linked, viewer, contract, start, model, service):
    model.says(tool_use=("search_knowledge", {**DEPTH, "reference_depth": depth}))
    model.says(text="It is there [1].")
    assert start(viewer, contract).ask("What does kestrel say?")["state"] == "done"
    given = model.requests[1].text
    assert "clause of the lease" in given
    assert ("clause of the steel" in given) is (depth == 1)
    assert "clause of the settlement" not in given
    with service.open():
        within = AuditText.objects.get(entry__action="search").within
    assert within.get("reference_depth", 0) == depth


@pytest.mark.parametrize("depth", [4, -1, "2", 1.5, [1]])
def test_a_depth_that_cannot_be_is_told_to_the_model(depth, linked, viewer, contract, start, model):
    model.says(tool_use=("search_knowledge", {**DEPTH, "reference_depth": depth}))
    model.says(text="Nothing.")
    assert start(viewer, contract).ask("What does kestrel say?")["state"] == "done"
    assert "Give `reference_depth` as a whole number from 0 to 3." in model.requests[1].text
    assert "clause of" not in model.requests[1].text


@pytest.mark.parametrize("most", [None, 3])
def test_as_many_passages_as_are_set(most, index, viewer, contract, start, model, settings, request):
    if most:
        settings.RETRIEVAL = {"prompt": most}
    request.addfinalizer(load_tuning.cache_clear)
    load_tuning.cache_clear()
    for n in range(8):
        index.row(contract, f"The kestrel clause, number {n}.", vector=False)
    model.says(tool_use=("search_knowledge", {"query": "kestrel clause"}))
    model.says(text="It is there [1].")
    assert start(viewer, contract).ask("What does kestrel say?")["state"] == "done"
    assert model.requests[1].text.count("The kestrel clause, number") == (most or 5)
