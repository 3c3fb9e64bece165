"""What somebody deleted of a message stays gone however often the message is read, and its labels are remembered."""

import pytest

from entities.access import Scope
from entities.models import AuditEntry
from entities.models.classification import INTERNAL, SECRET
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import File
from tests.conftest import Person, person
from tests.ingestion.helpers import paragraph, read_anew, ready, texts
from tests.ingestion.test_attachments import files_of, message
from tests.ingestion.test_withheld import OTHER, WAYS, again, original

pytestmark = pytest.mark.django_db(transaction=True)

CRANE, TIDE = "The crane is booked.", "The tide is high."
PARTS = (("crane.md", f"# Note\n\n{CRANE}\n".encode()), ("tide.md", f"# Tides\n\n{TIDE}\n".encode()))
MAIL = message(*PARTS).as_bytes()


def found(who: Person, words: str) -> set[str]:
    results = who.api.get("/api/search/", {"q": words}).json()["results"]
    return {result["file"]["id"] for result in results if result["file"]}


def delete(who: Person, contract: Contract, name: str) -> None:
    assert who.api.delete(f"/api/files/{files_of(who, contract)[name]['id']}/").status_code == 204
    assert name not in files_of(who, contract)


def decide(steward: Person, service: Scope, text: str) -> None:
    body = {"labels": [SECRET], "reason": "So."}
    answer = steward.api.patch(f"/api/paragraphs/{paragraph(service, text).pk}/", body, format="json")
    assert answer.status_code == 200
    process_all_waiting(service.workspace)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_deleted_stays_gone_and_what_was_not_comes_back(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, way: str
) -> None:
    mail = ready(alice, contract, "m.eml", MAIL)
    decide(steward, service, CRANE)
    delete(alice, contract, "crane.md")
    if way == "restored":
        ready(alice, contract, "m.eml", OTHER["m.eml"])
    again(alice, contract, way, "m.eml", MAIL, mail)
    files = files_of(alice, contract)
    assert set(files) == {"m.eml", "tide.md"}
    tide = files["tide.md"]["id"]
    assert (texts(viewer, tide)[-1], tide in found(alice, "tide high")) == (TIDE, True)
    assert not found(alice, "crane booked") - {mail, tide}
    # The bytes of the message hold it, and of what came beside it they do not.
    clerk = person(contract.workspace, "clerk", [INTERNAL], ("Steward",))
    assert [original(who, mail) for who in (viewer, clerk, alice)] == [403, 403, 200]
    assert original(viewer, tide) == 200
    with service.open():
        assert AuditEntry.objects.get(action="file.deleted").actor == alice.user.pk


def test_what_was_deleted_before_that_was_noted_stays_gone(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    mail = ready(alice, contract, "m.eml", MAIL)
    with service.open():
        File.objects.filter(name="crane.md")._raw_delete("default")
    for strategy in ("layout", "text"):
        read_anew(alice, mail, strategy)
        assert set(files_of(alice, contract)) == {"m.eml", "tide.md"}
        assert original(viewer, mail) == 403
    other = message(*PARTS, subject="Once more").as_bytes()
    assert ready(alice, contract, "m.eml", other) == mail
    assert set(files_of(alice, contract)) == {"m.eml", "crane.md", "tide.md"}
    assert original(viewer, mail) == 200


def test_where_another_reader_finds_other_files_none_is_taken_for_deleted(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    mail = ready(alice, contract, "m.eml", MAIL)
    with service.open():
        File.objects.filter(name="crane.md")._raw_delete("default")
        File.objects.filter(pk=mail).update(attachments=3)  # found by the reader before this one
    read_anew(alice, mail, "layout")
    assert set(files_of(alice, contract)) == {"m.eml", "crane.md", "tide.md"}
    assert original(viewer, mail) == 200


def test_in_other_bytes_it_comes_back_with_the_label_that_was_decided(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    """Twin: of what nobody decided, readers get it back as they had it."""
    ready(alice, contract, "m.eml", MAIL)
    decide(steward, service, CRANE)
    for name in ("crane.md", "tide.md"):
        delete(alice, contract, name)
    mail = ready(alice, contract, "m.eml", message(*PARTS, subject="Once more").as_bytes())
    files = files_of(alice, contract)
    assert set(files) == {"m.eml", "crane.md", "tide.md"}
    assert texts(alice, files["crane.md"]["id"])[-1] == CRANE
    assert texts(viewer, files["crane.md"]["id"])[-1] == "[Secret]"
    assert texts(viewer, files["tide.md"]["id"])[-1] == TIDE
    assert [original(who, mail) for who in (viewer, alice)] == [403, 200]


def test_deleting_what_came_in_a_message_needs_the_verb_and_takes_what_came_in_it(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    outer = message(subject="Outer")
    outer.add_attachment(message(*PARTS, subject="Inner"))
    mail = ready(alice, contract, "m.eml", outer.as_bytes())
    inner = files_of(alice, contract)["Inner.eml"]["id"]
    assert staff.api.delete(f"/api/files/{inner}/").status_code == 403
    assert len(files_of(alice, contract)) == 4
    delete(alice, contract, "Inner.eml")
    again(alice, contract, "read again", "m.eml", outer.as_bytes(), mail)
    assert set(files_of(alice, contract)) == {"m.eml"}
    assert not found(alice, "crane booked") - {mail}
    with service.open():
        assert File.objects.count() == 1
