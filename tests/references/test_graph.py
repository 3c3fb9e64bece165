"""The graph, the panel and salience: of what the caller may see, before any cap."""

import uuid

from entities.actions import create_entity
from entities.models import Entity
from entities.types import Article, Contract
from references import graph
from references.salience import compute_salience
from tests.conftest import Person
from tests.references.conftest import Links


def names(person: Person, entity: Entity, depth: int = 1) -> list[tuple[str, int]]:
    answer = person.api.get(f"/api/entities/{entity.pk}/graph/?depth={depth}").json()
    ends = {end for edge in answer["edges"] for end in (edge["source"], edge["target"])}
    assert ends <= {node["id"] for node in answer["nodes"]}
    return [(node["name"], node["depth"]) for node in answer["nodes"]]


def test_graph_is_walked_both_ways_and_ends_in_circles(
    alice: Person, contract: Contract, annex: Entity, template: Entity, link: Links
) -> None:
    link(annex, contract, "DerivedFrom")
    link(annex, template, "BuildsOn")
    link(template, contract)
    assert names(alice, contract) == [("Quay lease", 0), ("Lease template", 1), ("Quay annex", 1)]
    assert len(names(alice, contract, 3)) == 3
    link(contract, annex)
    edges = alice.api.get(f"/api/entities/{contract.pk}/graph/?depth=2").json()["edges"]
    assert {(e["kind"], e["count"]) for e in edges} == {("DerivedFrom", 1), ("BuildsOn", 1), ("CrossReference", 1)}


def test_a_hidden_record_is_no_bridge(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, restricted: Contract, link: Links
) -> None:
    link(contract, restricted)
    link(restricted, annex)
    assert ("Quay annex", 2) in names(alice, contract, 2)
    assert names(viewer, contract, 3) == [("Quay lease", 0)]
    page = viewer.client.get(f"{viewer.base}entities/{contract.pk}/references/")
    assert b"Records directly linked" not in page.content
    assert b"No references yet" in page.content


def test_a_hidden_label_is_no_bridge(
    cfo: Person, viewer: Person, contract: Contract, annex: Entity, link: Links
) -> None:
    link(contract, annex, label=5)
    assert len(names(cfo, contract)) == 2
    assert len(names(viewer, contract)) == 1


def test_hidden_references_use_up_no_limit(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, link: Links, monkeypatch: object
) -> None:
    monkeypatch.setattr(graph, "ENTITIES_PER_HOP", 1)
    link(contract, annex)
    with alice.scope.open():
        secret = create_entity(
            scope=alice.scope, model=Article, fields={"name": "Secret plan"}, visibility="restricted"
        )
    link(contract, secret)  # the later one comes first
    assert names(alice, contract) == [("Quay lease", 0), ("Secret plan", 1)]
    assert names(viewer, contract) == [("Quay lease", 0), ("Quay annex", 1)]


def test_panel_counts_what_it_shows(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, restricted: Contract, link: Links
) -> None:
    link(contract, annex, "Supersedes")
    link(restricted, contract, "Contradicts")
    link(contract, contract, "Citation", owner=uuid.uuid4())
    address = f"entities/{contract.pk}/references/"
    shown = viewer.client.get(viewer.base + address, headers={"HX-Request": "true"}).content.decode()
    assert '<h2 id="references-title">References</h2><span class="cl-count">1</span>' in shown
    assert "Supersedes" in shown
    assert "Contradicted by" not in shown
    assert "Settlement" not in shown
    shown = alice.client.get(alice.base + address, headers={"HX-Request": "true"}).content.decode()
    assert '<span class="cl-count">2</span>' in shown
    assert "Contradicted by" in shown
    assert "Records directly linked" in shown
    assert "style=" not in shown
    other = viewer.client.get(f"{viewer.base}entities/{annex.pk}/references/").content.decode()
    assert "Superseded by" in other


def test_salience_counts_visible_references(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, restricted: Contract, link: Links
) -> None:
    link(restricted, contract, "BuildsOn")
    with alice.scope.open():
        assert compute_salience(alice.scope, [contract.pk])[contract.pk].factor > 1
    with viewer.scope.open():
        assert compute_salience(viewer.scope, [contract.pk])[contract.pk].factor == 1
    link(annex, contract, "Supersedes")
    with viewer.scope.open():
        found = compute_salience(viewer.scope, [contract.pk, annex.pk])
        assert found[contract.pk].factor < 1 < found[annex.pk].factor
        assert found[contract.pk].incoming == {"Supersedes": 1}


def test_depth_is_a_small_number(viewer: Person, contract: Contract) -> None:
    for depth in ("0", "9", "deep"):
        answer = viewer.api.get(f"/api/entities/{contract.pk}/graph/?depth={depth}")
        assert answer.status_code == 400
        assert answer.json()["error"]["fields"] == {"depth": ["Give a number of hops from 1 to 3."]}
