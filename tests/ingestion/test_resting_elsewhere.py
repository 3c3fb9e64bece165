"""What rests in earlier versions and in the bin moves with the resting label too."""

import pytest

from entities.access import Scope
from entities.models import Workspace
from entities.models.classification import FINANCIAL, INTERNAL
from entities.types import Contract
from ingestion.inline import process_all_waiting
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, texts
from tests.ingestion.test_bin import entries
from tests.ingestion.test_resting import ILL, read, search
from tests.ingestion.test_resting_names import rest_as
from tests.ingestion.test_versions import original, relabel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
GATE = "The gate is green."


def test_an_earlier_version_rests_as_the_text_of_now_does(
    alice: Person, staff: Person, workspace: Workspace, contract: Contract, service: Scope
) -> None:
    both = person(workspace, "both", [INTERNAL, FINANCIAL])
    file = ready(alice, contract, "letter.txt", ILL.encode())
    assert ready(alice, contract, "letter.txt", GATE.encode()) == file
    relabel(alice, service, GATE, [INTERNAL])
    assert original(staff, file, 1) == ILL.encode()
    rest_as(alice, FINANCIAL)
    assert texts(staff, file) == [GATE]
    assert original(staff, file, 1) == 403
    assert original(both, file, 1) == ILL.encode()
    assert original(staff, file, 2) == GATE.encode()


def test_an_earlier_text_that_was_judged_keeps_its_label(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", ILL.encode())
    relabel(alice, service, ILL, [INTERNAL])
    assert ready(alice, contract, "letter.txt", GATE.encode()) == file
    relabel(alice, service, GATE, [INTERNAL])
    rest_as(alice, FINANCIAL)
    assert original(staff, file, 1) == ILL.encode()


def test_what_is_in_the_bin_rests_as_the_text_of_now_does(
    alice: Person, staff: Person, cfo: Person, workspace: Workspace, contract: Contract
) -> None:
    boss = person(workspace, "boss", [INTERNAL], ("Admin",))
    file = ready(alice, contract, "letter.txt", ILL.encode())
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    assert ("file", "letter.txt") in entries(boss)
    rest_as(alice, FINANCIAL)
    process_all_waiting(contract.workspace_id)
    assert ("file", "letter.txt") not in entries(boss)
    assert ("file", "letter.txt") in entries(alice)
    assert alice.api.post(f"/api/bin/{file}/restore/").status_code == 204
    for _ in range(2):
        assert read(staff, file) == []
        assert search(staff, "lungs") == []
        process_all_waiting(contract.workspace_id)
    assert texts(cfo, file) == [ILL]
    assert ILL in search(cfo, "lungs")


def test_a_record_in_the_bin_comes_back_with_the_resting_label_of_now(
    alice: Person, staff: Person, cfo: Person, contract: Contract
) -> None:
    address = f"/api/entities/contract/{contract.pk}/"
    assert alice.api.patch(address, {"notes": ILL}, format="json").status_code == 200
    file = ready(alice, contract, "letter.txt", ILL.encode())

    def notes(who: Person) -> list[str | None]:
        return [block.get("text") for block in who.api.get(address).json()["notes"]]

    assert notes(staff) == [ILL]
    assert alice.api.delete(address).status_code == 204
    rest_as(alice, FINANCIAL)
    process_all_waiting(contract.workspace_id)
    assert alice.api.post(f"/api/bin/{contract.pk}/restore/").status_code == 204
    for _ in range(2):
        assert notes(staff) == [None]
        assert read(staff, file) == []
        assert not any("lungs" in text for text in search(staff, "lungs"))
        process_all_waiting(contract.workspace_id)
    assert notes(cfo) == [ILL]
    assert texts(cfo, file) == [ILL]
    assert any("lungs" in text for text in search(cfo, "lungs"))
