"""Text that people open has its vectors of a new model first."""

from uuid import uuid4

import pytest

from entities.access import Scope
from entities.audit.recorder import AuditedQuery, record_question
from entities.models import Workspace
from entities.types import Contract
from ingestion.models import ContextRow, WorkspaceModel
from ingestion.vector_fill import list_numbers_without
from ingestion.vector_models import State
from tests.conftest import Person, make_contract
from tests.ingestion.embedding_service import Service
from tests.ingestion.helpers import SALARY, ready
from tests.ingestion.vectors import command

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def files(alice: Person, contract: Contract, tiny: Service) -> list[str]:
    """The oldest first; their vectors of a second model are still to be made."""
    made = [ready(alice, contract, f"{name}.md", f"{SALARY} {name}".encode()) for name in ("first", "second", "third")]
    command("add", "tiny", "--workspace", "acme")
    return made


def list_order(service: Scope) -> list[str]:
    """Files in the order of their first row."""
    with service.open():
        numbers = list_numbers_without(WorkspaceModel.objects.get(state=State.BESIDE).model_id)
        file = dict(ContextRow.objects.values_list("number", "file"))
    return list(dict.fromkeys(str(file[number]) for number in numbers if file[number]))


def test_the_newest_text_is_first_and_an_opened_file_before_it(files: list[str], alice: Person, service: Scope) -> None:
    first, second, third = files
    assert list_order(service) == [third, second, first]
    assert alice.client.get(f"{alice.base}files/{first}/download/").status_code == 200
    assert list_order(service) == [first, third, second]


def test_who_may_not_open_a_file_does_not_move_it(
    files: list[str], workspace: Workspace, viewer: Person, outsider: Person, service: Scope
) -> None:
    assert viewer.client.get(f"{viewer.base}files/{files[0]}/download/").status_code == 403
    assert outsider.client.get(f"{viewer.base}files/{files[0]}/download/").status_code == 404
    assert list_order(service) == files[::-1]


def test_a_record_that_an_answer_drew_on_is_before_others(
    alice: Person, contract: Contract, tiny: Service, service: Scope
) -> None:
    drawn_on = ready(alice, contract, "first.md")
    newer = ready(alice, make_contract(alice), "second.md")
    command("add", "tiny", "--workspace", "acme")
    assert list_order(service) == [newer, drawn_on]
    with service.open():
        record_question(service, "answer", AuditedQuery("Who pays?", (), ((uuid4(), contract.pk),)), "turn", uuid4())
    assert list_order(service) == [drawn_on, newer]
