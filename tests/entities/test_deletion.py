"""What goes with a record, and who is told; what happens at the same moment."""

import threading
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models.signals import pre_save

from entities.access import Scope
from entities.actions import create_entity, delete_entity
from entities.models import AuditEntry, Entity
from entities.signals import entity_deleted
from entities.types import Contract, Project, Risk, Task
from tests.conftest import Person


@pytest.fixture
def project(alice: Person, contract: Contract) -> Project:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay", "contract_id": contract.pk})
    assert isinstance(made, Project)
    return made


def below(service: Scope, project: Project, contract: Contract) -> list[UUID]:
    """A restricted task and risk of the project that nobody but the service sees; the risk names the contract too."""
    with service.open():
        task = create_entity(
            scope=service, model=Task, fields={"name": "T", "project_id": project.pk}, visibility="restricted"
        )
        risk = create_entity(
            scope=service, model=Risk, visibility="restricted",
            fields={"name": "R", "project_id": project.pk, "contract_id": contract.pk},
        )  # fmt: skip
        return [task.pk, risk.pk]


def test_what_belongs_to_a_record_goes_with_it_hidden_or_not(
    alice: Person, service: Scope, project: Project, contract: Contract
) -> None:
    hidden = below(service, project, contract)
    told: dict[UUID, list[UUID]] = {}

    def listen(sender: Any, entity_id: UUID, parents: list[UUID], **kwargs: Any) -> None:
        told[entity_id] = parents

    entity_deleted.connect(listen)
    try:
        response = alice.api.delete(f"/api/entities/project/{project.pk}/?forever=1")
    finally:
        entity_deleted.disconnect(listen)
    assert (response.status_code, response.content) == (204, b"")
    assert told == {project.pk: [contract.pk], hidden[0]: [], hidden[1]: [contract.pk]}
    with service.open():
        assert set(Entity.objects.values_list("pk", flat=True)) == {contract.pk}
        deleted = AuditEntry.objects.filter(action="entity.deleted").values_list("object_id", flat=True)
        assert set(deleted) == {str(pk) for pk in (project.pk, *hidden)}


def test_the_question_is_the_same_whether_or_not_something_is_hidden(
    alice: Person, service: Scope, project: Project, contract: Contract
) -> None:
    where = f"{alice.base}entities/{project.pk}/"

    def question() -> str:
        page = alice.client.get(where).content.decode()
        return page[page.index("Delete this record?") : page.index("Keep it")].split("csrf")[0]

    before = question()
    below(service, project, contract)
    assert question() == before
    page = alice.client.get(where).content.decode()
    assert "So do all risks and tasks that belong to it, also those that you may not see." in page
    of_contract = alice.client.get(f"{alice.base}entities/{contract.pk}/").content.decode()
    assert "So do all" not in of_contract


def test_what_only_names_a_record_stays(alice: Person, service: Scope, project: Project, contract: Contract) -> None:
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/?forever=1").status_code == 204
    with service.open():
        assert Project.objects.get(pk=project.pk).contract_id is None  # type: ignore[attr-defined]


@pytest.mark.usefixtures("transactional_db")
def test_a_record_whose_parent_goes_at_the_same_moment_is_not_saved(
    alice: Person, service: Scope, project: Project
) -> None:
    def elsewhere() -> None:
        with service.open():
            delete_entity(scope=service, entity=Project.objects.get(pk=project.pk))
        connection.close()

    def meanwhile(sender: Any, **kwargs: Any) -> None:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    body = {"name": "T", "project": str(project.pk)}
    assert alice.api.post("/api/entities/task/", body).status_code == 201
    pre_save.connect(meanwhile, sender=Task)
    try:
        response = alice.api.post("/api/entities/task/", body)
    finally:
        pre_save.disconnect(meanwhile, sender=Task)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
    with service.open():
        assert not Task.objects.exists()
