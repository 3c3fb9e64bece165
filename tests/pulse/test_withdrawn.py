"""A Pulse that counts what is below its record is withdrawn, in the same transaction, when one of these is not open to
the workspace any more; one that names a record, when that is renamed.
"""

import pytest
from django.db import connection

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Entity
from entities.types import Project, Risk, Task
from pulse.models import Pulse
from tests.chat.test_counted import copy_tasks, make, make_tasks, restrict
from tests.conftest import Person
from tests.pulse.conftest import Work, move, pulse_of, rename


@pytest.fixture
def project(alice: Person) -> Entity:
    return make(alice, Project, name="Quay 7")


def run(service: Scope, statement: str, *values: object) -> None:
    with service.open(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def test_rows_that_are_changed_by_sql_withdraw(
    alice: Person, viewer: Person, project: Entity, work: Work, service: Scope
) -> None:
    """Whatever the type: also a base row that is deleted before its own, and many in one statement."""
    tasks = make_tasks(alice, project, [f"Task {n}" for n in range(4)])
    other = make(alice, Project, name="Quay 8")
    copy_tasks(service, tasks[0], 5)
    work()
    for statement, values, left in (
        ("DELETE FROM entities_entity WHERE id = %s", [tasks[0].pk], 8),
        ("DELETE FROM entities_task WHERE entity_ptr_id = %s", [tasks[1].pk], 7),
        ("UPDATE entities_task SET project_id = %s WHERE entity_ptr_id = %s", [other.pk, tasks[2].pk], 6),
        ("UPDATE entities_entity SET archived_at = now() WHERE source_system = %s", ["copy"], 1),
        ("UPDATE entities_entity SET name = 'Task' WHERE id = %s", [tasks[3].pk], None),
        ("UPDATE entities_task SET status = 'done' WHERE entity_ptr_id = %s", [tasks[3].pk], None),
        ("DELETE FROM entities_task WHERE entity_ptr_id IN (SELECT id FROM entities_entity WHERE source_system = %s)",
         ["copy"], None),
    ):  # fmt: skip
        run(service, statement, *values)
        if left is None:
            assert "1 To do" in pulse_of(viewer, project)["text"], statement
            continue
        assert pulse_of(viewer, project)["text"] is None, statement
        work()
        assert f"{left} To do" in pulse_of(viewer, project)["text"], statement


def test_who_was_never_counted_costs_a_pulse_once(
    alice: Person, viewer: Person, project: Entity, work: Work, service: Scope
) -> None:
    other = make(alice, Project, name="Quay 8")
    make_tasks(alice, project, [f"Task {n}" for n in range(6)])
    work()
    with alice.scope.open():
        new = create_entity(scope=alice.scope, model=Task, fields={"name": "x", "project": project})
        Entity._base_manager.filter(pk=new.pk).update(visibility="restricted")
    work()
    assert "6 To do" in pulse_of(viewer, project)["text"]
    new, through = make_tasks(alice, project, ["By mistake"])[0], make_tasks(alice, other, ["Elsewhere"])[0]
    alice.api.delete(f"/api/entities/task/{new.pk}/")
    move(alice, through, project)
    move(alice, through, other)
    restrict(alice, through)
    work()
    assert "6 To do" in pulse_of(viewer, project)["text"]
    with service.open():
        assert not Pulse.objects.filter(data_classification=None).exists()


def test_a_new_name_withdraws_what_has_the_old_one(
    alice: Person, viewer: Person, project: Entity, work: Work, service: Scope
) -> None:
    risk = make(alice, Risk, name="Late steel", severity="high", project=project)
    work()
    assert "Quay 7" in pulse_of(viewer, risk)["text"]
    run(service, "UPDATE entities_entity SET name = name, updated_at = now() WHERE id = %s", project.pk)
    assert "Quay 7" in pulse_of(viewer, risk)["text"]
    rename(alice, "project", project, "Pier 9")
    assert pulse_of(viewer, risk)["text"] is None
    work()
    assert "Pier 9" in pulse_of(viewer, risk)["text"]
