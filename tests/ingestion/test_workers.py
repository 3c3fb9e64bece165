"""Claims of processes that have ended, and how many processes there are."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from entities.access import Scope
from entities.types import Contract
from ingestion import claims, tasks, workers
from ingestion.models import File, State, Worker
from ingestion.turns import Places, limit_places
from tests.conftest import Person
from tests.ingestion.helpers import upload

pytestmark = pytest.mark.django_db(transaction=True)
ELSEWHERE = "another-machine/4026531836:7:1"


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tasks.process_file, "delay", lambda workspace, file: found.append(file))
    return found


@pytest.fixture
def dead_process() -> str:
    """The name of a process of this machine that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        name = f"{workers.identify_machine()}:{process.pid}:{workers.read_start_time(process.pid)}"
        assert not workers.is_dead(name)
        process.kill()
    return name


@pytest.fixture
def claim_as(alice: Person, contract: Contract, service: Scope) -> Callable[[str], File]:
    """A file that a process claimed."""

    def claim(process: str) -> File:
        file = upload(alice, contract, f"{uuid4()}.txt", b"The plan of the quay.").json()["id"]
        assert claims.claim_file(alice.scope.workspace, file)
        with service.open():
            if process:
                File.objects.filter(pk=file).update(worker=process)
            return File.objects.get(pk=file)

    return claim


def test_only_claims_of_dead_processes_of_this_machine_are_released(
    alice: Person,
    service: Scope,
    settings: Any,
    woken: list[str],
    claim_as: Callable[[str], File],
    dead_process: str,
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 0
    ours, theirs, lost = claim_as(""), claim_as(ELSEWHERE), claim_as(dead_process)
    assert ours.worker == workers.identify_process()
    woken.clear()
    assert workers.release_dead_claims(alice.scope.workspace) == 1
    with service.open():
        states = dict(File.objects.values_list("pk", "state"))
    assert states == {ours.pk: State.PROCESSING, theirs.pk: State.PROCESSING, lost.pk: State.PENDING}
    assert woken == [str(lost.pk)]
    assert claims.claim_file(alice.scope.workspace, lost.pk)
    assert workers.release_dead_claims(alice.scope.workspace) == 0, "it has another process now"


def test_a_process_with_the_id_of_a_dead_one_is_another() -> None:
    assert workers.is_dead(f"{workers.identify_machine()}:{os.getpid()}:1")
    assert not workers.is_dead(workers.identify_process())
    assert not workers.is_dead(ELSEWHERE)


def test_the_watch_releases_claims_when_a_process_has_ended(
    service: Scope,
    settings: Any,
    woken: list[str],
    claim_as: Callable[[str], File],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 0
    watch = workers.ProcessWatch(2)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.setattr(workers, "list_children", lambda: [process.pid])
        file = claim_as(f"{workers.identify_machine()}:{process.pid}:{workers.read_start_time(process.pid)}")
        watch.look()
        watch.look()
        with service.open():
            assert File.objects.get(pk=file.pk).state == State.PROCESSING
        process.kill()
    watch.look()
    with service.open():
        assert File.objects.get(pk=file.pk).state == State.PENDING


def test_a_claim_that_ends_further_ahead_than_a_lease_is_void(
    alice: Person, contract: Contract, service: Scope, settings: Any, woken: list[str], claim_as: Callable[[str], File]
) -> None:
    """The clock was set back after it was made."""
    settings.CLEARANCE_FILES_AT_ONCE = 1
    file = claim_as("")
    other = upload(alice, contract, "other.txt", b"Another plan.").json()["id"]
    assert claims.claim_file(alice.scope.workspace, other) is None
    with service.open():
        File.objects.filter(pk=file.pk).update(
            claimed_until=Now() + timedelta(hours=1), woken_at=Now() - timedelta(hours=1)
        )
        assert tasks.wake_stale_files() == [file.pk]
    assert claims.claim_file(alice.scope.workspace, other)


def test_places_are_those_of_all_living_processes(service: Scope, settings: Any) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = None
    with service.open():
        assert limit_places() == Places(3, 2, 2), "of a worker that has not started"
        workers.report_worker(6)
        Worker.objects.create(process=ELSEWHERE, processes=6, reported_at=Now())
        assert limit_places() == Places(12, 11, 11)
        Worker.objects.filter(process=ELSEWHERE).update(reported_at=Now() - timedelta(minutes=1))
        assert limit_places() == Places(6, 5, 5)
        settings.CLEARANCE_FILES_AT_ONCE = 0
        assert limit_places() == Places(None)
