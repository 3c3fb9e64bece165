"""Files that come in together make one text of each Pulse that they concern, however long reading them takes."""

from datetime import timedelta
from email.message import EmailMessage
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from entities.access import Scope
from entities.actions import create_entity
from entities.models import AuditEntry, Entity
from entities.types import Contract, Project
from ingestion.inline import process_all_waiting
from ingestion.models import File
from ingestion.processing import process_file
from pulse.claims import LONGEST_BATCH, claim_due
from tests.conftest import Person
from tests.ingestion.helpers import upload
from tests.pulse.conftest import Work, change, pass_time


def part_of(contract: Contract, alice: Person, work: Work, **given: Any) -> Entity:
    with alice.scope.open():
        fields = {"name": "Quay wall", "contract": contract}
        made = create_entity(scope=alice.scope, model=Project, fields=fields, **given)
    process_all_waiting(alice.scope.workspace)
    work()
    return made


def written(service: Scope, record: Entity) -> int:
    with service.open():
        return AuditEntry.objects.filter(action="pulse.generated", object_id=record.pk).count()


def drop(alice: Person, record: Entity, count: int = 3, **fields: Any) -> list[UUID]:
    texts = [f"Gate {number} of the quay wall is open." for number in range(count)]
    return [
        UUID(upload(alice, record, f"{n}.txt", text.encode(), **fields).json()["id"]) for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("together", [True, False])
def test_a_drop_makes_one_text_of_the_record_and_one_of_the_one_above(
    alice: Person, contract: Contract, work: Work, service: Scope, together: bool
) -> None:
    """Each file takes longer to read than a Pulse waits for what comes next."""
    project = part_of(contract, alice, work)
    before = [written(service, record) for record in (project, contract)]
    files = drop(alice, project, **({"batch": str(uuid4())} if together else {}))
    for number, file in enumerate(files, start=1):
        assert process_file(service.workspace, file)
        work()
        now = [written(service, record) - old for record, old in zip((project, contract), before, strict=True)]
        expected = int(number == len(files)) if together else number
        assert now == [expected, expected], f"after {number} files"


def test_a_message_waits_for_what_came_in_it(alice: Person, contract: Contract, work: Work, service: Scope) -> None:
    message = EmailMessage()
    message["Subject"] = "Survey"
    message.set_content("The survey of the quay wall is attached.")
    message.add_attachment("The piles stand straight.", filename="piles.txt")
    project = part_of(contract, alice, work)
    before = written(service, contract)
    mail = upload(alice, project, "survey.eml", message.as_bytes()).json()["id"]
    assert process_file(service.workspace, UUID(mail))
    work()
    assert written(service, contract) == before
    process_all_waiting(service.workspace)
    work()
    assert written(service, contract) == before + 1


def test_no_pulse_waits_for_ever(alice: Person, contract: Contract, work: Work, service: Scope) -> None:
    project = part_of(contract, alice, work)
    before = [written(service, record) for record in (project, contract)]
    first, _ = drop(alice, project, 2, batch=str(uuid4()))
    assert process_file(service.workspace, first)
    work()
    assert [written(service, record) for record in (project, contract)] == before
    pass_time(service, LONGEST_BATCH)
    work()
    assert [written(service, record) for record in (project, contract)] == [old + 1 for old in before]


@pytest.mark.parametrize("visibility", ["workspace", "restricted"])
def test_a_drop_puts_off_no_pulse_that_it_will_not_stand_in(
    alice: Person, contract: Contract, work: Work, service: Scope, visibility: str
) -> None:
    """How long a text is in coming tells nothing of a record that its readers may not see."""
    project = part_of(contract, alice, work, visibility=visibility)
    before = written(service, contract)
    drop(alice, project, batch=str(uuid4()))
    change(alice, contract, counterparty="Harbour Works")
    work()
    assert written(service, contract) == before + (visibility == "restricted")


def test_many_drops_are_asked_for_in_as_many_statements_as_one(
    alice: Person, contract: Contract, work: Work, service: Scope
) -> None:
    """Whatever is due, every few seconds."""

    def asked() -> int:
        pass_time(service)
        with service.open(), CaptureQueriesContext(connection) as statements:
            assert claim_due() == [], "all that is due waits for its files"
        return len(statements)

    project = part_of(contract, alice, work)
    change(alice, contract, counterparty="Harbour Works")
    drop(alice, project, batch=str(uuid4()))
    asked()  # what is looked up once a process
    few = asked()
    for _ in range(4):
        with alice.scope.open():
            fields = {"name": "Quay wall", "contract": contract}
            another = create_entity(scope=alice.scope, model=Project, fields=fields)
        drop(alice, another, 2, batch=str(uuid4()))
    assert asked() == few


@pytest.mark.parametrize("rests", [True, False])
def test_no_pulse_waits_for_a_file_that_rests(
    alice: Person, contract: Contract, work: Work, service: Scope, rests: bool
) -> None:
    """As files do when what the workspace may spend is spent."""
    project = part_of(contract, alice, work)
    before = [written(service, record) for record in (project, contract)]
    files = drop(alice, project, batch=str(uuid4()))
    assert process_file(service.workspace, files[0])
    if rests:
        with service.open():
            File.objects.filter(pk__in=files[1:]).update(claimed_until=Now() + timedelta(hours=1))
    work()
    assert [written(service, record) for record in (project, contract)] == [old + rests for old in before]
