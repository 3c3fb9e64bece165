"""Administrators choose what a kind of document is kept for: what is added binds at once, what is taken away waits."""

import re
from typing import Any

import pytest

from entities.access import Scope
from entities.models import AuditEntry, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PII_SENSITIVE, SECRET
from entities.types import Contract
from ingestion import pipeline
from ingestion.inline import process_all_waiting
from ingestion.kinds import KINDS
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, texts, upload
from tests.ingestion.test_heads import DISCHARGE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed", "heads")]
LETTER = DISCHARGE.encode()
URL = "/api/document-kinds/"


def read(who: Person, file: str) -> list[str]:
    return texts(who, file) if who.api.get(f"/api/files/{file}/reader/").status_code == 200 else []


def name_of(who: Person, file: str) -> str:
    return str(who.api.get(f"/api/files/{file}/").json()["name"])


def search(who: Person) -> list[str]:
    found = who.api.get("/api/search/", {"q": "beta blocker"}).json()["results"]
    return [one["text"] for one in found if "beta blocker" in one.get("text", "")]


def save(who: Person, page: str = "", shipped: str = "", **ticked: list[int]) -> Any:
    """Save the page as it was opened, with other ticks in the rows that are named."""
    page = page or who.client.get(f"{who.base}document-kinds/").content.decode()
    form: dict[str, Any] = {"shipped": shipped}
    for name, value in re.findall(r'name="(\w+-seen_version)"[^>]* value="([^"]*)"', page):
        form[name] = value
    for name, value, rest in re.findall(r'name="(\w+-labels)" value="(\d+)"([^>]*)>', page):
        form.setdefault(name, [])
        form[name] += [value] if "checked" in rest else []
    for key, values in ticked.items():
        form[f"{key}-labels"] = [str(value) for value in values]
    return who.client.post(f"{who.base}document-kinds/", form)


def change(who: Person, key: str, labels: list[int] | None, **headers: str) -> Any:
    body = {"kinds": [{"key": key, "labels": labels}]}
    return who.api.patch(URL, body, format="json", headers=headers)


def list_labels(who: Person, key: str) -> list[int]:
    (row,) = (kind for kind in who.api.get(URL).json()["kinds"] if kind["key"] == key)
    return [label["value"] for label in row["labels"]]


@pytest.fixture
def doctor(contract: Contract) -> Person:
    return person(contract.workspace, "doctor", [PII_SENSITIVE, INTERNAL])


@pytest.fixture
def lawyer(contract: Contract) -> Person:
    return person(contract.workspace, "lawyer", [PII_SENSITIVE, CONFIDENTIAL, INTERNAL])


def test_a_level_that_is_added_binds_documents_that_are_kept_already(
    alice: Person, doctor: Person, lawyer: Person, contract: Contract, service: Scope
) -> None:
    letter = ready(alice, contract, "Lindgren.txt", LETTER)
    other = ready(alice, contract, "Lift.txt", b"The lift is serviced on Thursday between nine and noon.\n")
    assert len(read(doctor, letter)) == 7
    assert search(doctor)
    assert save(alice, medical=[PII_SENSITIVE, CONFIDENTIAL]).status_code == 302
    # Before any worker has come:
    assert read(doctor, letter) == []
    assert name_of(doctor, letter) != "Lindgren.txt"
    assert not search(doctor)
    assert len(read(lawyer, letter)) == 7
    process_all_waiting(service.workspace)
    assert (read(doctor, letter), search(doctor)) == ([], [])
    assert len(read(lawyer, letter)) == 7
    assert search(lawyer)
    assert name_of(lawyer, letter) == "Lindgren.txt"
    assert read(doctor, other), "of another kind"
    assert read(doctor, ready(alice, contract, "Two.txt", LETTER.replace(b"eleven", b"twelve"))) == []
    page = lawyer.client.get(f"{lawyer.base}files/{letter}/").content.decode()
    assert "Confidential" in page.split("kept for")[1].split("</div>")[0]
    with service.open():
        entry = AuditEntry.objects.get(action="document_kind.changed")
        assert (entry.object_id, entry.detail) == ("medical", {"added": [CONFIDENTIAL], "removed": []})
    sentence = "changed what a kind of document is kept for"
    assert sentence in alice.client.get(f"{alice.base}admin/entities/auditentry/").content.decode()


def test_a_level_that_is_taken_away_opens_nothing_that_is_kept(
    alice: Person, staff: Person, doctor: Person, contract: Contract, service: Scope
) -> None:
    letter = ready(alice, contract, "Lindgren.txt", LETTER)
    hr = person(contract.workspace, "hr", [PII, INTERNAL])
    assert change(alice, "medical", [PII]).status_code == 200
    process_all_waiting(service.workspace)
    assert read(hr, letter) == []
    # Also when it is judged again, in another version: a steward sees what it would need.
    assert ready(alice, contract, "Lindgren.txt", LETTER + b"\nSeen by the registrar.\n") == letter
    assert set(read(hr, letter)) <= {"[PII-Sensitive]", "Seen by the registrar."}
    assert name_of(hr, letter) != "Lindgren.txt"
    assert alice.api.get(f"/api/desk/?file={letter}&cause=decrease").json()["count"] > 0
    other = ready(alice, contract, "Two.txt", LETTER.replace(b"eleven", b"twelve"))
    assert "Dear Dr Okoro," in read(hr, other)
    assert read(staff, other) == []
    assert name_of(hr, other) == "Two.txt"
    # Without any level it is no longer kept as a whole.
    assert save(alice, medical=[]).status_code == 302
    third = ready(alice, contract, "Three.txt", LETTER.replace(b"eleven", b"twenty"))
    assert read(staff, third)
    page = staff.client.get(f"{staff.base}files/{third}/").content.decode()
    assert "looks like a medical" not in page
    assert set(read(staff, letter)) <= {"[PII-Sensitive]", "[PII and PII-Sensitive]", "[PII]", "[PII, PII-Sensitive]"}
    # And again, as Clearance comes with it: what was read meanwhile is kept at once.
    assert save(alice, shipped="medical").status_code == 302
    assert list_labels(alice, "medical") == [PII_SENSITIVE]
    assert (read(staff, third), read(hr, other)) == ([], [])
    assert len(read(doctor, third)) == 7
    with service.open():
        assert WorkspaceSettings.objects.get().kind_floors == {}


def test_a_document_that_is_judged_while_the_kind_is_changed_gets_what_was_added(
    alice: Person, doctor: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, judged = pipeline.vote_by_heads, []

    def change_meanwhile(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        if not judged:
            judged.append(given)
            assert change(alice, "medical", [PII_SENSITIVE, CONFIDENTIAL]).status_code == 200
        return found

    monkeypatch.setattr(pipeline, "vote_by_heads", change_meanwhile)
    file = upload(alice, contract, "Lindgren.txt", LETTER).json()["id"]
    process_all_waiting(service.workspace)
    assert judged
    assert read(alice, file)
    assert read(doctor, file) == []


def test_what_a_steward_opened_rises_by_what_they_did_not_know(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    letter = ready(alice, contract, "Lindgren.txt", LETTER)
    form = {"file": letter, "unlike": "1"}
    shown = alice.client.post(f"{alice.base}entities/{contract.pk}/files/label/", form)
    seen = {"seen": shown.context["seen"], "reason": "an invented letter"}
    alice.client.post(f"{alice.base}entities/{contract.pk}/files/relabel/", form | seen)
    assert len(read(staff, letter)) == 7
    change(alice, "payslip", [SECRET])
    assert len(read(staff, letter)) == 7
    change(alice, "medical", [PII_SENSITIVE, SECRET])
    assert read(staff, letter) == []


def test_administrators_alone_see_and_change_it(
    alice: Person, steward: Person, viewer: Person, outsider: Person
) -> None:
    page = alice.client.get(f"{alice.base}document-kinds/").content.decode()
    assert page.count('<th scope="row">') == len(KINDS)
    for path in ("resting/", "workspace/"):
        assert f"{alice.base}document-kinds/" in alice.client.get(f"{alice.base}{path}").content.decode()
    for who in (steward, viewer):
        assert who.client.get(f"{who.base}document-kinds/").status_code == 403
        assert save(who, page, medical=[]).status_code == 403
        assert who.api.get(URL).status_code == 403
        assert change(who, "medical", []).status_code == 403
    assert outsider.client.get(f"{alice.base}document-kinds/").status_code == 404
    assert change(outsider, "medical", []).status_code == 200, "of their own workspace"
    assert list_labels(alice, "medical") == [PII_SENSITIVE]


def test_levels_that_an_administrator_lacks_are_not_shown_and_stay(
    workspace: Any, alice: Person, service: Scope
) -> None:
    bare = person(workspace, "bare", [PII, INTERNAL], ("Admin",))
    change(alice, "payslip", [PII, FINANCIAL, SECRET])
    before = bare.api.get(URL).json()
    assert list_labels(bare, "payslip") == [PII]
    page = bare.client.get(f"{bare.base}document-kinds/").content.decode()
    assert set(re.findall(r'name="\w+-labels" value="(\d+)"', page)) == {str(PII), str(INTERNAL)}
    assert "Secret" not in page.split("<table")[1]
    refused = change(bare, "payslip", [SECRET])
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "label_not_yours")
    assert save(bare, page, payslip=[SECRET]).status_code == 422
    change(alice, "medical", [PII_SENSITIVE, FINANCIAL])
    assert bare.api.get(URL).json() == before, "its version tells nothing of them"
    assert change(bare, "payslip", [INTERNAL], **{"If-Match": f'"{before["version"]}"'}).status_code == 200
    assert list_labels(alice, "payslip") == [INTERNAL, FINANCIAL, SECRET]
    assert save(bare, shipped="payslip").status_code == 302
    assert list_labels(alice, "payslip") == [PII, FINANCIAL, SECRET]
    with service.open():
        details = AuditEntry.objects.filter(actor=bare.user.pk).values_list("detail", flat=True)
        assert not any(SECRET in detail.get("added", []) + detail.get("removed", []) for detail in details)


def test_an_old_page_and_an_old_version_write_nothing_of_what_changed_meanwhile(
    alice: Person, steward: Person, workspace: Any
) -> None:
    other = person(workspace, "other", [PII, CONFIDENTIAL, PII_SENSITIVE], ("Admin",))
    page = alice.client.get(f"{alice.base}document-kinds/").content.decode()
    version = alice.api.get(URL)["ETag"]
    assert change(other, "medical", [PII, PII_SENSITIVE]).status_code == 200
    older = change(alice, "school", [], **{"If-Match": version})
    assert (older.status_code, list(older.json()["error"]["fields"])) == (412, ["medical"])
    conflict = save(alice, page, medical=[CONFIDENTIAL])
    assert conflict.status_code == 422
    assert "Somebody else has changed this meanwhile. It is now: PII, PII-Sensitive." in conflict.content.decode()
    assert save(alice, page, school=[CONFIDENTIAL]).status_code == 302
    assert (list_labels(alice, "medical"), list_labels(alice, "school")) == ([PII, PII_SENSITIVE], [CONFIDENTIAL])


@pytest.mark.parametrize(
    "body", [{}, {"kinds": [{"key": "novel", "labels": []}]}, {"kinds": [{"key": "medical"}]}, {"kinds": "all"}]
)
def test_what_is_no_kind_is_refused(alice: Person, body: Any) -> None:
    assert alice.api.patch(URL, body, format="json").status_code == 400
    assert change(alice, "medical", [77]).json()["error"]["code"] == "unknown_label"
