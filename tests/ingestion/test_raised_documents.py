"""Documents rise to what their kind needs whatever came in between: the next sweep, the bin, a new release."""

from typing import Any
from uuid import UUID

import pytest

from config.prepare import apply_resting_labels
from entities.access import Scope
from entities.models import WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, INTERNAL, PII_SENSITIVE, SECRET
from entities.types import Contract
from ingestion import kind_floors
from ingestion.inline import process_all_waiting
from ingestion.tasks import sweep
from tests.conftest import Person, person
from tests.ingestion.helpers import ready
from tests.ingestion.test_document_kinds import LETTER, URL, change, name_of, read, save, search
from tests.ingestion.test_heads import NOTICE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed", "heads")]
BOTH = [PII_SENSITIVE, CONFIDENTIAL]
LEFT = "Still to be kept so, of what you may read: 1 file."


@pytest.fixture
def doctor(contract: Contract) -> Person:
    return person(contract.workspace, "doctor", [PII_SENSITIVE, INTERNAL])


@pytest.fixture
def lawyer(contract: Contract) -> Person:
    return person(contract.workspace, "lawyer", [*BOTH, INTERNAL])


@pytest.fixture
def letter(alice: Person, contract: Contract) -> str:
    return ready(alice, contract, "Lindgren.txt", LETTER)


def told(who: Person) -> tuple[bool, int]:
    """Whether the page says that a file is left, and how many the API does."""
    page = who.client.get(f"{who.base}document-kinds/").content.decode()
    return LEFT in page, who.api.get(URL).json()["left"]


def test_what_there_was_no_time_for_is_told_and_rises_with_the_sweep(
    alice: Person, doctor: Person, lawyer: Person, letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as busy:
        busy.setattr(kind_floors, "MOST_SECONDS", 0.0)
        assert save(alice, medical=BOTH).status_code == 302
        sweep()
        assert len(read(doctor, letter)) == 7
    assert told(alice) == (True, 1)
    sweep()
    assert (read(doctor, letter), search(doctor)) == ([], [])
    assert name_of(doctor, letter) != "Lindgren.txt"
    assert len(read(lawyer, letter)) == 7
    assert told(alice) == (False, 0)
    with monkeypatch.context() as still:
        still.setattr(kind_floors, "hold_rows", None)  # nothing is looked at that has risen
        sweep()
    assert len(read(lawyer, letter)) == 7


def test_nobody_is_told_of_files_that_they_may_not_read(
    alice: Person, letter: str, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = person(contract.workspace, "bare", [INTERNAL, SECRET], ("Admin",))
    monkeypatch.setattr(kind_floors, "MOST_SECONDS", 0.0)
    assert change(alice, "medical", [*BOTH, SECRET]).json()["left"] == 1
    assert told(bare) == (False, 0)


def test_one_that_fails_does_not_hold_up_the_others_and_is_tried_again(
    alice: Person, doctor: Person, letter: str, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ready(alice, contract, "Two.txt", LETTER.replace(b"eleven", b"twelve"))
    first, last = sorted([letter, other])
    real: Any = kind_floors.raise_document

    def fail(pk: UUID) -> None:
        if str(pk) == first:
            raise ValueError
        real(pk)

    with monkeypatch.context() as broken:
        broken.setattr(kind_floors, "raise_document", fail)
        assert save(alice, medical=BOTH).status_code == 302
        assert len(read(doctor, first)) == 7
        assert read(doctor, last) == []
    assert change(alice, "medical", BOTH).status_code == 200, "as it is already"
    sweep()
    assert read(doctor, first) == []


@pytest.mark.parametrize("is_record", [False, True])
def test_what_comes_back_from_the_bin_has_risen(
    alice: Person, doctor: Person, lawyer: Person, letter: str, contract: Contract, service: Scope, is_record: bool
) -> None:
    notice = ready(alice, contract, "Notice.txt", NOTICE.encode())
    files = {f"files/{letter}": letter, f"files/{notice}": notice}
    gone = {f"entities/contract/{contract.pk}": str(contract.pk)} if is_record else files
    for path in gone:
        assert alice.api.delete(f"/api/{path}/").status_code == 204
    assert save(alice, medical=BOTH).status_code == 302
    for pk in gone.values():
        assert alice.api.post(f"/api/bin/{pk}/restore/").status_code == 204
    assert (read(doctor, letter), search(doctor)) == ([], [])
    assert name_of(doctor, letter) != "Lindgren.txt"
    assert len(read(doctor, notice)) == 5, "of no kind"
    assert len(read(lawyer, letter)) == 7
    process_all_waiting(service.workspace)
    assert (read(doctor, letter), search(doctor)) == ([], [])
    assert search(lawyer)


def test_what_a_new_release_keeps_more_strictly_is_so_from_its_start(
    doctor: Person, lawyer: Person, letter: str, service: Scope
) -> None:
    with service.open():
        WorkspaceSettings.objects.update(kind_floors={"payslip": [SECRET]})
    apply_resting_labels()
    assert len(read(doctor, letter)) == 7, "of another kind"
    with service.open():
        WorkspaceSettings.objects.update(kind_floors={"medical": BOTH})
    apply_resting_labels()
    assert read(doctor, letter) == []
    assert len(read(lawyer, letter)) == 7


def test_the_name_of_an_opened_document_stays_with_what_its_kind_got_since(
    alice: Person, staff: Person, letter: str, contract: Contract, service: Scope
) -> None:
    form = {"file": letter, "unlike": "1"}
    shown = alice.client.post(f"{alice.base}entities/{contract.pk}/files/label/", form)
    seen = {"seen": shown.context["seen"], "reason": "an invented letter"}
    alice.client.post(f"{alice.base}entities/{contract.pk}/files/relabel/", form | seen)
    process_all_waiting(service.workspace)
    assert name_of(staff, letter) == "Lindgren.txt"
    change(alice, "medical", [PII_SENSITIVE, SECRET])
    assert name_of(staff, letter) != "Lindgren.txt"
    process_all_waiting(service.workspace)
    assert (read(staff, letter), name_of(staff, letter) != "Lindgren.txt") == ([], True)
