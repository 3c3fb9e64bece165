"""A request for one paragraph, granted for that paragraph, its file, its record or the level (docs/adr/0051)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from entities.access import Scope, grant_entity, revoke_entity
from entities.models import AuditEntry, Classification, LabelGrant, Membership
from entities.models.classification import FINANCIAL, PII
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import AccessRequest, Paragraph, TextGrant
from tests.conftest import Person
from tests.ingestion.access_requests import ask, decide, listed
from tests.ingestion.helpers import ready, texts

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = "The gate is green."
FEE = "The fee is 12,000 pounds."
BONUS = "The bonus is 9,000 pounds."
PERSON = "Write to ann.lee@example.com or call +44 20 7946 0018."
LINES = (OPEN, FEE, "The fence is new.", BONUS, "The lamp is old.", PERSON)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return ready(alice, contract, "a.txt", "\n\n".join(LINES).encode())


@pytest.fixture
def other(alice: Person, contract: Contract, file: str) -> str:
    return ready(alice, contract, "b.txt", b"The wall is grey.\n\nThe rent is 7,000 pounds.")


def test_one_paragraph_is_granted_and_nothing_beside_it(
    viewer: Person, hr: Person, steward: Person, file: str, other: str, service: Scope
) -> None:
    asked = ask(viewer, file=file, run=0, message="For Monday.")
    assert [one["label"] for one in asked["requires"]] == ["Financial"]
    assert (asked["text"], asked["offers"]) == (None, [])
    (waiting,) = listed(steward, state="open")
    assert waiting["text"] == FEE
    offered = [(offer["extent"], offer["paragraphs"]) for offer in waiting["offers"]]
    assert offered == [("passage", 1), ("file", 2), ("record", 3), ("level", 3)]
    assert decide(steward, asked["id"], state="granted", extent="passage")["extent"] == "passage"
    assert FEE in texts(viewer, file)
    assert BONUS not in texts(viewer, file)
    assert FEE not in texts(hr, file), "nobody else was granted it"
    # Nothing is derived from it: no search, no PDF, no original, no level.
    assert FEE not in str(viewer.api.get("/api/search/", {"q": "fee 12,000 pounds"}).json())
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403
    assert [one["label"] for one in viewer.api.get("/api/me/").json()["labels"]] == ["Public"]
    page = viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert FEE in page
    assert "Granted to you" in page
    decide(steward, asked["id"], state="withdrawn", reason="The talks are over.")
    assert FEE not in texts(viewer, file)
    with service.open():
        assert not TextGrant.objects.exists()
        assert not LabelGrant.objects.exists()
        acts = AuditEntry.objects.filter(action__startswith="access.").order_by("pk")
        assert [(act.action, act.detail.get("extent")) for act in acts] == [
            ("access.requested", None), ("access.granted", "passage"), ("access.withdrawn", "passage")
        ]  # fmt: skip


@pytest.mark.parametrize(("extent", "here", "there"), [("file", True, False), ("record", True, True)])
def test_a_file_or_a_record_is_granted_at_the_level_that_was_asked_for(
    viewer: Person, steward: Person, file: str, other: str, extent: str, here: bool, there: bool
) -> None:
    asked = ask(viewer, file=file, run=0)
    decide(steward, asked["id"], state="granted", extent=extent)
    assert {FEE, BONUS} <= set(texts(viewer, file))
    assert PERSON not in texts(viewer, file), "it needs another level"
    assert ("The rent is 7,000 pounds." in texts(viewer, other)) is there


def test_text_that_needs_more_by_now_is_hidden_again(
    viewer: Person, steward: Person, file: str, service: Scope
) -> None:
    asked = ask(viewer, file=file, run=0)
    decide(steward, asked["id"], state="granted", extent="passage")
    with service.open():
        pk = Paragraph.objects.get(text=FEE).pk
    change = {"labels": [FINANCIAL, PII], "reason": "A person is meant."}
    assert steward.api.patch(f"/api/paragraphs/{pk}/", change, format="json").status_code == 200
    assert FEE not in texts(viewer, file)
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    steward.api.patch(f"/api/paragraphs/{pk}/", {**change, "labels": [FINANCIAL]}, format="json")
    assert FEE not in texts(viewer, file), "its level is concealed"


def test_a_grant_of_text_ends_by_the_clock_with_the_membership_and_with_the_record(
    viewer: Person, steward: Person, alice: Person, file: str, service: Scope, contract: Contract
) -> None:
    asked = ask(viewer, file=file, run=0)
    until = (timezone.now() + timedelta(days=1)).isoformat()
    decide(steward, asked["id"], state="granted", extent="file", until=until)
    assert FEE in texts(viewer, file)
    with viewer.scope.limit_to([]).open(), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM app_granted_texts(%s, %s)", [contract.pk, file])
        assert cursor.fetchall() == [], "a narrowed view knows nothing of it"
    with service.open():
        TextGrant.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert FEE not in texts(viewer, file)
    with service.open():
        TextGrant.objects.update(expires_at=None)
    assert FEE in texts(viewer, file)
    with service.open():
        Membership.objects.filter(user=viewer.user).delete()
        assert not TextGrant.objects.exists()


def test_a_grant_of_text_opens_no_record(
    viewer: Person, steward: Person, alice: Person, restricted: Contract, service: Scope
) -> None:
    file = ready(alice, restricted, "a.txt", "\n\n".join(LINES).encode())
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
        grant_entity(restricted, steward.user.pk, ["view"])
    asked = ask(viewer, file=file, run=0)
    decide(steward, asked["id"], state="granted", extent="record")
    assert FEE in texts(viewer, file)
    with alice.scope.open():
        revoke_entity(restricted, viewer.user.pk, ["view"])
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404


def test_nobody_grants_text_to_themselves_or_beyond_what_they_hold(
    viewer: Person, cfo: Person, steward: Person, file: str, service: Scope
) -> None:
    asked = ask(viewer, file=file, run=0)
    decide(viewer, asked["id"], state="granted", extent="passage", expect=403)
    decide(cfo, asked["id"], state="granted", extent="passage", expect=404)
    for who in (viewer, cfo):
        with pytest.raises(DatabaseError, match="not yours to grant"), who.scope.open():
            TextGrant.objects.create(
                workspace_id=viewer.scope.workspace,
                request_id=asked["id"],
                membership=Membership.objects.get(user=viewer.user),
                classification=Classification.objects.get(value=FINANCIAL),
                extent="file",
                granted_by=who.user.pk,
            )
    assert FEE not in texts(viewer, file)


def test_who_asked_takes_it_back_and_asks_about_another_place(
    viewer: Person, staff: Person, steward: Person, file: str, service: Scope
) -> None:
    first = ask(viewer, file=file, run=0)
    assert ask(viewer, file=file, run=0, expect=200)["id"] == first["id"]
    second = ask(viewer, file=file, run=1)
    assert second["id"] != first["id"]
    assert "Asked for" in viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert "Asked for" not in staff.client.get(f"{staff.base}files/{file}/").content.decode()
    decide(steward, first["id"], state="recalled", expect=403)
    decide(staff, first["id"], state="recalled", expect=404)
    assert decide(viewer, first["id"], state="recalled")["state"] == "recalled"
    decide(viewer, first["id"], state="recalled", expect=409)
    decide(steward, first["id"], state="granted", extent="passage", expect=409)
    assert [one["id"] for one in listed(steward, state="open")] == [second["id"]]
    decide(steward, second["id"], state="refused", reason="Ask your lead.")
    page = viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert "Declined: Ask your lead." in page
    for wrong in ({"run": 9}, {"run": 0, "labels": [PII]}):
        ask(viewer, file=file, expect=422, **wrong)
    with service.open():
        assert AccessRequest.objects.count() == 2


def test_a_place_in_a_new_version_is_not_granted_by_an_old_request(
    viewer: Person, steward: Person, alice: Person, contract: Contract, file: str
) -> None:
    asked = ask(viewer, file=file, run=0)
    ready(alice, contract, "a.txt", "\n\n".join(["The door is blue.", *LINES]).encode())
    (waiting,) = listed(steward, state="open")
    assert "passage" not in [offer["extent"] for offer in waiting["offers"]]
    decide(steward, asked["id"], state="granted", extent="passage", expect=422)
    assert FEE not in texts(viewer, file)


def test_typed_text_is_granted_on_the_records_page(
    viewer: Person, steward: Person, alice: Person, contract: Contract, service: Scope, hr: Person
) -> None:
    body = {"notes": f"{OPEN}\n\n{FEE}"}
    assert alice.api.patch(f"/api/entities/contract/{contract.pk}/", body, format="json").status_code == 200
    process_all_waiting(alice.scope.workspace)

    def page(who: Person) -> str:
        return str(who.client.get(f"{who.base}entities/{contract.pk}/").content.decode())

    assert FEE not in page(viewer)
    asked: Any = ask(viewer, entity=str(contract.pk), field="notes", run=0)
    (waiting,) = listed(steward, state="open")
    assert waiting["text"] == FEE
    decide(steward, asked["id"], state="granted", extent="passage")
    assert FEE in page(viewer)
    assert FEE not in page(hr)
    assert FEE not in str(viewer.api.get("/api/search/", {"q": "fee 12,000 pounds"}).json())
