"""Records that stand in the numbers of a Pulse: when one of them is closed, nobody reads the number."""

from typing import Any

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Entity
from entities.types import Contract, Project, Task
from pulse import generation
from pulse.claims import claim_due
from pulse.models import Pulse
from tests.conftest import Person
from tests.pulse.conftest import Work, pulse_of
from tests.retrieval.conftest import Index


def project(alice: Person) -> tuple[Entity, list[Entity]]:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay"})
        tasks = [
            create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": made}) for n in "12"
        ]
    return made, tasks


def test_a_restricted_child_is_counted_for_nobody(alice: Person, viewer: Person, work: Work) -> None:
    made, tasks = project(alice)
    work()
    before = pulse_of(viewer, made)
    assert "2 To do" in before["text"]
    where = f"{alice.base}admin/entities/entity/{tasks[0].pk}/change/"
    assert alice.client.post(where, {"visibility": "restricted"}).status_code == 302
    assert [pulse_of(who, made)["text"] for who in (viewer, alice)] == [None, None]
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


def stored(service: Scope, entity: Entity) -> list[Pulse]:
    with service.open():
        return list(Pulse.objects.filter(entity=entity.pk).order_by("pk"))


def test_a_deleted_record_that_was_only_counted_withdraws_the_text_until_the_next(
    alice: Person, viewer: Person, index: Index, work: Work, service: Scope
) -> None:
    made, tasks = project(alice)
    index.row(made, "The piles are driven to the bedrock.", file=index.file(made, "piles.md"))
    alice.api.post(f"/api/entities/{made.pk}/pulse/refresh/")
    work()
    before = pulse_of(viewer, made)
    assert [c["n"] for c in before["citations"]] == [1]
    assert viewer.api.get("/api/references/?kind=Citation").json()["count"] == 1
    assert alice.api.delete(f"/api/entities/task/{tasks[0].pk}/?forever=1").status_code == 204
    (withdrawn,) = stored(service, made)
    assert (withdrawn.data_classification, withdrawn.text, withdrawn.fingerprint) == (None, "", "")
    shown = pulse_of(viewer, made)
    assert (shown["state"], shown["text"], shown["citations"]) == ("waiting", None, [])
    for person in (viewer, alice):  # alice is a steward, who reads what has no label
        assert person.api.get("/api/references/?kind=Citation").json()["count"] == 0
        assert person.api.get(f"/api/citations/{before['id']}/1/").status_code == 404
        assert b"2 To do" not in person.client.get(f"{person.base}pulses/recent/").content
    work()
    after = pulse_of(viewer, made)
    assert "1 To do" in after["text"]
    assert (after["id"], [c["n"] for c in after["citations"]]) == (before["id"], [1])
    assert viewer.api.get("/api/references/?kind=Citation").json()["count"] == 1


def test_a_deleted_record_whose_text_is_repeated_takes_the_pulse_with_it(
    alice: Person, index: Index, work: Work, service: Scope
) -> None:
    made, tasks = project(alice)
    index.row(tasks[0], "The pit floods at spring tide.", file=index.file(tasks[0], "pit.md"))
    alice.api.post(f"/api/entities/{made.pk}/pulse/refresh/")
    work()
    assert "spring tide" in pulse_of(alice, made)["text"]
    assert alice.api.delete(f"/api/entities/task/{tasks[0].pk}/?forever=1").status_code == 204
    assert stored(service, made) == []


def test_a_withdrawn_text_is_made_again_though_its_numbers_are_what_they_were(
    alice: Person, viewer: Person, work: Work, service: Scope
) -> None:
    """One task goes and another comes: the inputs are the same, and the text must come back."""
    made, tasks = project(alice)
    work()
    assert alice.api.delete(f"/api/entities/task/{tasks[0].pk}/?forever=1").status_code == 204
    with alice.scope.open():
        create_entity(scope=alice.scope, model=Task, fields={"name": "Task 3", "project": made})
    work()
    assert "2 To do" in pulse_of(viewer, made)["text"]


def test_a_deleted_record_that_was_only_named_withdraws_the_text_and_nobody_needs_to_look(
    alice: Person, viewer: Person, contract: Contract, work: Work, service: Scope
) -> None:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay", "contract": contract})
        other = create_entity(scope=alice.scope, model=Project, fields={"name": "Crane"})
    work()
    (kept,) = stored(service, other)
    assert "Quay lease" in pulse_of(viewer, made)["text"]
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/?forever=1").status_code == 204
    assert [text.text for text in stored(service, made)] == [""]
    assert [text.text for text in stored(service, other)] == [kept.text]
    assert work() == 1
    (text,) = stored(service, made)
    assert "Planning" in text.text
    assert "Quay lease" not in text.text


def test_a_withdrawn_text_waits_for_the_window(alice: Person, viewer: Person, work: Work, service: Scope) -> None:
    made, tasks = project(alice)
    work()
    for task in tasks:
        assert alice.api.delete(f"/api/entities/task/{task.pk}/?forever=1").status_code == 204
        assert pulse_of(viewer, made)["state"] == "waiting"
        with service.open():
            assert claim_due() == []
    assert work() == 1


def test_a_record_that_goes_while_the_text_that_counts_it_is_written_is_in_no_text(
    alice: Person, viewer: Person, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, tasks = project(alice)
    complete = generation.client.complete

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        reply = complete(*args, **kwargs)
        monkeypatch.undo()
        assert alice.api.delete(f"/api/entities/task/{tasks[0].pk}/?forever=1").status_code == 204
        return reply

    monkeypatch.setattr(generation.client, "complete", interrupted)
    work()
    assert pulse_of(viewer, made)["text"] is None
    work()
    assert "1 To do" in pulse_of(viewer, made)["text"]
