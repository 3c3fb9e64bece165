"""Records that stand in the numbers of a Pulse: who may not see one of them any more does not read the number."""

from entities.actions import create_entity
from entities.models import Entity
from entities.types import Project, Task
from tests.conftest import Person
from tests.pulse.conftest import Work, pulse_of


def project(alice: Person) -> tuple[Entity, list[Entity]]:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay"})
        tasks = [
            create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": made}) for n in "12"
        ]
    return made, tasks


def test_a_restricted_child_is_counted_for_nobody_who_may_not_see_it(alice: Person, viewer: Person, work: Work) -> None:
    made, tasks = project(alice)
    work()
    before = pulse_of(viewer, made)
    assert "2 To do" in before["text"]
    where = f"{alice.base}admin/entities/entity/{tasks[0].pk}/change/"
    assert alice.client.post(where, {"visibility": "restricted"}).status_code == 302
    assert "2 To do" not in str(pulse_of(viewer, made)["text"])
    assert "2 To do" in pulse_of(alice, made)["text"]
    work()
    assert "1 To do" in pulse_of(viewer, made)["text"]


def test_who_sees_all_that_is_counted_reads_on_while_one_of_it_changes(
    alice: Person, viewer: Person, work: Work
) -> None:
    made, tasks = project(alice)
    work()
    assert "2 To do" in pulse_of(viewer, made)["text"]
    answer = alice.api.patch(f"/api/entities/task/{tasks[0].pk}/", {"status": "done"}, format="json")
    assert answer.status_code == 200, answer.content
    assert "2 To do" in pulse_of(viewer, made)["text"]
    work()
    assert "1 To do" in pulse_of(viewer, made)["text"]
