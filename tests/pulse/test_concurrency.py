"""Two connections at once: a change and a claim, a raise and a write. Nothing is lost, and nobody waits for ever."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from entities.access import Scope, raise_labels
from entities.actions import archive_entity, change_entity, create_entity
from entities.bin import bin_entity
from entities.models import Entity, FieldParagraph, Source
from entities.types import Project, Risk, Task
from ingestion.models import ContextRow, Paragraph, RowParagraph
from pulse import generation, tasks
from pulse.claims import claim_due
from pulse.models import Pulse, Variant
from pulse.staleness import mark_due
from tests.conftest import Person
from tests.pulse.conftest import Work, calls, pass_time, pulse_of, rename
from tests.retrieval.conftest import Index

pytestmark = pytest.mark.usefixtures("transactional_db")
ROUNDS = 20


@pytest.fixture
def risk(alice: Person, service: Scope) -> Risk:
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel", "severity": "high"})
    assert isinstance(made, Risk)
    return made


class Beside:
    """Runs `step` in a thread with a connection of its own, which waits at `pause` until it is told to go on."""

    def __init__(self, step: Callable[["Beside"], Any]) -> None:
        self.paused, self.go_on = threading.Event(), threading.Event()
        self.result: Any = None
        self.thread = threading.Thread(target=self.run, args=(step,))

    def run(self, step: Callable[["Beside"], Any]) -> None:
        try:
            self.result = step(self)
        except Exception as problem:
            self.result = problem
        finally:
            self.paused.set()
            connection.close()

    def pause(self) -> None:
        self.paused.set()
        assert self.go_on.wait(20)

    def start(self) -> "Beside":
        self.thread.start()
        assert self.paused.wait(20)
        return self

    def end(self) -> Any:
        self.go_on.set()
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self.result


def claimed(service: Scope) -> Any:
    pass_time(service)
    with service.open():
        (claim,) = claim_due()
    return claim


def test_a_claim_does_not_slip_in_between_a_change_and_its_commit(alice: Person, risk: Risk, service: Scope) -> None:
    generation.update_variant(service.workspace, claimed(service))
    with service.open():
        mark_due([risk.pk])
    pass_time(service)

    def change(beside: Beside) -> None:
        with alice.scope.open():
            entity = Risk.objects.readable_by(alice.scope).get(pk=risk.pk)
            change_entity(scope=alice.scope, entity=entity, fields={"severity": "low"})
            beside.pause()

    beside = Beside(change).start()
    with service.open():
        assert claim_due() == []
    assert beside.end() is None
    generation.update_variant(service.workspace, claimed(service))
    assert "Low" in pulse_of(alice, risk)["text"]
    with service.open():
        assert Variant.objects.get().due_at is None


def test_a_label_that_is_being_raised_stops_the_write_and_nothing_waits(
    alice: Person, risk: Risk, index: Index, service: Scope
) -> None:
    row = index.row(risk, "The penalty for the delay is 9,000 euros.", file=index.file(risk, "log.md"))
    claim = claimed(service)
    job = generation.begin_job(service.workspace, claim)
    assert job is not None
    inputs = generation.read_inputs(job)
    assert inputs is not None
    prompt, numbers = generation.number_passages(job, inputs)
    assert prompt is not None
    reply = generation.client.complete(
        generation.client.Call(service.workspace, job.scope.principal, "pulse", "fast"), **prompt.request
    )

    def relabel(beside: Beside) -> None:
        """As a steward's decision does: the paragraph first, then what was drawn from it, then the Pulse is flagged."""
        with service.open():
            link = RowParagraph.objects.get(row=row)
            paragraph = Paragraph.objects.select_for_update().get(pk=link.paragraph_id)
            ContextRow.objects.filter(pk=row)._raw_delete("default")
            Paragraph.objects.filter(pk=paragraph.pk).update(data_classification=5)
            raise_labels({paragraph.pk: 5})
            beside.pause()
            mark_due([risk.pk])

    beside = Beside(relabel).start()
    assert generation.save_pulse(job, inputs, numbers, reply, ()) is False
    assert beside.end() is None
    with service.open():
        assert not Pulse.objects.exists()
        assert Variant.objects.get().due_at is not None
    generation.update_variant(service.workspace, claimed(service))
    assert "9,000" not in pulse_of(alice, risk)["text"]


def test_a_label_raised_after_the_write_finds_the_text(
    alice: Person, viewer: Person, risk: Risk, index: Index, service: Scope
) -> None:
    row = index.row(risk, "The penalty for the delay is 9,000 euros.", file=index.file(risk, "log.md"))
    generation.update_variant(service.workspace, claimed(service))
    assert "9,000" in pulse_of(viewer, risk)["text"]
    with service.open():
        raise_labels({RowParagraph.objects.get(row=row).paragraph_id: 5})
    assert pulse_of(viewer, risk)["text"] is None


def test_two_sweeps_hand_out_a_variant_once(risk: Risk, service: Scope) -> None:
    pass_time(service)

    def sweep(beside: Beside) -> int:
        with service.open():
            found = claim_due()
            beside.pause()
            return len(found)

    beside = Beside(sweep).start()
    with service.open():
        assert claim_due() == []
    assert beside.end() == 1


def test_a_message_delivered_twice_makes_one_text(alice: Person, risk: Risk, service: Scope) -> None:
    claim = claimed(service)
    before = calls(service)
    for _ in range(2):
        tasks.generate_pulse(service.workspace, str(claim.variant), str(claim.token))
    assert calls(service) == before + 1


def test_sweep_reaches_every_workspace(
    alice: Person, outsider: Person, risk: Risk, service: Scope, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with outsider.scope.open():
        theirs = create_entity(scope=outsider.scope, model=Risk, fields={"name": "Theirs"})
    other = Scope.for_service(outsider.scope.workspace)
    for scope in (service, other):
        pass_time(scope)
    sent: list[tuple[int, str, str]] = []
    monkeypatch.setattr(tasks.generate_pulse, "delay", lambda *given: sent.append(given))
    tasks.sweep()
    assert {given[0] for given in sent} == {service.workspace, other.workspace}
    for given in sent:
        tasks.generate_pulse(*given)
    assert pulse_of(alice, risk)["state"] == "ready"
    assert pulse_of(outsider, theirs)["state"] == "ready"
    assert alice.api.get(f"/api/entities/{theirs.pk}/pulse/").status_code == 404


def test_a_savepoint_that_is_rolled_back_leaves_the_flag_to_the_next_change(risk: Risk, service: Scope) -> None:
    generation.update_variant(service.workspace, claimed(service))
    with service.open():
        try:
            with transaction.atomic():
                mark_due([risk.pk])
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        mark_due([risk.pk])
    with service.open():
        assert Variant.objects.get().due_at is not None


def test_a_burst_in_one_transaction_writes_the_row_once(risk: Risk, service: Scope) -> None:
    generation.update_variant(service.workspace, claimed(service))
    places = set()
    with service.open(), connection.cursor() as cursor:
        for _ in range(5):
            mark_due([risk.pk])
            cursor.execute("SELECT ctid::text FROM pulse_variant")
            places.add(cursor.fetchone()[0])
    assert len(places) == 1
    with service.open():
        assert Entity.objects.filter(pk=risk.pk).exists()


def test_who_closes_two_records_below_one_never_waits_for_ever(alice: Person, work: Work) -> None:
    """One goes into the bin while the other is archived: their Pulse is withdrawn, and written with what is left."""
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7"})
        made = [
            create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": project})
            for n in range(2 * ROUNDS + 1)
        ]
    work()

    def close(act: Callable[..., None], record: Entity, together: threading.Barrier) -> Beside:
        def step(beside: Beside) -> None:
            with alice.scope.open():
                row = Task.objects.readable_by(alice.scope).get(pk=record.pk)
                together.wait(20)
                act(scope=alice.scope, entity=row)

        beside = Beside(step)
        beside.thread.start()
        return beside

    for one, other in zip(made[:ROUNDS], made[ROUNDS:], strict=False):
        together = threading.Barrier(2)
        both = [close(bin_entity, one, together), close(archive_entity, other, together)]
        assert [beside.end() for beside in both] == [None, None]
    assert pulse_of(alice, project)["text"] is None
    work()
    assert "1 To do" in pulse_of(alice, project)["text"]


def test_a_record_that_is_closed_while_a_pulse_is_written_is_in_no_number(
    alice: Person, work: Work, service: Scope
) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7"})
        for n in range(2):
            task = create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": project})

    def close(beside: Beside) -> None:
        with alice.scope.open():
            Entity._base_manager.filter(pk=task.pk).update(archived_at=timezone.now())
            beside.pause()

    beside = Beside(close).start()
    work()
    assert pulse_of(alice, project)["text"] is None, "who is being closed holds its row"
    assert beside.end() is None
    work()
    assert "1 To do" in pulse_of(alice, project)["text"]


@pytest.mark.parametrize("act", ["UPDATE entities_task SET project_id = %(other)s", "DELETE FROM entities_task"])
def test_a_record_that_is_taken_away_by_sql_while_a_pulse_is_written_is_in_no_number(
    act: str, alice: Person, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the text that is being written, and then withdraws it."""
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7"})
        for n in range(2):
            task = create_entity(scope=alice.scope, model=Task, fields={"name": f"Task {n}", "project": project})
    still_current, waiting = generation.is_still_current, []

    def take_away(beside: Beside) -> None:
        with service.open(), connection.cursor() as cursor:
            beside.paused.set()
            cursor.execute(f"{act} WHERE entity_ptr_id = %(task)s", {"task": task.pk, "other": other.pk})

    def look(job: generation.Job, inputs: Any) -> bool:
        found = still_current(job, inputs)
        if found and not waiting:
            waiting.append(Beside(take_away).start())
            waiting[0].thread.join(0.5)
        return found

    monkeypatch.setattr(generation, "is_still_current", look)
    claim = claimed(service)
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Project, fields={"name": "Pier 9"})
    generation.update_variant(service.workspace, claim)
    assert [beside.end() for beside in waiting] == [None]
    assert pulse_of(alice, project)["text"] is None
    work()
    assert "1 To do" in pulse_of(alice, project)["text"]


def test_a_name_that_changes_while_a_pulse_is_written_is_not_written(
    alice: Person, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7"})
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel", "project": project})
    complete = generation.client.complete
    renamed: list[str] = []

    def answer(*given: Any, **more: Any) -> Any:
        if not renamed:
            renamed.append("Pier 9")
            rename(alice, "project", project, "Pier 9")
        return complete(*given, **more)

    monkeypatch.setattr(generation.client, "complete", answer)
    work()
    assert "Quay 7" not in (pulse_of(alice, risk)["text"] or "")
    work()
    assert "Pier 9" in pulse_of(alice, risk)["text"]


def test_a_record_that_is_changed_beside_a_label_of_its_text_waits_for_it_and_nothing_deadlocks(
    alice: Person, work: Work, service: Scope
) -> None:
    """Whoever relabels has the paragraph and then takes the Pulse; whoever changes the record needs both, too."""
    with alice.scope.open():
        project, other = (
            create_entity(scope=alice.scope, model=Project, fields={"name": name}) for name in ("Quay 7", "Pier 9")
        )
        fields = {"name": "Steel", "project": project}
        task = create_entity(scope=alice.scope, model=Task, fields=fields, texts={"details": "The steel is late."})
    work()
    assert "1 To do" in pulse_of(alice, project)["text"]
    with service.open():
        paragraph = FieldParagraph.objects.get(entity=task.pk)
        for pulse in Pulse.objects.filter(entity=project.pk):
            Source.objects.create(
                workspace_id=service.workspace, derived=pulse.pk, entity_id=task.pk, passage=paragraph.pk
            )

    def relabel(beside: Beside) -> int:
        with service.open():
            FieldParagraph.objects.select_for_update().get(pk=paragraph.pk)
            beside.pause()
            FieldParagraph.objects.filter(pk=paragraph.pk).update(data_classification=5)
            return raise_labels({paragraph.pk: 5})

    def change(beside: Beside) -> list[str]:
        with alice.scope.open():
            entity = Task.objects.readable_by(alice.scope).get(pk=task.pk)
            beside.paused.set()
            changes = {"fields": {"project": other}, "texts": {"details": "The steel has come."}}
            return change_entity(scope=alice.scope, entity=entity, **changes)

    relabelling, changing = Beside(relabel).start(), Beside(change).start()
    changing.thread.join(0.5)
    assert changing.thread.is_alive(), "it waits for the label"
    assert relabelling.end() > 0
    assert sorted(changing.end()) == ["details", "project"]
    assert pulse_of(alice, project)["text"] is None
