"""A real worker on the real broker: what somebody looks at is there within seconds, and a burst is one text."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from entities.access import Scope
from entities.actions import create_entity
from entities.models import AuditEntry, Entity
from entities.types import Contract, Risk
from ingestion.models import ContextRow, Kind
from llm.models import ModelCall
from pulse import generation, tasks
from pulse.claims import claim_due
from pulse.models import Variant
from tests.conftest import Person, make_contract
from tests.processes import Process, wait_for
from tests.pulse.conftest import calls, pass_time, pulse_of
from tests.pulse.test_concurrency import Beside
from tests.retrieval.conftest import Index

pytestmark = pytest.mark.usefixtures("transactional_db")


def texts_made(service: Scope) -> int:
    with service.open():
        return AuditEntry.objects.filter(action="pulse.generated").count()


def test_twenty_quick_changes_are_one_text_and_what_somebody_looks_at_is_there_seconds_after(
    alice: Person,
    viewer: Person,
    staff: Person,
    index: Index,
    service: Scope,
    start_worker: Callable[[], Process],
) -> None:
    with alice.scope.open():
        risk = create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel", "severity": "high"})
    start_worker()
    pulse_of(viewer, risk)
    wait_for(lambda: pulse_of(viewer, risk)["state"] == "ready", "the first Pulse")
    settle(service)
    made, metered = texts_made(service), calls(service)
    for n in range(20):
        change = {"name": f"Late steel {n}", "status": "mitigated" if n == 19 else "open"}
        answer = alice.api.patch(f"/api/entities/risk/{risk.pk}/", change, format="json")
        assert answer.status_code == 200
        tasks.sweep.delay()
    assert texts_made(service) == made  # the window has not passed
    settle(service)
    assert "Mitigated" in pulse_of(viewer, risk)["text"]
    assert (texts_made(service), calls(service)) == (made + 1, metered + 1)
    with service.open():
        row = ModelCall.objects.filter(feature="pulse").latest("pk")
    assert (row.outcome, row.principal < 0) == ("ok", True)
    # Changed there and back: looked at once more, and no model is asked.
    checked = variant_of(service).checked_at
    for severity in ("low", "high"):
        alice.api.patch(f"/api/entities/risk/{risk.pk}/", {"severity": severity}, format="json")
    settle(service)
    assert variant_of(service).checked_at != checked
    assert (texts_made(service), calls(service)) == (made + 1, metered + 1)
    look_at_what_is_missing(alice, viewer, staff, index, service)


def look_at_what_is_missing(alice: Person, viewer: Person, staff: Person, index: Index, service: Scope) -> None:
    """Nobody waits for the sweep's next time, nor for a window: looking is enough, and asking often asks once."""
    contract = make_contract(alice)
    index.row(contract, "The lease may be ended with six months notice.", file=index.file(contract))
    wait_for(lambda: is_described(service, contract), "the record to be indexed")
    assert pulse_of(alice, contract)["state"] == "waiting"
    wait_for(lambda: pulse_of(alice, contract)["state"] == "ready", "the general Pulse")
    before, asked = calls(service), time.monotonic()
    assert pulse_of(viewer, contract)["state"] == "waiting"
    page = viewer.client.get(f"{viewer.base}entities/{contract.pk}/pulse/", headers={"HX-Request": "true"})
    # Unless the worker was faster than the second question.
    assert any(words in page.content for words in (b"Being written", b"is being written", b"six months"))
    assert time.monotonic() - asked < 2  # nobody waits on a page
    wait_for(lambda: pulse_of(viewer, contract)["state"] == "ready", "the viewer's Pulse", seconds=60)
    shown = pulse_of(viewer, contract)
    assert "six months" in shown["text"]
    assert [r["label"] for r in shown["requires"]] == ["Financial"]
    assert calls(service) == before + 1
    for _ in range(10):
        pulse_of(viewer, contract)
        viewer.client.get(f"{viewer.base}entities/{contract.pk}/pulse/")
    time.sleep(1)
    assert calls(service) == before + 1
    wait_for(lambda: pulse_of(staff, contract)["state"] == "ready", "the staff's Pulse", seconds=60)
    assert calls(service) == before + 2


def is_described(service: Scope, record: Entity) -> bool:
    with service.open():
        return ContextRow.objects.filter(entity=record.pk, kind=Kind.METADATA).exists()


def variant_of(service: Scope) -> Variant:
    with service.open():
        return Variant.objects.get()


def settle(service: Scope) -> None:
    """Until nothing is due: what the worker itself flagged when it indexed the record need not wait its window."""

    def settled() -> bool:
        with service.open():
            Variant.objects.filter(claim=None, due_at__isnull=False).update(due_at=timezone.now())
        row = variant_of(service)
        return row.due_at is None and row.claim is None

    sweep_until(settled)


def sweep_until(condition: Callable[[], object]) -> None:
    """As beat does, somewhat more often."""

    def swept() -> object:
        tasks.sweep.delay()
        time.sleep(0.4)
        return condition()

    wait_for(swept, "the sweep", seconds=180)


def test_variants_written_at_once_do_not_put_each_other_off(
    alice: Person, contract: Contract, index: Index, service: Scope
) -> None:
    """Those of one record read the same rows; an hour of mutual deference is how a page stays empty."""
    index.row(contract, "The lease may be ended with six months notice.", file=index.file(contract))
    with service.open():
        for atoms in ([], [1]):
            Variant.objects.create(
                workspace_id=service.workspace, entity_id=contract.pk, atoms=atoms, due_at=timezone.now()
            )
        claims = list(claim_due())
    jobs = [ready(service, claim) for claim in claims]

    def write(beside: Beside) -> bool:
        with service.open():
            assert generation.is_still_current(jobs[0][0], jobs[0][1])
            beside.pause()
        return True

    beside = Beside(write).start()
    assert generation.save_pulse(*jobs[1], ()) is True
    assert beside.end() is True


def ready(service: Scope, claim: Any) -> tuple[Any, Any, list[int], Any]:
    """Everything up to the write."""
    job = generation.begin_job(service.workspace, claim)
    assert job is not None
    inputs = generation.read_inputs(job)
    assert inputs is not None
    prompt, numbers = generation.number_passages(job, inputs)
    assert prompt is not None
    call = generation.client.Call(service.workspace, job.scope.principal, "pulse", "fast")
    return job, inputs, numbers, generation.client.complete(call, **prompt.request)


def test_inputs_that_keep_changing_do_not_make_the_next_attempt_later_and_later(
    contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "is_still_current", lambda job, inputs: False)
    for _ in range(5):
        pass_time(service, 4000)
        with service.open():
            for claim in claim_due():
                last = claim
        generation.update_variant(service.workspace, last)
    with service.open():
        row = Variant.objects.get(pk=last.variant)
        assert row.due_at is not None
        assert (row.due_at - timezone.now()).total_seconds() <= Contract.Rag.coalesce


def test_a_message_that_is_lost_is_sent_again_and_still_makes_one_text(risk_due: Any, service: Scope) -> None:
    """The broker lost it, or the queue is long: the second message must not make the first one void."""
    with service.open():
        (first,) = claim_due()
    pass_time(service, 31)
    with service.open():
        (second,) = claim_due()
    assert first == second
    before = calls(service)
    assert generation.update_variant(service.workspace, first) is True
    assert generation.update_variant(service.workspace, second) is False
    assert calls(service) == before + 1


@pytest.fixture
def risk_due(alice: Person, service: Scope) -> None:
    with alice.scope.open():
        create_entity(scope=alice.scope, model=Risk, fields={"name": "Late steel", "severity": "high"})
    pass_time(service)
