"""Why can't I see this: asking stewards, their decisions, and what the pages say of it."""

import re
from datetime import timedelta
from itertools import combinations
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from entities.access import Scope
from entities.models import AuditEntry, LabelGrant
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, SECRET
from entities.types import Contract
from ingestion import request_views
from ingestion.inline import process_all_waiting
from ingestion.models import AccessRequest
from ingestion.requests import MOST_OPEN
from tests.conftest import Person
from tests.ingestion.access_requests import URL, ask, decide, listed, salary
from tests.ingestion.helpers import SALARY, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def test_a_request_is_granted_holds_everywhere_and_ends_by_the_clock(
    viewer: Person, hr: Person, steward: Person, file: str, service: Scope, contract: Contract
) -> None:
    assert "[Financial]" in texts(viewer, file)
    asked = ask(viewer, file=file, passage=salary(service), message="For the talks on Monday.")
    assert [one["label"] for one in asked["requires"]] == ["Financial"]
    assert (asked["state"], asked["message"], asked["text"]) == ("open", "For the talks on Monday.", None)
    (waiting,) = listed(steward, state="open")
    assert waiting["requester"]["name"] == "viewer"
    assert (waiting["message"], waiting["text"], waiting["lacks"]) == ("For the talks on Monday.", SALARY, [])
    until = timezone.now() + timedelta(days=1)
    assert decide(steward, asked["id"], state="granted", until=until.isoformat())["state"] == "granted"
    assert SALARY in texts(viewer, file)
    assert SALARY in str(viewer.api.get("/api/search/", {"q": "salary of a site manager"}).json())
    assert viewer.api.get(f"/api/entities/contract/{contract.pk}/").json()["value"] == "1200000.00"
    assert "[Financial]" in texts(hr, file), "nobody else is cleared"
    with service.open():
        LabelGrant.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        AccessRequest.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert "[Financial]" in texts(viewer, file)
    assert SALARY not in str(viewer.api.get("/api/search/", {"q": "salary of a site manager"}).json())
    assert "value" not in viewer.api.get(f"/api/entities/contract/{contract.pk}/").json()
    assert [one["state"] for one in listed(viewer)] == ["expired"]
    with service.open():
        acts = AuditEntry.objects.filter(action__startswith="access.").order_by("pk")
        assert [(a.action, a.actor) for a in acts] == [
            ("access.requested", viewer.user.pk), ("access.granted", steward.user.pk)
        ]  # fmt: skip
        assert "budget" not in str([a.detail for a in acts])


def test_granted_without_an_end_and_withdrawn(viewer: Person, steward: Person, file: str) -> None:
    asked = ask(viewer, file=file, labels=[FINANCIAL])
    decide(steward, asked["id"], state="withdrawn", reason="x", expect=409)
    decide(steward, asked["id"], state="granted")
    assert SALARY in texts(viewer, file)
    decide(steward, asked["id"], state="granted", expect=409)
    decide(steward, asked["id"], state="withdrawn", expect=422)
    decide(steward, asked["id"], state="withdrawn", reason="The talks are over.")
    assert "[Financial]" in texts(viewer, file)
    assert listed(viewer)[0]["reason"] == "The talks are over."


def test_what_is_in_force_is_listed_before_what_was_decided_later(
    viewer: Person, steward: Person, file: str, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was decided since, it can be withdrawn; the rest is on the pages after it."""
    monkeypatch.setattr(request_views, "LISTED", 1)
    granted = ask(viewer, file=file, labels=[FINANCIAL])
    decide(steward, granted["id"], state="granted")
    for label in (PII, SECRET):
        later = ask(viewer, entity=str(contract.pk), labels=[label])
        decide(steward, later["id"], state="refused", reason="No.")

    def page(who: Person, number: int) -> str:
        return who.client.get(f"{who.base}access-requests/?page={number}").content.decode()

    assert f"access-requests/{granted['id']}/" in page(steward, 1)
    assert "3 requests, 1 to 1 shown" in page(steward, 1)
    assert ["Withdraw" in page(steward, n) for n in (1, 2, 3)] == [True, False, False]
    assert "Withdraw" not in page(viewer, 1)
    assert "3 requests" not in page(viewer, 1)


def test_refused_with_a_reason_and_asked_again(viewer: Person, steward: Person, file: str) -> None:
    asked = ask(viewer, file=file)
    decide(steward, asked["id"], state="refused", expect=422)
    decide(steward, asked["id"], state="refused", reason="  ", expect=422)
    assert decide(steward, asked["id"], state="refused", reason="Ask your lead.")["reason"] == "Ask your lead."
    assert "[Financial]" in texts(viewer, file)
    assert ask(viewer, file=file)["id"] != asked["id"]


def test_what_makes_no_sense_is_refused_with_words(cfo: Person, viewer: Person, file: str, service: Scope) -> None:
    readable = salary(service)
    for body, status in (
        ({"file": file, "passage": readable}, 422),
        ({"file": file}, 422),
        ({"file": file, "labels": [FINANCIAL]}, 422),
        ({"file": file, "labels": ["a"]}, 400),
        ({"file": file, "labels": [-1]}, 400),
        ({"file": "x"}, 400),
        ({"passage": readable}, 400),
        ({}, 400),
        ({"file": file, "entity": str(UUID(int=0))}, 404),
        ({"file": file, "message": "x" * 1001}, 400),
    ):
        answer = cfo.api.post(URL, body, format="json")
        assert answer.status_code == status, (body, answer.content)
        assert answer.json()["error"]["detail"]


def test_null_characters_in_forms_are_left_out(viewer: Person, steward: Person, file: str) -> None:
    body = {"file": file, "labels": [FINANCIAL], "message": "Ple\0ase."}
    assert viewer.client.post(f"{viewer.base}access-requests/new/", body).status_code == 302
    (asked,) = listed(viewer)
    assert asked["message"] == "Please."
    url = f"{steward.base}access-requests/{asked['id']}/"
    assert steward.client.post(url, {"state": "refused", "reason": "\0"}).status_code == 302
    assert listed(viewer)[0]["state"] == "open", "no reason"
    assert steward.client.post(url, {"state": "refused", "reason": "Ask\0 later."}).status_code == 302
    assert listed(viewer)[0]["reason"] == "Ask later."


def test_asking_again_is_asking_once_and_there_is_an_end_to_it(viewer: Person, file: str, contract: Contract) -> None:
    first = ask(viewer, file=file, labels=[FINANCIAL])
    assert ask(viewer, file=file, labels=[FINANCIAL], expect=200)["id"] == first["id"]
    assert len(listed(viewer)) == 1
    atoms = [INTERNAL, CONFIDENTIAL, PII, FINANCIAL, SECRET]
    wishes = [list(some) for count in (1, 2, 3) for some in combinations(atoms, count)]
    answers = [
        viewer.api.post(URL, {"entity": str(contract.pk), "labels": wish}, format="json").status_code for wish in wishes
    ]
    assert answers.count(201) == MOST_OPEN - 1
    assert answers[-1] == 429


def test_a_placeholder_names_what_is_missing_and_leads_to_a_steward(
    viewer: Person, steward: Person, file: str, contract: Contract
) -> None:
    reader = viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert re.search(r"Needs <strong>Financial</strong>; your roles hold Public\.", reader)
    (address,) = set(re.findall(r'href="([^"]*access-requests/new/[^"]*)"', reader))
    address = address.replace("&amp;", "&")
    shown = viewer.client.get(address).content.decode()
    assert "Why can’t I see this?" in shown
    assert "Financial" in shown
    assert "You asked the stewards" not in shown
    body = {"file": file, "labels": [FINANCIAL], "message": "Please.", "next": f"{viewer.base}files/{file}/"}
    sent = viewer.client.post(f"{viewer.base}access-requests/new/", body)
    assert sent["Location"] == f"{viewer.base}files/{file}/"
    away = viewer.client.post(f"{viewer.base}access-requests/new/", {**body, "next": "//evil.example/"})
    assert away["Location"] == f"{viewer.base}access-requests/"
    again = viewer.client.get(address).content.decode()
    assert "You asked the stewards" in again
    assert "Ask the stewards" not in again
    assert "You asked the stewards" not in viewer.client.get(address.replace("labels=5", "labels=3")).content.decode()
    badge = steward.client.get(f"{steward.base}access-requests/waiting/").content.decode()
    assert "1 request for access waiting" in badge
    page = steward.client.get(f"{steward.base}access-requests/").content.decode()
    assert page.count("Please.") == 1
    (url,) = set(re.findall(r'action="([^"]+/access-requests/[0-9a-f-]{36}/)"', page))
    assert steward.client.post(url, {"state": "granted", "days": "999"}).status_code == 302
    assert "[Financial]" in texts(viewer, file)
    steward.client.post(url, {"state": "granted", "days": "7"})
    assert SALARY in texts(viewer, file)
    news = viewer.client.get(f"{viewer.base}notifications/waiting/").content.decode()
    assert "1 new notification" in news
    assert "Granted" in viewer.client.get(f"{viewer.base}access-requests/").content.decode()
    assert not viewer.client.get(f"{viewer.base}notifications/waiting/").content.decode().strip()
    assert not steward.client.get(f"{steward.base}access-requests/waiting/").content.decode().strip()


def test_every_placeholder_asks(viewer: Person, file: str, contract: Contract, alice: Person) -> None:
    record = viewer.client.get(f"{viewer.base}entities/{contract.pk}/").content.decode()
    assert f"access-requests/new/?entity={contract.pk}" in record
    search = viewer.client.get(f"{viewer.base}search/?q=progress of the quay storm").content.decode()
    assert f"access-requests/new/?file={file}" in search
    process_all_waiting(alice.scope.workspace)
    empty = viewer.client.get(f"{viewer.base}access-requests/new/?entity={contract.pk}&labels=0").content.decode()
    assert "Nothing is missing" in empty
    assert viewer.client.get(f"{viewer.base}access-requests/new/?entity={uuid4()}&labels=5").status_code == 404
