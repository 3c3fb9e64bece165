"""Adding, changing and removing references: whose they are, and what happens to their words."""

import re
import uuid

import pytest

from entities.access import Scope, ScopeError
from entities.models import Entity, FieldParagraph, Source
from entities.models.classification import FINANCIAL
from entities.models.entity import Visibility
from entities.text import compute_digest
from entities.types import Contract
from references.actions import CitationTarget, replace_citations
from references.locations import Location
from references.models import Reference
from tests.conftest import Person
from tests.references.conftest import Links


def body(source: Entity, target: Entity, **more: object) -> dict[str, object]:
    return {"source": str(source.pk), "target": str(target.pk), "kind": "BuildsOn", **more}


def test_words_that_are_typed_are_hidden_until_labelled(
    staff: Person, viewer: Person, steward: Person, contract: Contract, annex: Entity
) -> None:
    answer = staff.api.post("/api/references/", body(contract, annex, label="Same cap"), format="json")
    assert answer.status_code == 201
    assert answer.json()["labels"] is None
    assert answer.json()["source"] == {"id": str(contract.pk), "type": "contract", "name": "Quay lease"}
    assert answer.json()["origin"] == {"kind": "person", "principal": staff.user.pk}
    for person in (staff, viewer):
        assert person.api.get("/api/references/").json()["count"] == 0
    assert steward.api.get("/api/references/").json()["count"] == 1


def test_a_link_without_words_is_there_at_once(
    staff: Person, viewer: Person, contract: Contract, annex: Entity
) -> None:
    for _ in range(2):
        answer = staff.api.post("/api/references/", body(contract, annex), format="json")
        assert answer.json()["labels"] == []
    assert viewer.api.get("/api/references/?kind=BuildsOn").json()["count"] == 1
    assert viewer.api.get(f"/api/references/?entity={contract.pk}&direction=in").json()["count"] == 0
    assert viewer.api.get(f"/api/references/?entity={annex.pk}&direction=in").json()["count"] == 1


def test_only_who_may_change_the_source_links_it(
    viewer: Person, staff: Person, contract: Contract, annex: Entity
) -> None:
    assert viewer.api.post("/api/references/", body(contract, annex), format="json").status_code == 403
    assert staff.api.post("/api/references/", body(contract, annex), format="json").status_code == 201


def test_what_cannot_be_is_refused_with_a_sentence(
    subtests: pytest.Subtests, staff: Person, contract: Contract, annex: Entity
) -> None:
    for change, field in [
        ({"kind": "Citation"}, "kind"),
        ({"kind": "Friendship"}, "kind"),
        ({"label": "x" * 501}, "label"),
        ({"location_type": "Page", "location": {"file": str(uuid.uuid4()), "page": 1}}, "location"),
        ({"location_type": "Property", "location": {"field": "nosuch"}}, "location"),
        ({"location_type": "Property", "location": {"text": "words"}}, "location"),
        ({"location": {"page": 1}}, "location"),
    ]:
        with subtests.test(change=change):
            answer = staff.api.post("/api/references/", body(contract, annex, **change), format="json")
            assert answer.status_code == 400
            assert list(answer.json()["error"]["fields"]) == [field]


def test_a_record_is_not_linked_to_itself(staff: Person, contract: Contract) -> None:
    assert staff.api.post("/api/references/", body(contract, contract), format="json").status_code == 400


def test_hidden_field_is_no_location(cfo: Person, staff: Person, contract: Contract, annex: Entity) -> None:
    where = {"location_type": "Property", "location": {"field": "value"}, "kind": "Bookmark"}
    assert staff.api.post("/api/references/", body(annex, contract, **where), format="json").status_code == 400
    assert cfo.api.post("/api/references/", body(annex, contract, **where), format="json").status_code == 201


def test_passage_gives_its_label_to_the_reference(
    cfo: Person, viewer: Person, alice: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    with service.open():
        text = "The rent is twelve thousand."
        passage = FieldParagraph.objects.create(
            workspace_id=service.workspace, entity_id=annex.pk, field="notes", position=1, text=text,
            digest=compute_digest(text), data_classification=5,
        )  # fmt: skip
    where = {"location_type": "Chunk", "location": {"passage": str(passage.pk)}}
    assert (
        viewer.api.post("/api/references/", body(contract, annex, kind="Bookmark", **where), format="json").status_code
        == 400
    )
    made = alice.api.post("/api/references/", body(contract, annex, **where), format="json")
    assert [x["label"] for x in made.json()["labels"]] == ["Financial"]
    assert viewer.api.get("/api/references/").json()["count"] == 0
    assert cfo.api.get("/api/references/").json()["count"] == 1


def test_new_words_keep_the_label_of_the_old_ones_as_their_floor(
    alice: Person, staff: Person, contract: Contract, annex: Entity, link: Links, service: Scope
) -> None:
    reference = link(contract, annex, label=1, origin_principal=staff.user.pk)
    with service.open():
        Source.objects.create(workspace_id=service.workspace, derived=reference.pk, entity_id=annex.pk)
    where = f"/api/references/{reference.pk}/"
    answer = staff.api.patch(where, {"label": "Other words"}, format="json")
    assert answer.status_code == 200
    assert answer.json()["labels"] is None
    with service.open():
        now = Reference.objects.get(pk=reference.pk)
        assert (now.label, now.floor, now.data_classification) == ("Other words", 1, None)
        assert Source.objects.filter(derived=now.pk).count() == 1
    assert staff.api.patch(where, {"kind": "Supersedes"}, format="json").status_code == 404
    assert alice.api.patch(where, {"kind": "Supersedes"}, format="json").json()["kind"] == "Supersedes"


def test_only_its_maker_or_who_may_change_the_source_changes_it(
    viewer: Person, staff: Person, contract: Contract, annex: Entity, link: Links
) -> None:
    where = f"/api/references/{link(contract, annex).pk}/"
    assert viewer.api.patch(where, {"kind": "Supersedes"}, format="json").status_code == 403
    assert viewer.api.delete(where).status_code == 403
    assert staff.api.patch(where, {"kind": "Supersedes"}, format="json").status_code == 200
    assert staff.api.delete(where).status_code == 204
    assert staff.api.delete(where).status_code == 404


def test_citations_go_with_the_text_that_cites(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    owner, first, second, third = uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), uuid.uuid4()

    def cite(*passages: uuid.UUID, label: int = 0) -> None:
        cited = [
            CitationTarget(annex.pk, p, label, "Survey.pdf, p. 2", Location("Chunk", {"page": 2}), [uuid.uuid4()])
            for p in passages
        ]
        with service.open():
            assert replace_citations(
                owner=owner, source=contract.pk, origin="pulse", origin_principal=-1, cited=[*cited, *cited]
            ) == len(passages)

    def ids() -> dict[str, str]:
        with service.open():
            return {str(r.passage): str(r.pk) for r in Reference.objects.filter(kind="Citation")}

    cite(first, second)
    before = ids()
    cite(second, third)
    after = ids()
    assert set(after) == {str(second), str(third)}
    assert after[str(second)] == before[str(second)]
    where = f"/api/references/{after[str(second)]}/"
    assert alice.api.delete(where).status_code == 403
    assert alice.api.patch(where, {"kind": "BuildsOn"}, format="json").status_code == 403
    assert viewer.api.get("/api/references/?kind=Citation").json()["count"] == 2
    cite(second, third, label=5)
    assert viewer.api.get("/api/references/?kind=Citation").json()["count"] == 0
    with service.open():
        assert Source.objects.count() == 2
    with alice.scope.open(), pytest.raises(ScopeError):
        replace_citations(owner=owner, source=contract.pk, origin="pulse", origin_principal=-1, cited=[])


def test_form_adds_and_removes(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, template: Entity, service: Scope
) -> None:
    where = f"{alice.base}entities/{contract.pk}/references/new/"
    found = alice.client.get(f"{where}?q=annex", headers={"HX-Request": "true"}).content.decode()
    assert str(annex.pk) in found
    assert "<h1" not in found, "the choices alone"
    assert str(annex.pk) not in alice.client.get(f"{where}?q=lease").content.decode()
    kept = alice.client.get(f"{where}?q=lease&target={annex.pk}", headers={"HX-Request": "true"}).content.decode()
    assert re.search(rf'value="{annex.pk}" required checked', kept), "what was chosen stays, whatever is typed"
    assert alice.client.get(f"{where}?q=annex%00&target=%00").status_code == 200
    with service.open():
        Entity.objects.filter(pk=template.pk).update(name_classification=FINANCIAL)
    for q in ("", "contract"):
        assert str(template.pk) in viewer.client.get(f"{where}?q={q}").content.decode(), "by its type, without its name"
    for q in ("template", "lease"):
        assert str(template.pk) not in viewer.client.get(f"{where}?q={q}").content.decode()
    assert alice.client.post(where, {"kind": "Supersedes"}).status_code == 422
    first = re.search(r"<button[^>]*>", alice.client.get(where).content.decode().partition('class="cl-panel"')[2])
    assert first is not None
    assert "name=" not in first[0], "Enter adds, and does not search"
    # The button of the search in a form that has no JavaScript.
    looked = {"find": "1", "q": "lease", "target": str(annex.pk), "kind": "Supersedes", "label": "As agreed"}
    filled = alice.client.post(where, looked)
    assert filled.status_code == 200, "it is looked for, and nothing is refused or made"
    assert re.search(rf'value="{annex.pk}" required checked', filled.content.decode())
    assert re.search('value="Supersedes" selected', filled.content.decode())
    assert 'value="As agreed"' in filled.content.decode()
    assert alice.api.get("/api/references/").json()["count"] == 0
    posted = alice.client.post(where, {"target": str(annex.pk), "kind": "Supersedes"})
    assert posted.status_code == 302
    made = alice.api.get("/api/references/").json()["results"][0]
    assert alice.client.post(f"{alice.base}references/{made['id']}/remove/").status_code == 302
    assert alice.api.get("/api/references/").json()["count"] == 0
    page = viewer.client.get(f"{viewer.base}entities/{contract.pk}/references/new/").content
    assert b"Bookmarked" in page
    assert b"Supersedes" not in page
    refused = viewer.client.post(
        f"{viewer.base}entities/{contract.pk}/references/new/", {"target": str(annex.pk), "kind": "Supersedes"}
    )
    assert refused.status_code == 422
    with alice.scope.open():
        Entity.objects.filter(pk=annex.pk).update(visibility=Visibility.RESTRICTED)
    hidden = viewer.client.get(f"{viewer.base}entities/{contract.pk}/references/new/?q=annex").content.decode()
    assert "Quay annex" not in hidden, "a record that they may not see is no choice"
