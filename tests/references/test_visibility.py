"""A reference is there for who may see both ends, its text, and what that was drawn from; a bookmark for its maker."""

import uuid

import pytest

from entities.access import Scope, grant_entity, raise_labels
from entities.models import Entity, Source
from entities.types import Contract
from references.models import Reference
from tests.conftest import Person
from tests.references.conftest import Links


def seen(person: Person, query: str = "") -> list[str]:
    answer = person.api.get(f"/api/references/?{query}").json()
    assert answer["count"] == len(answer["results"])
    return [r["id"] for r in answer["results"]]


def test_reference_is_there_for_who_may_see_both_ends(
    alice: Person,
    viewer: Person,
    outsider: Person,
    contract: Contract,
    annex: Entity,
    restricted: Contract,
    link: Links,
) -> None:
    open_one, hidden_end = link(contract, annex), link(contract, restricted)
    hidden_start = link(restricted, annex)
    assert set(seen(alice)) == {str(r.pk) for r in (open_one, hidden_end, hidden_start)}
    assert seen(viewer) == [str(open_one.pk)]
    assert seen(viewer, f"entity={contract.pk}") == [str(open_one.pk)]
    assert seen(outsider) == []


def test_label_covers_words_and_reason(
    cfo: Person, viewer: Person, contract: Contract, annex: Entity, link: Links
) -> None:
    reference = link(contract, annex, label=5, reason="Revenue grew 15 per cent")
    assert seen(cfo) == [str(reference.pk)]
    assert seen(viewer) == []
    page = viewer.client.get(f"{viewer.base}entities/{contract.pk}/references/")
    assert b"Revenue" not in page.content
    assert b"Revenue" in cfo.client.get(f"{cfo.base}entities/{contract.pk}/references/").content


def test_unlabelled_words_are_for_stewards(
    steward: Person, viewer: Person, contract: Contract, annex: Entity, link: Links, service: Scope
) -> None:
    reference = link(contract, annex)
    with service.open():
        Reference.objects.filter(pk=reference.pk).update(data_classification=None)
    assert seen(steward) == [str(reference.pk)]
    assert steward.api.get("/api/references/").json()["results"][0]["labels"] is None
    assert seen(viewer) == []


def test_words_drawn_from_a_hidden_record_are_hidden_with_it(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, restricted: Contract, link: Links, service: Scope
) -> None:
    reference = link(contract, annex)
    with service.open():
        Source.objects.create(workspace_id=service.workspace, derived=reference.pk, entity_id=restricted.pk)
    assert seen(alice) == [str(reference.pk)]
    assert seen(viewer) == []
    with service.open():
        grant_entity(Entity.objects.get(pk=restricted.pk), viewer.user.pk, ["view"])
    assert seen(viewer) == [str(reference.pk)]


def test_raising_a_passage_raises_the_reference(
    cfo: Person, viewer: Person, contract: Contract, annex: Entity, link: Links, service: Scope
) -> None:
    reference, passage = link(contract, annex), uuid.uuid4()
    with service.open():
        Source.objects.create(workspace_id=service.workspace, derived=reference.pk, entity_id=annex.pk, passage=passage)
    assert seen(viewer)
    with service.open():
        raise_labels({passage: 5})
    assert seen(viewer) == []
    assert seen(cfo) == [str(reference.pk)]


def test_bookmark_is_its_makers_alone(alice: Person, staff: Person, viewer: Person, contract: Contract) -> None:
    body = {"source": str(contract.pk), "target": str(contract.pk), "kind": "Bookmark"}
    made = viewer.api.post("/api/references/", body, format="json")
    assert made.status_code == 201
    assert seen(viewer) == [made.json()["id"]]
    assert seen(alice) == []
    assert seen(staff) == []
    assert alice.api.delete(f"/api/references/{made.json()['id']}/").status_code == 404
    assert viewer.api.delete(f"/api/references/{made.json()['id']}/").status_code == 204


def test_what_was_drawn_from_a_record_goes_with_it(
    alice: Person, contract: Contract, annex: Entity, template: Entity, link: Links, service: Scope
) -> None:
    drawn, ended, kept = link(contract, annex), link(contract, template), link(contract, annex, kind="BuildsOn")
    with service.open():
        for reference, entity in ((drawn, template), (ended, contract), (kept, annex)):
            Source.objects.create(workspace_id=service.workspace, derived=reference.pk, entity_id=entity.pk)
    assert alice.api.delete(f"/api/entities/contract/{template.pk}/?forever=1").status_code == 204
    with service.open():
        assert [r.pk for r in Reference.objects.all()] == [kept.pk]
        assert [s.derived for s in Source.objects.all()] == [kept.pk]


@pytest.mark.parametrize("what", ["absent", "hidden", "foreign"])
def test_absent_hidden_and_foreign_records_answer_the_same(
    what: str, staff: Person, outsider: Person, contract: Contract, restricted: Contract
) -> None:
    who = outsider if what == "foreign" else staff
    pk = {"absent": uuid.uuid4(), "hidden": restricted.pk, "foreign": contract.pk}[what]
    absent = who.api.get(f"/api/references/?entity={uuid.uuid4()}")
    assert who.api.get(f"/api/references/?entity={pk}").content == absent.content
    assert who.api.get(f"/api/entities/{pk}/graph/").content == absent.content
    body = {"source": str(pk), "target": str(pk), "kind": "Bookmark"}
    refused = who.api.post("/api/references/", body, format="json")
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"] == {"source": ["There is no such record, or none that you may see."]}
