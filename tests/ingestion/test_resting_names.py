"""Names of files rest as text does: who reads them until they are judged, what moves them, what keeps them closed."""

from dataclasses import replace
from typing import Any

import pytest

from entities.access import Scope
from entities.models import Classification, Role, Workspace
from entities.models.classification import FINANCIAL, INTERNAL, PII_SENSITIVE, PUBLIC
from entities.types import Contract
from ingestion import name_labels
from ingestion.access import get_file_or_404
from ingestion.inline import process_all_waiting
from ingestion.judges import pool
from ingestion.listing import list_files
from ingestion.models import File
from ingestion.resting import apply_resting_everywhere
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, texts, upload
from tests.ingestion.test_attachments import message
from tests.ingestion.test_heads import DISCHARGE, NOTICE
from tests.ingestion.test_resting import LETTER, PAY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
TELLING = "salary 84,000 EUR"


def name_of(who: Person, file: str) -> str | None:
    answer = who.api.get(f"/api/files/{file}/")
    assert answer.status_code == 200, answer.content
    name: str | None = answer.json()["name"]
    return name


def names_of(who: Person, record: Contract) -> list[str]:
    """Those that the list of files tells."""
    return sorted(
        one["name"] for one in who.api.get(f"/api/entities/{record.pk}/files/").json()["results"] if one["name"]
    )


def rest_as(who: Person, label: int) -> None:
    """No worker comes."""
    assert who.client.post(f"{who.base}resting/", {"to": str(label)}).status_code == 302


def move(who: Person, file: str, folder: str) -> Any:
    return who.api.patch(f"/api/files/{file}/", {"folder": folder}, format="json")


def test_names_move_with_the_resting_label_before_a_worker_comes(
    alice: Person, staff: Person, cfo: Person, viewer: Person, contract: Contract
) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    ready(alice, contract, "judged.txt", PAY.encode())  # nothing in it rests
    upload(alice, contract, "broken.pdf", b"%PDF-1.7 nothing")
    ready(alice, contract, f"{TELLING}.txt", b"The gate is green.")
    ready(alice, contract, "mail.eml", message(("note.md", b"Words.")).as_bytes())
    resting = ["broken.pdf", "judged.txt", "letter.txt", "mail.eml", "note.md"]
    assert names_of(staff, contract) == resting
    assert names_of(cfo, contract) == [f"{TELLING}.txt"]
    rest_as(alice, FINANCIAL)
    assert names_of(staff, contract) == []
    assert names_of(cfo, contract) == [*resting, f"{TELLING}.txt"]
    rest_as(alice, PUBLIC)
    assert names_of(viewer, contract) == resting
    process_all_waiting(contract.workspace_id)
    assert names_of(viewer, contract) == resting
    rest_as(alice, INTERNAL)
    assert names_of(viewer, contract) == [], "what is Public because all text rests so is not known to be"
    assert names_of(staff, contract) == resting


def test_the_first_start_of_a_release_with_resting_labels_closes_names_that_stood_open(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    closed, declared = ready(alice, contract, "a.txt", LETTER), ready(alice, contract, "b.txt", LETTER, labels="0")
    with service.open():
        File.objects.update(name_classification=PUBLIC, name_judged=False)  # as one before had them
    assert (name_of(viewer, closed), name_of(viewer, declared)) == ("a.txt", "b.txt")
    apply_resting_everywhere()
    assert (name_of(viewer, closed), name_of(viewer, declared)) == (None, None)
    assert name_of(staff, closed) == "a.txt"
    process_all_waiting(service.workspace)
    assert (name_of(viewer, closed), name_of(viewer, declared)) == (None, "b.txt")


@pytest.mark.usefixtures("heads")
def test_a_harmless_version_does_not_open_the_name_of_a_sensitive_one_and_a_steward_does(
    alice: Person, staff: Person, workspace: Workspace, contract: Contract
) -> None:
    doctor = person(workspace, "doctor", [PII_SENSITIVE, INTERNAL])
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    assert name_of(staff, letter) is None
    assert ready(alice, contract, "Lindgren.txt", NOTICE.encode(), labels=str(PUBLIC)) == letter
    assert len(texts(staff, letter)) == 5
    assert name_of(staff, letter) is None
    assert name_of(doctor, letter) == "Lindgren.txt"
    one, *_ = alice.api.get(f"/api/files/{letter}/paragraphs/").json()["results"]
    decision = {"labels": [PUBLIC], "reason": "a notice"}
    assert alice.api.patch(f"/api/paragraphs/{one['id']}/", decision, format="json").status_code == 200
    process_all_waiting(contract.workspace_id)
    assert name_of(staff, letter) is None, "on the others nobody has decided"
    form = {"file": letter, "labels": str(PUBLIC)}
    shown = alice.client.post(f"{alice.base}entities/{contract.pk}/files/label/", form)
    seen = {"seen": shown.context["seen"], "reason": "the old letter is gone"}
    done = alice.client.post(f"{alice.base}entities/{contract.pk}/files/relabel/", form | seen)
    assert done.status_code == 302, done.content
    process_all_waiting(contract.workspace_id)
    assert name_of(staff, letter) == "Lindgren.txt"


@pytest.mark.usefixtures("heads")
def test_a_steward_who_is_not_cleared_for_a_name_does_not_open_it(
    alice: Person, staff: Person, workspace: Workspace, contract: Contract
) -> None:
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    assert ready(alice, contract, "Lindgren.txt", NOTICE.encode()) == letter
    some = person(workspace, "some", [INTERNAL], ("Editor",), is_steward=True)
    for one in some.api.get(f"/api/files/{letter}/paragraphs/").json()["results"]:
        decision = {"labels": [PUBLIC], "reason": "a notice"}
        assert some.api.patch(f"/api/paragraphs/{one['id']}/", decision, format="json").status_code == 200
    process_all_waiting(contract.workspace_id)
    assert len(texts(staff, letter)) == 5
    assert (name_of(staff, letter), name_of(some, letter)) == (None, None)


def test_a_floor_that_comes_with_a_version_reaches_the_name(
    alice: Person, staff: Person, cfo: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "plan.txt", b"The gate is green.")
    assert name_of(staff, file) == "plan.txt"
    upload(alice, contract, "plan.txt", b"The gate is red.", labels=str(FINANCIAL))
    assert (name_of(staff, file), name_of(cfo, file)) == (None, "plan.txt")


def test_a_version_that_is_declared_public_opens_a_name_that_only_rested(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "a.txt", LETTER)
    assert name_of(viewer, file) is None
    assert ready(alice, contract, "a.txt", LETTER, labels="0") == file
    assert name_of(viewer, file) == "a.txt"


@pytest.mark.parametrize(
    ("name", "path"), [("plan.txt", f"/{TELLING}/plan.txt"), (f"plan.{TELLING}", ""), (f"{TELLING}.txt", "")]
)
def test_folders_and_what_follows_the_last_dot_are_read(
    alice: Person, staff: Person, cfo: Person, contract: Contract, name: str, path: str
) -> None:
    file = upload(alice, contract, name, b"The gate is green.", path=path).json()["id"]
    plain = upload(alice, contract, "other.txt", b"The gate is red.", path="/plans/other.txt").json()["id"]
    for _ in range(2):
        assert (name_of(staff, file), name_of(cfo, file)) == (None, name)
        assert (name_of(staff, plain), name_of(cfo, plain)) == ("other.txt", None)
        process_all_waiting(contract.workspace_id)


def test_a_file_that_is_moved_to_a_telling_folder_has_its_label(
    alice: Person, staff: Person, cfo: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "plan.txt", b"The gate is green.")
    assert move(alice, file, "/plans").status_code == 202
    assert (name_of(staff, file), name_of(cfo, file)) == ("plan.txt", None)
    assert move(alice, file, f"/{TELLING}").status_code == 202
    assert (name_of(staff, file), name_of(cfo, file)) == (None, "plan.txt")
    assert move(staff, file, "/plans").status_code == 422
    assert move(alice, file, "/plans").status_code == 202
    assert name_of(staff, file) is None, "no name falls by itself"


def test_names_are_read_by_limited_processes(
    alice: Person, cfo: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.start_judges(1)
    try:
        monkeypatch.setattr(pool, "vote_by_rules", None)  # nothing is read in this one
        file = upload(alice, contract, "plan.txt", b"The gate is green.").json()["id"]
        assert name_of(cfo, file) is None
        assert move(alice, file, f"/{TELLING}").status_code == 202
        assert name_of(cfo, file) == "plan.txt"
    finally:
        pool.end_judges()


def test_a_name_that_was_not_read_in_time_is_for_who_holds_everything_until_a_worker_has_read_it(
    alice: Person, staff: Person, cfo: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as slow:
        slow.setattr(name_labels, "find_vote", lambda text: None)
        file = upload(alice, contract, "plan.txt", b"The gate is green.", labels="0").json()["id"]
        assert [name_of(who, file) for who in (staff, cfo, alice)] == [None, None, "plan.txt"]
        assert move(alice, file, f"/{TELLING}").json()["error"]["code"] == "not_judged"
        assert alice.api.get(f"/api/files/{file}/").json()["path"] != f"{TELLING}/plan.txt"
    process_all_waiting(contract.workspace_id)
    assert name_of(staff, file) == "plan.txt"


def test_who_looks_as_a_role_reads_no_name_for_having_sent_it(
    workspace: Workspace, contract: Contract, service: Scope
) -> None:
    sender = person(workspace, "sender", [], ("Editor",))
    file = ready(sender, contract, "letter.txt", LETTER)
    with service.open():
        role = -Role.objects.get(name="Editor").pk
    for scope, is_named in (
        (sender.scope, True),
        (replace(sender.scope, narrowed_to=role), False),
        (sender.scope.limit_to([]), False),
    ):
        with scope.open():
            assert [view.named for view in list_files(scope, contract)] == [is_named]
            assert get_file_or_404(scope, file)
    assert name_of(sender, ready(sender, contract, f"{TELLING}.txt", LETTER)) is None, "what is judged rests no more"


def test_a_concealed_resting_level_is_not_named_to_who_uploads(
    workspace: Workspace, staff: Person, contract: Contract, service: Scope
) -> None:
    sender = person(workspace, "sender", [], ("Editor",))

    def look(who: Person) -> str:
        return who.client.get(f"{who.base}entities/{contract.pk}/files/").content.decode()

    assert "People cleared for Internal, until it is judged" in look(sender)
    with service.open():
        Classification.objects.filter(value=INTERNAL).update(conceal=True)
    assert "Internal" not in look(sender)
    assert "People cleared for new text, until it is judged" in look(sender)
    assert "People cleared for Internal, until it is judged" in look(staff)
