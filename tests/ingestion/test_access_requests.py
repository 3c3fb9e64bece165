"""Why can't I see this: asking stewards, their decisions, and clearances of one person that end."""

import re
from datetime import timedelta
from itertools import combinations
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from entities.access import Scope, grant_entity
from entities.models import AuditEntry, Classification, LabelGrant, Membership, Role
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, SECRET
from entities.types import Contract
from ingestion.inline import work_off
from ingestion.models import AccessMessage, AccessRequest, Paragraph
from ingestion.requests import MOST_OPEN
from tests.conftest import ALL, Person, person
from tests.ingestion.helpers import SALARY, label, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/api/access-requests/"


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return ready(alice, contract)


def ask(who: Person, *, expect: int = 201, **wish: Any) -> Any:
    answer = who.api.post(URL, wish, format="json")
    assert answer.status_code == expect, answer.content
    return answer.json()


def decide(who: Person, pk: str, *, expect: int = 200, **decision: Any) -> Any:
    answer = who.api.patch(f"{URL}{pk}/", decision, format="json")
    assert answer.status_code == expect, answer.content
    return answer.json()


def listed(who: Person, **query: Any) -> list[dict[str, Any]]:
    found = who.api.get(URL, query).json()
    assert found["count"] == len(found["results"])
    return list(found["results"])


def salary(service: Scope) -> str:
    with service.open():
        return str(Paragraph.objects.get(text=SALARY).pk)


# From asking to the end


def test_a_request_is_granted_holds_everywhere_and_ends_by_the_clock(
    viewer: Person, hr: Person, steward: Person, file: str, service: Scope, contract: Contract
) -> None:
    assert "[Financial]" in texts(viewer, file)
    asked = ask(viewer, file=file, passage=salary(service), message="For the budget talks.")
    assert [one["label"] for one in asked["requires"]] == ["Financial"]
    assert (asked["state"], asked["message"], asked["text"]) == ("open", "For the budget talks.", None)
    (waiting,) = listed(steward, state="open")
    assert waiting["requester"]["name"] == "viewer"
    assert (waiting["message"], waiting["text"], waiting["lacks"]) == ("For the budget talks.", SALARY, [])
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


def test_a_clearance_that_ends_while_a_transaction_runs_is_over_in_it(
    viewer: Person, steward: Person, service: Scope
) -> None:
    with service.open():
        grant_to(viewer, FINANCIAL, timezone.now() + timedelta(seconds=1.2))
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed(), current_setting('app.allowed_for') = app_settings()")
        held, kept = cursor.fetchone()
        assert FINANCIAL in held
        assert kept
        cursor.execute("SELECT pg_sleep(1.3)")
        cursor.execute("SELECT app_allowed(), app_atoms_of(app_principal()), current_setting('app.allowed')::int[]")
        now, atoms, looked_up = cursor.fetchone()
        assert FINANCIAL in looked_up
        assert FINANCIAL not in now
        assert FINANCIAL not in atoms
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed()")
        assert cursor.fetchone() == ([0],)


def grant_to(who: Person, atom: int, until: Any = None, by: int = 0) -> LabelGrant:
    """In an open scope."""
    return LabelGrant.objects.create(
        workspace_id=who.scope.workspace,
        membership=Membership.objects.get(user=who.user),
        classification=Classification.objects.get(value=atom),
        expires_at=until,
        granted_by=by,
    )


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


def test_a_clearance_goes_with_the_record_that_was_asked_about(
    viewer: Person, steward: Person, alice: Person, contract: Contract, file: str, restricted: Contract
) -> None:
    """Or nobody could withdraw it any more."""
    with alice.scope.open():
        grant_entity(restricted, viewer.user.pk, ["view"])
        grant_entity(restricted, steward.user.pk, ["view"])
    asked = ask(viewer, entity=str(restricted.pk), labels=[FINANCIAL])
    decide(steward, asked["id"], state="granted")
    assert SALARY in texts(viewer, file)
    assert alice.api.delete(f"/api/entities/contract/{restricted.pk}/").status_code == 204
    assert "[Financial]" in texts(viewer, file)


def test_administrators_see_clearances_of_one_person_and_take_them_back(
    viewer: Person, steward: Person, alice: Person, file: str, service: Scope
) -> None:
    asked = ask(viewer, file=file)
    with service.open():
        page = f"{alice.base}admin/entities/membership/{Membership.objects.get(user=viewer.user).pk}/change/"
    assert "clearances of their own" not in alice.client.get(page).content.decode()
    decide(steward, asked["id"], state="granted")
    shown = alice.client.get(page).content.decode()
    assert "Take back clearances of their own" in shown
    assert "Financial (no end)" in shown
    with service.open():
        granted = str(LabelGrant.objects.get().pk)
        roles = [str(pk) for pk in Role.objects.filter(group__user=viewer.user).values_list("pk", flat=True)]
    assert steward.client.post(page, {"roles": roles, "ended": [granted]}).status_code == 403
    assert alice.client.post(page, {"roles": roles}).status_code == 302
    assert SALARY in texts(viewer, file), "nothing was ticked"
    assert alice.client.post(page, {"roles": roles, "ended": [granted]}).status_code == 302
    assert "[Financial]" in texts(viewer, file)
    with service.open():
        noted = AuditEntry.objects.get(action="access.taken_back")
        assert noted.detail == {"user": viewer.user.pk, "labels": [FINANCIAL]}


def test_refused_with_a_reason_and_asked_again(viewer: Person, steward: Person, file: str) -> None:
    asked = ask(viewer, file=file)
    decide(steward, asked["id"], state="refused", expect=422)
    decide(steward, asked["id"], state="refused", reason="  ", expect=422)
    assert decide(steward, asked["id"], state="refused", reason="Ask your lead.")["reason"] == "Ask your lead."
    assert "[Financial]" in texts(viewer, file)
    assert ask(viewer, file=file)["id"] != asked["id"]


def test_a_clearance_goes_with_the_membership_and_does_not_come_back(viewer: Person, service: Scope, file: str) -> None:
    with service.open():
        grant_to(viewer, FINANCIAL)
    assert SALARY in texts(viewer, file)
    with service.open():
        Membership.objects.filter(user=viewer.user).delete()
        assert not LabelGrant.objects.exists()
        Membership.objects.create(workspace_id=viewer.scope.workspace, user=viewer.user)
    with viewer.scope.open(), connection.cursor() as cursor:
        cursor.execute("SELECT app_allowed()")
        assert cursor.fetchone() == ([0],)


# Who may grant


def test_nobody_clears_themselves_or_grants_what_no_role_of_theirs_holds(
    viewer: Person, file: str, workspace: Any, service: Scope, cfo: Person
) -> None:
    with service.open():
        person_role("Steward").classification_grants.all().delete()
    some = person(workspace, "some", [INTERNAL], ("Steward",))
    full = person(workspace, "full", ALL, ("Steward",))
    asked = ask(viewer, file=file, labels=[FINANCIAL])
    (shown,) = listed(some)
    assert [one["label"] for one in shown["lacks"]] == ["Financial"]
    refused = decide(some, asked["id"], state="granted", expect=403)
    assert "Financial" in refused["error"]["detail"]
    decide(cfo, asked["id"], state="granted", expect=404)
    decide(viewer, asked["id"], state="granted", expect=403)
    own = ask(some, file=file, labels=[FINANCIAL])
    decide(some, own["id"], state="granted", expect=403)
    decide(full, own["id"], state="granted")
    # What was granted to them they do not pass on.
    decide(some, asked["id"], state="granted", expect=403)
    assert "[Financial]" in texts(viewer, file)
    for who, to, atom, by in (
        (some, viewer, FINANCIAL, some),
        (some, some, INTERNAL, some),
        (full, full, SECRET, full),
        (full, viewer, FINANCIAL, some),
        (viewer, some, FINANCIAL, viewer),
        (cfo, viewer, FINANCIAL, cfo),
    ):
        with pytest.raises(DatabaseError, match="not yours to grant"), who.scope.open():
            grant_to(to, atom, by=by.user.pk)
    with full.scope.held_to([FINANCIAL]).open(), pytest.raises(DatabaseError), transaction.atomic():
        grant_to(viewer, FINANCIAL, by=full.user.pk)
    with full.scope.open():
        grant_to(viewer, FINANCIAL, by=full.user.pk)
    assert SALARY in texts(viewer, file)


def person_role(name: str) -> Role:
    return Role.objects.get(name=name)


@pytest.mark.parametrize(
    "until", [timedelta(seconds=-1), timedelta(0), timedelta(days=400)], ids=["past", "now", "too far"]
)
def test_an_end_lies_ahead_and_within_a_year(viewer: Person, steward: Person, file: str, until: timedelta) -> None:
    asked = ask(viewer, file=file)
    decide(steward, asked["id"], state="granted", until=(timezone.now() + until).isoformat(), expect=422)
    assert "[Financial]" in texts(viewer, file)


# What a request tells


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
    asked = ask(viewer, file=file, labels=[FINANCIAL], message=told)
    assert asked["message"] is None, "it is labelled above its author"
    assert listed(some)[0]["message"] is None
    assert listed(some)[0]["text"] is None
    assert listed(steward)[0]["message"] == told
    with viewer.scope.open():
        assert not AccessMessage.objects.exists()


def test_a_decision_tells_nothing_that_the_requester_may_not_read(
    viewer: Person, cfo: Person, steward: Person, file: str
) -> None:
    told = "No. A site manager earns 68,400 pounds a year, and that is all."
    asked = ask(viewer, file=file)
    for state in ("refused", "granted"):
        answer = decide(steward, asked["id"], state=state, reason=told, expect=422)
        assert answer["error"]["code"] == "reason_needs_clearance"
        assert "Financial" in answer["error"]["detail"]
    assert listed(viewer)[0]["state"] == "open"
    cleared = ask(cfo, file=file, labels=[PII])
    assert decide(steward, cleared["id"], state="refused", reason=told)["reason"] == told


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


# Pages


def test_a_placeholder_names_what_is_missing_and_leads_to_a_steward(
    viewer: Person, steward: Person, file: str, contract: Contract
) -> None:
    reader = viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    assert re.search(r"Requires <strong>Financial</strong>; your roles hold Public\.", reader)
    (address,) = set(re.findall(r'href="([^"]*access-requests/new/[^"]*)"', reader))
    address = address.replace("&amp;", "&")
    shown = viewer.client.get(address).content.decode()
    assert "Why can’t I see this?" in shown
    assert "Financial" in shown
    body = {"file": file, "labels": [FINANCIAL], "message": "Please.", "next": f"{viewer.base}files/{file}/"}
    sent = viewer.client.post(f"{viewer.base}access-requests/new/", body)
    assert sent["Location"] == f"{viewer.base}files/{file}/"
    away = viewer.client.post(f"{viewer.base}access-requests/new/", {**body, "next": "//evil.example/"})
    assert away["Location"] == f"{viewer.base}access-requests/"
    badge = steward.client.get(f"{steward.base}access-requests/waiting/").content.decode()
    assert "1 request for access waiting" in badge
    page = steward.client.get(f"{steward.base}access-requests/").content.decode()
    assert page.count("Please.") == 1
    (url,) = set(re.findall(r'action="([^"]+/access-requests/[0-9a-f-]{36}/)"', page))
    assert steward.client.post(url, {"state": "granted", "days": "999"}).status_code == 302
    assert "[Financial]" in texts(viewer, file)
    steward.client.post(url, {"state": "granted", "days": "7"})
    assert SALARY in texts(viewer, file)
    news = viewer.client.get(f"{viewer.base}access-requests/waiting/").content.decode()
    assert "1 decision on what you asked for" in news
    assert "Granted" in viewer.client.get(f"{viewer.base}access-requests/").content.decode()
    assert not viewer.client.get(f"{viewer.base}access-requests/waiting/").content.decode().strip()
    assert not steward.client.get(f"{steward.base}access-requests/waiting/").content.decode().strip()


def test_every_placeholder_asks(viewer: Person, file: str, contract: Contract, alice: Person) -> None:
    record = viewer.client.get(f"{viewer.base}entities/{contract.pk}/").content.decode()
    assert f"access-requests/new/?entity={contract.pk}" in record
    search = viewer.client.get(f"{viewer.base}search/?q=progress of the quay storm").content.decode()
    assert f"access-requests/new/?file={file}" in search
    work_off(alice.scope.workspace)
    empty = viewer.client.get(f"{viewer.base}access-requests/new/?entity={contract.pk}&labels=0").content.decode()
    assert "Nothing is missing" in empty
    assert viewer.client.get(f"{viewer.base}access-requests/new/?entity={uuid4()}&labels=5").status_code == 404
