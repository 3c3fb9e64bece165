"""What a request for access tells whom: nothing of what is hidden from them."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from entities.access import Scope, grant_entity
from entities.models import Classification, Membership
from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, SECRET
from entities.types import Contract
from ingestion.models import AccessMessage, AccessRequest, Paragraph
from tests.conftest import Person, person
from tests.ingestion.access_requests import URL, ask, decide, listed, person_role, salary
from tests.ingestion.helpers import SALARY, label, ready

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def test_nobody_learns_by_an_id_whether_a_passage_is_there(
    viewer: Person, outsider: Person, file: str, service: Scope, alice: Person, restricted: Contract
) -> None:
    """Ids are made of the text: whoever guesses a text knows the id that it would have."""
    hidden = ready(alice, restricted, "b.md")
    label(service, "Next steps", PII)
    with service.open():
        rows = {(str(p.file_id), p.text): str(p.pk) for p in Paragraph.objects.all()}
    guess = rows[file, SALARY]

    def told(passage: str, of: str = file, who: Person = viewer, **more: Any) -> tuple[int, Any]:
        """What is answered, the passage as it was asked for and what tells one request from another aside."""
        answer = who.api.post(URL, {"file": of, "passage": passage, **more}, format="json")
        with service.open():
            AccessRequest.objects.all().delete()
        body = answer.json()
        return answer.status_code, {k: v for k, v in body.items() if k not in ("id", "created_at", "passage")}

    absent = told(str(uuid4()))
    assert absent[0] == 201
    assert [one["label"] for one in absent[1]["requires"]] == ["PII", "Financial"]
    for other in (guess, rows[file, "Next steps"], rows[hidden, SALARY]):
        assert told(other) == absent
        assert told(other, labels=[PII]) == told(str(uuid4()), labels=[PII])
    label(service, SALARY, None)
    assert told(guess) == told(str(uuid4()))
    label(service, SALARY, FINANCIAL)
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    assert told(guess) == told(str(uuid4()))
    assert told(guess, labels=[FINANCIAL]) == told(guess, labels=[77]) == told(str(uuid4()), labels=[77])
    assert told(rows[file, "Progress"])[0] == 422, "they read that"
    assert told(rows[hidden, SALARY], hidden) == told(guess, str(uuid4())) == told(guess, file, outsider)
    assert told(guess, file, outsider)[0] == 404
    assert viewer.api.post(URL, {"entity": str(restricted.pk), "labels": [PII]}, format="json").status_code == 404


def test_asking_for_a_label_depends_on_no_text(viewer: Person, file: str, contract: Contract) -> None:
    """Nothing here is Secret; asking tells nobody so."""
    assert ask(viewer, entity=str(contract.pk), labels=[SECRET])["state"] == "open"
    assert ask(viewer, file=file, labels=[SECRET, FINANCIAL, 0])["state"] == "open"


def test_everybody_sees_their_own_and_stewards_what_they_may(
    viewer: Person, hr: Person, steward: Person, alice: Person, file: str, restricted: Contract, service: Scope
) -> None:
    mine = ask(viewer, file=file, labels=[FINANCIAL])
    theirs = ask(hr, file=file, labels=[FINANCIAL])
    assert [one["id"] for one in listed(viewer)] == [mine["id"]]
    assert [one["id"] for one in listed(hr)] == [theirs["id"]]
    assert {one["id"] for one in listed(steward)} == {mine["id"], theirs["id"]}
    hidden = viewer.api.get(f"{URL}{theirs['id']}/")
    assert (hidden.status_code, hidden.content) == (404, viewer.api.get(f"{URL}{uuid4()}/").content)
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
    closed = ask(viewer, entity=str(restricted.pk), labels=[FINANCIAL])
    assert closed["id"] not in {one["id"] for one in listed(steward)}, "of a record that they may not see"
    assert closed["id"] in {one["id"] for one in listed(alice)}
    with viewer.scope.open():
        assert AccessRequest.objects.count() == 2
        with pytest.raises(DatabaseError), transaction.atomic():
            AccessRequest.objects.create(
                workspace_id=viewer.scope.workspace, requester=hr.user.pk, entity=restricted, atoms=[5],
                membership=Membership.objects.get(user=hr.user),
            )  # fmt: skip


def test_a_message_shows_to_stewards_who_are_cleared_for_it(
    viewer: Person, steward: Person, file: str, workspace: Any, service: Scope
) -> None:
    with service.open():
        person_role("Steward").classification_grants.all().delete()
    some = person(workspace, "some", [CONFIDENTIAL], ("Steward",))
    told = "Jane Miller earns 68,400 pounds a year, may I see why?"
    asked = ask(viewer, file=file, passage=salary(service), labels=[FINANCIAL], message=told)
    assert asked["message"] is None, "it is labelled above its author"
    assert [listed(some)[0][key] for key in ("message", "text", "passage")] == [None] * 3, "an id is made of the text"
    assert [listed(steward)[0][key] for key in ("message", "passage")] == [told, salary(service)]
    assert listed(viewer)[0]["passage"] == salary(service)
    with viewer.scope.open():
        assert not AccessMessage.objects.exists()


@pytest.mark.parametrize(
    ("told", "needs"),
    [
        ("No. A site manager earns 68,400 pounds a year, and that is all.", "Financial"),
        ("Ask Anna Kowalska, +48 601 234 567.", "PII"),
        ("It is under ECCN 1C011.", "Export Controlled"),
    ],
)
def test_a_decision_tells_nothing_that_needs_a_clearance(
    viewer: Person, cfo: Person, hr: Person, steward: Person, file: str, service: Scope, told: str, needs: str
) -> None:
    """Whoever asked may be cleared for less tomorrow, and other stewards are today."""
    with service.open():
        Classification.objects.create(
            workspace_id=service.workspace, value=7, label="Export Controlled", description="ITAR", components=[7]
        )
    for who in (viewer, cfo, hr):
        asked = ask(who, file=file, labels=[SECRET, 7])
        for state in ("refused", "granted"):
            answer = decide(steward, asked["id"], state=state, reason=told, expect=422)
            assert answer["error"]["code"] == "reason_needs_clearance"
            assert needs in answer["error"]["detail"]
        assert listed(who)[0]["state"] == "open"
        plain = "Export Controlled is what you need least."
        assert decide(steward, asked["id"], state="refused", reason=plain)["reason"] == plain
