"""Text that rests with stewards and its sender alone: what others do, and what comes later, opens nothing of it."""

from typing import Any

import pytest

from entities.access import Scope
from entities.models import WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, INTERNAL, PII_SENSITIVE, STEWARDS
from entities.types import Contract
from ingestion import name_labels
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, Paragraph
from ingestion.queueing import publish_again
from ingestion.resting import apply_resting_everywhere, prepare_resting
from tests.conftest import ALL, Person, person
from tests.ingestion.helpers import ready, texts, upload
from tests.ingestion.test_attachments import message
from tests.ingestion.test_heads import DISCHARGE
from tests.ingestion.test_resting import ILL, LETTER, PAY, read
from tests.ingestion.test_resting_names import TELLING, move, names_of, rest_as
from tests.ingestion.test_stewards_alone import colleague, decide, desk, label_of, resting, sender

__all__ = ["colleague", "resting", "sender"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
GREEN = b"The gate is green."


@pytest.fixture
def unlabelled(resting: Contract, sender: Person, service: Scope) -> str:
    """A file in which the model has not looked at the pay, in which rules found something."""
    file = ready(sender, resting, "letter.txt", LETTER)
    with service.open():
        paragraph = Paragraph.objects.get(text=PAY)
        ContextRow.objects.filter(paragraph_links__paragraph=paragraph)._raw_delete("default")
        votes = [vote for vote in paragraph.votes if vote["source"] != "model"]
        Paragraph.objects.filter(pk=paragraph.pk).update(votes=votes, data_classification=None)
    return file


def edit_decided(alice: Person, sender: Person, record: Contract) -> tuple[str, str]:
    """(file, edited text) of which a steward had decided Confidential before the edit."""
    ready(sender, record, "letter.txt", LETTER)
    decide(alice, ILL, [CONFIDENTIAL])
    edited = ILL.replace("Tom", "Tim")
    return ready(sender, record, "letter.txt", LETTER.replace(ILL.encode(), edited.encode())), edited


def test_a_floor_that_somebody_else_gave_another_version_opens_nothing(
    resting: Contract, sender: Person, staff: Person
) -> None:
    file = ready(staff, resting, "minutes.txt", GREEN, labels=str(INTERNAL))
    assert ready(sender, resting, "minutes.txt", ILL.encode()) == file
    assert read(staff, file) == []
    assert texts(sender, file) == [ILL]


def test_who_sent_it_declares_it_later_and_reads_it_by_that(resting: Contract, sender: Person, staff: Person) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    assert ready(sender, resting, "letter.txt", LETTER, labels=str(INTERNAL)) == file
    assert texts(sender, file) == [ILL, PAY]
    assert texts(staff, file)[0] == ILL


def test_a_folder_a_floor_or_a_refused_version_opens_no_name(
    resting: Contract, sender: Person, staff: Person, cfo: Person, alice: Person
) -> None:
    moved = ready(sender, resting, "letter.txt", GREEN)
    assert move(alice, moved, f"/{TELLING}").status_code in (200, 202)
    ready(sender, resting, f"{TELLING}.txt", ILL.encode())
    upload(sender, resting, f"{TELLING}.txt", b"\n", labels=str(INTERNAL))
    assert names_of(cfo, resting) == names_of(staff, resting) == []
    process_all_waiting(resting.workspace_id)
    assert names_of(cfo, resting) == names_of(staff, resting) == []


def test_the_name_of_an_attachment_follows_the_text_that_names_it(
    resting: Contract, sender: Person, staff: Person, alice: Person
) -> None:
    ready(sender, resting, "mail.eml", message((f"{TELLING}.md", b"Words.")).as_bytes())
    again = message((f"{TELLING}.md", b"Words."), subject="Other").as_bytes()
    assert names_of(staff, resting) == []
    rest_as(alice, INTERNAL)
    before = names_of(staff, resting)
    process_all_waiting(resting.workspace_id)
    assert names_of(staff, resting) == before == ["mail.eml"]
    rest_as(alice, STEWARDS)
    upload(sender, resting, "mail.eml", again, labels=str(INTERNAL))
    assert f"{TELLING}.md" not in names_of(staff, resting)
    process_all_waiting(resting.workspace_id)
    assert f"{TELLING}.md" not in names_of(staff, resting)


@pytest.mark.usefixtures("heads")
def test_a_name_waits_until_each_paragraph_is_judged(resting: Contract, sender: Person, alice: Person) -> None:
    file = ready(sender, resting, "Lindgren.txt", DISCHARGE.encode())
    doctor = person(resting.workspace, "doctor", [PII_SENSITIVE])
    first, *others = texts(alice, file)
    decide(alice, first, [PII_SENSITIVE])
    assert names_of(doctor, resting) == []
    for text in others:
        decide(alice, text, [PII_SENSITIVE])
    assert names_of(doctor, resting) == ["Lindgren.txt"]


def test_a_name_that_was_not_read_in_time_is_not_for_who_holds_every_level(
    resting: Contract, sender: Person, alice: Person, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = person(resting.workspace, "every", ALL, ("Editor",))
    monkeypatch.setattr(name_labels, "find_vote", lambda text: None)
    file = ready(sender, resting, "Lindgren.txt", ILL.encode())
    assert names_of(every, resting) == []
    rest_as(alice, INTERNAL)
    assert names_of(every, resting) == ["Lindgren.txt"]
    monkeypatch.undo()
    process_all_waiting(resting.workspace_id)
    assert names_of(staff, resting) == ["Lindgren.txt"], "it was read since"
    assert texts(staff, file) == [ILL]


def test_an_original_with_text_that_nobody_was_shown_waits_for_a_steward(
    resting: Contract, sender: Person, viewer: Person, alice: Person
) -> None:
    body = b"<html><body><p>The gate is green.</p><!-- Tom is away with his lungs again --></body></html>"
    file = ready(sender, resting, "a.html", body)
    plain = ready(sender, resting, "b.txt", b"The fence is new.")
    for text in ("The gate is green.", "The fence is new."):
        decide(alice, text, [])
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403
    assert viewer.api.get(f"/api/files/{plain}/download/").status_code == 200


def test_an_earlier_decision_is_no_proposal_to_publish_what_came_since(
    resting: Contract, sender: Person, alice: Person
) -> None:
    _, edited = edit_decided(alice, sender, resting)
    (item,) = (one for one in desk(alice) if one["text"] == edited)
    assert (item["causes"], item["proposed"]) == (["decrease"], None)


def test_what_has_no_label_yet_is_proposed_as_it_was_found(unlabelled: str, alice: Person) -> None:
    (item,) = (one for one in desk(alice) if one["text"] == PAY)
    assert [atom["label"] for atom in item["proposed"]] == ["Financial"]


def test_what_has_no_label_yet_is_released_with_what_was_found_as_its_floor(
    unlabelled: str, alice: Person, sender: Person, service: Scope
) -> None:
    rest_as(alice, INTERNAL)
    with service.open():
        paragraph = Paragraph.objects.get(text=PAY)
        assert not any(vote.get("held") for vote in paragraph.votes)
        assert paragraph.data_classification is None
        assert paragraph.floor == 5


@pytest.mark.usefixtures("heads")
def test_not_so_is_refused_where_it_would_rest(alice: Person, contract: Contract, service: Scope) -> None:
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    rest_as(alice, STEWARDS)
    process_all_waiting(contract.workspace_id)
    form: dict[str, Any] = {"file": letter, "unlike": "1"}
    answer = alice.client.post(f"{alice.base}entities/{contract.pk}/files/label/", form, follow=True)
    assert "choose the levels that these need" in answer.content.decode()
    with service.open():
        assert not Paragraph.objects.filter(file=letter, votes__contains=[{"source": "manual"}]).exists()


def test_work_between_a_change_and_its_carrying_out_opens_nothing(
    resting: Contract, sender: Person, staff: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    with service.open():
        WorkspaceSettings.objects.update(resting=INTERNAL)  # the process ends here
        publish_again(file)
    process_all_waiting(resting.workspace_id)
    apply_resting_everywhere()
    process_all_waiting(resting.workspace_id)
    assert label_of(service, PAY) == {5}
    assert PAY not in texts(staff, file)


def test_nothing_moves_where_the_label_stays(alice: Person, contract: Contract) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    with alice.scope.open():
        assert prepare_resting(alice.scope, INTERNAL).moves == []
