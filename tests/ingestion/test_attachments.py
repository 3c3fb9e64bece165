"""What comes in a message is a file of its own, and the original of the message needs clearance for all of it."""

from email.message import EmailMessage

import pytest

from entities.access import Scope
from entities.rag import Collection
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, ContextRow, File, FileRevision, Paragraph
from ingestion.queueing import publish_again
from ingestion.votes import Vote
from tests.conftest import Person
from tests.ingestion.helpers import label, ready, texts, upload

pytestmark = pytest.mark.django_db(transaction=True)

PII = 3


def message(*attachments: tuple[str, bytes], subject: str = "Berths") -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made.set_content("The quay is closed.")
    for name, content in attachments:
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


def files_of(person: Person, contract: Contract) -> dict[str, dict]:
    listed = person.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
    return {file["name"]: file for file in listed}


TWO = message(
    ("depths.csv", b"Place,Depth\nHeptagon quay,12\n"), ("note.md", b"# Note\n\nThe crane is booked.\n")
).as_bytes()


@pytest.fixture
def mail(alice: Person, contract: Contract) -> str:
    return ready(alice, contract, "berths.eml", TWO)


def test_each_attachment_is_a_file_of_its_own_that_comes_changes_and_goes_with_its_message(
    alice: Person, contract: Contract, mail: str, service: Scope
) -> None:
    files = files_of(alice, contract)
    assert {name: file["state"] for name, file in files.items()} == dict.fromkeys(
        ["berths.eml", "depths.csv", "note.md"], "ready"
    )
    assert [files[name]["origin"] for name in ("depths.csv", "note.md", "berths.eml")] == [mail, mail, None]
    assert texts(alice, files["note.md"]["id"]) == ["Note", "The crane is booked."]
    assert texts(alice, mail)[-2:] == ["Attachment: depths.csv", "Attachment: note.md"]
    found = alice.api.get("/api/search/", {"q": "Heptagon quay"}).json()["results"]
    assert found[0]["file"]["id"] == files["depths.csv"]["id"]

    assert ready(alice, contract, "berths.eml", TWO) == mail
    assert files_of(alice, contract) == files
    edited = message(("note.md", b"# Note\n\nThe crane is gone.\n"), ("new.txt", b"New words."))
    assert ready(alice, contract, "berths.eml", edited.as_bytes()) == mail
    after = files_of(alice, contract)
    assert set(after) == {"berths.eml", "note.md", "new.txt"}
    assert (after["note.md"]["id"], after["note.md"]["revision"]) == (files["note.md"]["id"], 2)
    assert texts(alice, after["note.md"]["id"]) == ["Note", "The crane is gone."]
    with service.open():
        assert not ContextRow.objects.filter(file=files["depths.csv"]["id"]).exists()

    assert alice.api.delete(f"/api/files/{mail}/?forever=1").status_code == 204
    assert files_of(alice, contract) == {}
    with service.open():
        assert not File.objects.exists()
        assert not Paragraph.objects.exists()
        assert Blob.objects.count() == 1  # of the attachment that an edit took away: it goes with the next tidying


def test_the_original_needs_clearance_for_every_attachment_and_for_its_name(
    alice: Person, steward: Person, staff: Person, contract: Contract, mail: str, service: Scope
) -> None:
    def download(person: Person) -> int:
        return person.api.get(f"/api/files/{mail}/download/").status_code

    assert download(staff) == 200
    label(service, "The crane is booked.", PII)
    assert download(staff) == 403
    label(service, "The crane is booked.", 0)
    assert download(staff) == 200
    with service.open():
        paragraph = Paragraph.objects.get(text="Attachment: note.md").pk
    answer = steward.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": [PII], "reason": "a name"}, format="json")
    assert answer.status_code == 200
    process_all_waiting(contract.workspace_id)
    assert set(files_of(staff, contract)) == {"berths.eml", "depths.csv", None}
    assert "note.md" in files_of(steward, contract)
    assert download(staff) == 403
    assert download(alice) == 200

    assert upload(alice, contract, "berths.eml", TWO, labels=[1]).status_code == 202
    with service.open():
        assert set(File.objects.values_list("floor", flat=True)) == {1}
        assert not Paragraph.objects.filter(data_classification=0).exists()
    process_all_waiting(contract.workspace_id)
    with service.open():
        assert not Paragraph.objects.filter(data_classification=0).exists()


def name_in(person: Person, contract: Contract) -> str | None:
    """The name of the attachment beside the message, as a person is told it."""
    listed = person.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
    return next(file["name"] for file in listed if file["origin"])


def test_the_name_of_an_attachment_rises_when_what_names_it_does(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    """As when other rules are asked: the labels are worked over again, and the bytes are not opened."""
    mail = ready(alice, contract, "a.eml", message(("note.md", b"Words.")).as_bytes())
    assert name_in(staff, contract) == "note.md"
    with service.open():
        named = Paragraph.objects.get(text="Attachment: note.md")
        Paragraph.objects.filter(pk=named.pk).update(votes=[*named.votes, Vote("rules", frozenset([PII])).to_json()])
        publish_again(File.objects.get(pk=mail).pk)
    process_all_waiting(contract.workspace_id)
    assert name_in(staff, contract) is None
    assert name_in(alice, contract) == "note.md"


def test_a_decision_takes_the_name_of_an_attachment_no_lower_than_its_collection(
    alice: Person, staff: Person, steward: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    collections = {"documents": Collection("Documents", name_classification=PII)}
    monkeypatch.setattr(Contract.Rag, "collections", collections)
    ready(alice, contract, "a.eml", message(("note.md", b"Words.")).as_bytes())
    with service.open():
        named = Paragraph.objects.get(text="Attachment: note.md").pk
    for labels in ([1], []):
        body = {"labels": labels, "reason": "a name"}
        assert steward.api.patch(f"/api/paragraphs/{named}/", body, format="json").status_code == 200
        assert name_in(staff, contract) is None
        assert name_in(alice, contract) == "note.md"


def test_an_attachment_that_is_not_read_or_gone_withholds_the_original(
    alice: Person, staff: Person, steward: Person, contract: Contract
) -> None:
    """Twin of the one above: everything that shows is cleared, and that is not enough."""
    broken = ready(alice, contract, "a.eml", message(("broken.pdf", b"%PDF-1.7 nothing")).as_bytes())
    whole = ready(alice, contract, "b.eml", message(("note.txt", b"Words.")).as_bytes())
    files = files_of(alice, contract)
    assert (files["broken.pdf"]["state"], files["broken.pdf"]["error"]["code"]) == ("quarantined", "corrupt")
    assert staff.api.get(f"/api/files/{broken}/download/").status_code == 403
    assert steward.api.get(f"/api/files/{broken}/download/").status_code == 200
    assert staff.api.get(f"/api/files/{whole}/download/").status_code == 200
    assert alice.api.delete(f"/api/files/{files['note.txt']['id']}/?forever=1").status_code == 204
    assert staff.api.get(f"/api/files/{whole}/download/").status_code == 403

    behind = ready(alice, contract, "behind.html", b"<!DOCTYPE html><p>Seen.</p><!-- behind it -->")
    assert staff.api.get(f"/api/files/{behind}/download/").status_code == 200, "no rule finds anything in this text"
    page = ready(alice, contract, "page.html", b"<!DOCTYPE html><p>Seen.</p><video src='data:video/mp4;base64,AAAA'>")
    assert staff.api.get(f"/api/files/{page}/download/").status_code == 403
    said = b"Sound or film is embedded in this page"
    assert said in alice.client.get(f"{alice.base}files/{page}/").content
    assert said not in staff.client.get(f"{staff.base}files/{page}/").content


def test_a_file_of_the_same_name_stays_another_file_and_messages_in_messages_end_somewhere(
    alice: Person, contract: Contract, service: Scope
) -> None:
    own = ready(alice, contract, "note.md", b"My own words.")
    ready(alice, contract, "berths.eml", TWO)
    assert texts(alice, own) == ["My own words."]
    assert ready(alice, contract, "note.md", b"My newer words.") == own
    other = ready(alice, contract, "depths.csv", b"Own,Cells\n1,2\n")
    with service.open():
        assert File.objects.get(pk=other).origin_id is None
    with service.open():
        assert File.objects.filter(name="note.md").count() == 2
        before = File.objects.count()

    inner = message(("deepest.txt", b"Deep words."), subject="Level 0")
    for level in range(1, 9):
        outer = message(subject=f"Level {level}")
        outer.add_attachment(inner)
        inner = outer
    ready(alice, contract, "level.eml", inner.as_bytes())
    with service.open():
        files = list(File.objects.filter(name__startswith="level") | File.objects.filter(name__startswith="Level"))
        assert (len(files), File.objects.count()) == (6, before + 6)
        assert {code for file in files for code in [u["code"] for u in file.unaccounted]} == {"attachment"}
        assert FileRevision.objects.filter(file__in=files).count() == 6
