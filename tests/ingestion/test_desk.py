"""The classification desk: what waits, for whom, and deciding on it."""

from typing import Any
from uuid import uuid4

import pytest

from entities.access import Scope
from entities.models import AuditEntry, FieldParagraph, Role
from entities.models.classification import FINANCIAL, INTERNAL, PII, SECRET
from entities.text import compute_digest
from entities.types import Contract
from ingestion import desk, relabelling
from ingestion.inline import process_all_waiting
from ingestion.models import Paragraph
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.desk_decisions import LINES, accept, causes, contested, names, waiting
from tests.ingestion.helpers import PROPOSED, label, labelled, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return contested(alice, contract)


def test_unlabelled_conflicting_and_unsure_paragraphs_wait(steward: Person, file: str, contract: Contract) -> None:
    assert causes(steward) == {LINES[2]: ["unlabelled"], LINES[3]: ["conflict"], LINES[4]: ["low_confidence"]}
    assert causes(steward, cause="conflict") == {LINES[3]: ["conflict"]}
    assert causes(steward, label=FINANCIAL) == {LINES[3]: ["conflict"]}
    assert len(causes(steward, file=file)) == len(causes(steward, entity=contract.pk)) == 3
    assert causes(steward, file=uuid4()) == causes(steward, entity=uuid4()) == {}
    proposed = {item["text"]: (names(item["labels"]), names(item["proposed"])) for item in waiting(steward)}
    assert proposed == {
        LINES[2]: (None, []),
        LINES[3]: (["Financial"], ["Financial"]),
        LINES[4]: (["Confidential"], ["Confidential"]),
    }
    assert steward.api.get("/api/desk/?cause=other").status_code == 400


def test_a_decrease_waits_and_is_accepted_or_kept(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    body = b"The storm came.\n\nThe crane is hired until May by the port.\n"
    file = ready(alice, contract, content=body)
    label(service, "The crane is hired until May by the port.", FINANCIAL)
    ready(alice, contract, content=body + b"\nNew.\n")
    assert texts(viewer, file) == ["The storm came.", "[Financial]", "New."]
    (item,) = waiting(steward, cause="decrease")
    assert (names(item["labels"]), names(item["proposed"])) == (["Financial"], [])
    answer = accept(steward, item)
    assert answer == {"accepted": [item["id"]], "changed": []}
    assert texts(viewer, file) == ["The storm came.", "The crane is hired until May by the port.", "New."]
    assert waiting(steward) == []


def test_what_heads_propose_is_read_until_a_steward_takes_it(
    alice: Person, steward: Person, viewer: Person, contract: Contract, proposing: None
) -> None:
    file = ready(alice, contract, content=f"The storm came.\n\n{PROPOSED}\n".encode())
    assert texts(viewer, file) == ["The storm came.", PROPOSED]
    (item,) = waiting(steward, cause="raise")
    assert (item["text"], item["causes"]) == (PROPOSED, ["raise"])
    assert (names(item["labels"]), names(item["proposed"])) == ([], ["Secret"])
    assert causes(steward, label=SECRET) == {PROPOSED: ["raise"]}
    page = steward.client.get(f"{steward.base}desk/paragraphs/{item['id']}/").content.decode()
    assert "proposes" in page
    assert accept(steward, item)["accepted"] == [item["id"]]
    assert texts(viewer, file) == ["The storm came.", "[Secret]"]
    assert waiting(steward) == []


def test_text_typed_into_a_record_waits_too(alice: Person, steward: Person, viewer: Person, service: Scope) -> None:
    made = alice.api.post("/api/entities/article/", {"name": "Guide", "body": "The rent is 4,500 pounds."}).json()
    assert causes(steward) == {"The rent is 4,500 pounds.": ["unlabelled"]}
    process_all_waiting(alice.scope.workspace)
    assert waiting(steward) == []
    alice.api.patch(f"/api/entities/article/{made['id']}/", {"body": "The rent is what it was."}, format="json")
    process_all_waiting(alice.scope.workspace)
    (item,) = waiting(steward, entity=made["id"])
    assert item["causes"] == ["decrease"]
    assert (item["file"], names(item["proposed"])) == (None, [])
    assert accept(steward, item)["accepted"] == [item["id"]]
    with viewer.scope.open():
        assert FieldParagraph.objects.get(entity=made["id"]).text == "The rent is what it was."


def test_what_nobody_has_voted_on_is_not_published_by_accepting_it(
    alice: Person, steward: Person, viewer: Person, service: Scope
) -> None:
    alice.api.post("/api/entities/article/", {"name": "Guide", "body": "The lamp is old."})
    (item,) = waiting(steward)
    assert (item["votes"], item["proposed"]) == ([], None)
    assert accept(steward, item) == {"accepted": [], "changed": [item["id"]]}
    page = steward.client.get(f"{steward.base}desk/").content.decode()
    assert "The lamp is old." in page
    assert 'name="item"' not in page
    shown = steward.client.get(f"{steward.base}desk/paragraphs/{item['id']}/").content.decode()
    assert "Proposed:" not in shown
    assert "Decide otherwise" in shown
    with service.open():
        assert FieldParagraph.objects.get(pk=item["id"]).data_classification is None


def test_only_stewards_have_a_desk_and_see_there_what_they_are_cleared_for(
    steward: Person, alice: Person, cfo: Person, file: str, service: Scope, workspace: Any, outsider: Person
) -> None:
    some = person(workspace, "some", [INTERNAL], ("Steward",))
    with service.open():
        Role.objects.get(name="Steward").classification_grants.all().delete()
    assert set(causes(some)) == {LINES[2]}, "what has no label and no floor"
    with service.open():
        Paragraph.objects.filter(text=LINES[2]).update(floor=SECRET)
    assert causes(some) == {}
    assert outsider.api.get("/api/desk/").json()["count"] == 0
    hidden = str(next(item["id"] for item in waiting(steward) if item["text"] == LINES[3]))
    for path in ("desk/paragraphs/{}/", "desk/paragraphs/{}/page/"):
        assert some.client.get(some.base + path.format(hidden)).status_code == 404
    (seen,) = (item["seen"] for item in waiting(steward) if item["id"] == hidden)
    refused = accept(some, {"id": hidden, "seen": seen})
    assert refused == {"accepted": [], "changed": [hidden]}
    absent = str(uuid4())
    assert accept(some, {"id": absent, "seen": seen}) == {"accepted": [], "changed": [absent]}
    shown = some.client.get(f"{some.base}desk/").content.decode()
    assert "Nothing waits" in shown
    assert "4,500" not in shown
    assert not some.client.get(f"{some.base}desk/waiting/").content.decode().strip()
    for path in ("desk/", "desk/waiting/", f"desk/paragraphs/{hidden}/"):
        assert cfo.client.get(cfo.base + path).status_code == 403
    assert cfo.api.get("/api/desk/").status_code == 403
    body = {"paragraphs": [{"id": hidden, "seen": seen}]}
    assert cfo.api.post("/api/desk/accept/", body, format="json").status_code == 403


def test_a_restricted_record_does_not_wait_for_who_may_not_see_it(
    alice: Person, steward: Person, restricted: Contract
) -> None:
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(1, {}, left_out={0}))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        ready(alice, restricted, "a.txt", b"The gate is green.\n")
    assert len(waiting(alice)) == 1
    assert waiting(steward) == []
    assert waiting(steward, entity=restricted.pk) == []


def test_who_is_no_steward_may_still_type_what_only_stewards_see(staff: Person, steward: Person) -> None:
    sent = {"name": "Guide", "body": "The lamp is old."}
    made = staff.api.post("/api/entities/article/", sent, format="json")
    assert made.status_code == 201, made.content
    edited = staff.api.patch(f"/api/entities/article/{made.json()['id']}/", {"body": "It is new."}, format="json")
    assert edited.status_code == 200, edited.content
    assert "It is new." in causes(steward)


def test_accepting_many_settles_them_and_each_is_in_the_audit(
    steward: Person, viewer: Person, file: str, service: Scope
) -> None:
    items = waiting(steward)
    assert len(accept(steward, *items)["accepted"]) == 3
    assert waiting(steward) == []
    assert texts(viewer, file) == [*LINES[:3], "[Financial]", "[Confidential]"]
    with service.open():
        acts = AuditEntry.objects.filter(action="paragraph.relabelled", actor=steward.user.pk)
        assert {a.object_id for a in acts} == {file}
        assert {a.text.retrieved[0][0] for a in acts} == {item["id"] for item in items}
        assert sorted(a.detail["accepted"][0] for a in acts) == ["conflict", "low_confidence", "unlabelled"]
    assert accept(steward, *items)["changed"] == [item["id"] for item in items], "decided once"


def test_what_changed_since_it_was_shown_is_not_decided(steward: Person, file: str, service: Scope) -> None:
    items = waiting(steward)
    conflict = next(item for item in items if item["causes"] == ["conflict"])
    with service.open():
        row = Paragraph.objects.get(pk=conflict["id"])
        row.votes = [*row.votes, {"source": "model", "labels": [PII], "reason": "x", "confidence": 0.9}]
        row.save(update_fields=["votes"])
    done = accept(steward, *items)
    assert done["changed"] == [conflict["id"]]
    assert len(done["accepted"]) == 2
    url = f"/api/paragraphs/{conflict['id']}/"
    stale = steward.api.patch(url, {"labels": [], "reason": "x", "seen": conflict["seen"]}, format="json")
    assert stale.status_code == 409
    assert causes(steward) == {LINES[3]: ["conflict"]}


def test_votes_that_come_after_a_decision_are_for_another(steward: Person, file: str, service: Scope) -> None:
    accept(steward, *waiting(steward))
    with service.open():
        row = Paragraph.objects.get(text=LINES[3])
        row.votes = [*row.votes, {"source": "model", "labels": [PII], "reason": "x", "confidence": 0.9}]
        row.save(update_fields=["votes"])
    assert causes(steward) == {LINES[3]: ["conflict"]}


def test_a_label_that_is_none_is_refused_and_never_left_out(
    subtests: pytest.Subtests, steward: Person, file: str
) -> None:
    """Left out, it would make a lower decision of the others."""
    for odd in ["²", "x", "-1", "9" * 5000, "\0"]:
        with subtests.test(odd=odd):
            (item,) = waiting(steward, cause="conflict")
            url = f"{steward.base}desk/paragraphs/{item['id']}/decide/"
            answer = steward.client.post(url, {"labels": [str(INTERNAL), odd], "reason": "so"})
            assert answer.status_code == 422
            assert causes(steward, cause="conflict")


def test_null_characters_in_a_reason_are_left_out(steward: Person, file: str) -> None:
    (item,) = waiting(steward, cause="conflict")
    url = f"{steward.base}desk/paragraphs/{item['id']}/decide/"
    assert steward.client.post(url, {"labels": [str(PII)], "reason": "\0 "}).status_code == 422
    assert steward.client.post(url, {"labels": [str(PII)], "reason": "a na\0me"}).status_code == 302
    with steward.scope.open():
        assert Paragraph.objects.get(pk=item["id"]).votes[-1]["reason"] == "a name"


def test_too_many_at_once_are_refused(steward: Person) -> None:
    one = {"id": str(uuid4()), "seen": "x"}
    for sent in ([], [one, one], [{"id": str(uuid4()), "seen": "x"} for _ in range(101)], "x", None):
        answer = steward.api.post("/api/desk/accept/", {"paragraphs": sent}, format="json")
        assert answer.status_code == 400, sent


NEW = "The rent is another now."


@pytest.mark.parametrize("door", ["page", "many", "api", "api of many"])
def test_what_changes_while_it_is_decided_is_not_said_to_be_decided(
    alice: Person, steward: Person, file: str, service: Scope, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    made = alice.api.post("/api/entities/article/", {"name": "Guide", "body": "The rent is 4,500 pounds."}).json()
    (typed,) = waiting(steward, entity=made["id"])
    (fee,) = waiting(steward, cause="conflict")
    with service.open():
        FieldParagraph.objects.filter(pk=typed["id"]).update(votes=[{"source": "rules", "labels": [], "reason": ""}])
    (typed,) = waiting(steward, entity=made["id"])

    def edited_first(module: Any, name: str) -> None:
        real = getattr(module, name)

        def later(*given: Any, **more: Any) -> Any:
            with service.open():
                FieldParagraph.objects.filter(pk=typed["id"]).update(text=NEW, digest=compute_digest(NEW))
            return real(*given, **more)

        monkeypatch.setattr(module, name, later)

    edited_first(desk, "apply_decisions") if "many" in door else edited_first(relabelling, "apply_decision")
    one = f"{steward.base}desk/paragraphs/{typed['id']}/decide/"
    if door == "page":
        answer = steward.client.post(one, {"labels": [], "reason": "so"}, follow=True)
        assert answer.status_code in (404, 409)
        assert "It holds everywhere" not in answer.content.decode()
        assert "It holds everywhere" not in steward.client.get(f"{steward.base}desk/").content.decode()
    elif door == "api":
        sent = {"labels": [], "reason": "so"}
        refused = steward.api.patch(f"/api/paragraphs/{typed['id']}/", sent, format="json")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    elif door == "many":
        items = [f"{item['id']} {item['seen']}" for item in (typed, fee)]
        page = steward.client.post(f"{steward.base}desk/accept/", {"item": items}, follow=True).content.decode()
        assert "1 paragraph decided as proposed" in page
        assert "1 paragraph had changed since" in page
    else:
        assert accept(steward, typed, fee) == {"accepted": [fee["id"]], "changed": [typed["id"]]}
    assert causes(steward, cause="conflict") == ({} if "many" in door else {LINES[3]: ["conflict"]})
    with service.open():
        left = FieldParagraph.objects.get(entity=made["id"])
        assert (left.text, left.data_classification) == (NEW, None)


@pytest.mark.parametrize("door", ["one", "many"])
def test_of_two_stewards_at_once_the_later_is_told_that_the_other_was_first(
    alice: Person, steward: Person, viewer: Person, file: str, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    (item,) = waiting(steward, cause="low_confidence")
    url = f"/api/paragraphs/{item['id']}/"
    module, name = (relabelling, "apply_decision") if door == "one" else (desk, "apply_decisions")
    real, first = getattr(module, name), [True]

    def later(*given: Any, **more: Any) -> Any:
        if first.pop() if first else False:
            higher = {"labels": [SECRET], "reason": "names a buyer"}
            assert alice.api.patch(url, higher, format="json").status_code == 200
        return real(*given, **more)

    monkeypatch.setattr(module, name, later)
    if door == "one":
        sent = {"labels": [], "reason": "so", "seen": item["seen"]}
        assert steward.api.patch(url, sent, format="json").status_code == 409
    else:
        assert accept(steward, item) == {"accepted": [], "changed": [item["id"]]}
    assert texts(alice, file)[4] == LINES[4]
    assert "[Secret]" in texts(viewer, file)
