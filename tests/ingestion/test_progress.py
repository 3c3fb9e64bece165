"""What a person is told of a drop of many files, and how workers share themselves between workspaces."""

import random
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from entities.access import Scope
from entities.types import Contract
from ingestion import claims, queueing, tasks
from ingestion.inline import process_all_waiting
from ingestion.models import File, FileRevision, Stage, State
from pulse.claims import LONGEST_BATCH, claim_due
from pulse.models import Variant
from pulse.staleness import keep_variants
from tests.conftest import Person
from tests.fuzz.recipe import Kit
from tests.fuzz.seeds import mail
from tests.ingestion.helpers import ready, upload

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = str(uuid4())
WHILE = timedelta(hours=1)
STAGES = ("extract", "classify", "segment", "chunk", "embed")


def drop(person: Person, contract: Contract, count: int, batch: str) -> list[str]:
    made = [upload(person, contract, f"{n}.txt", f"Gate {n} is green.".encode(), batch=batch) for n in range(count)]
    assert {answer.status_code for answer in made} == {202}
    return [answer.json()["id"] for answer in made]


def panel(person: Person, contract: Contract) -> str:
    answer = person.client.get(f"{person.base}entities/{contract.pk}/files/batch/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def fail(service: Scope, file: str, code: str = "gave_up", state: State = State.FAILED) -> None:
    with service.open():
        File.objects.filter(pk=file).update(state=state, error_code=code, error_detail="It broke.", error_page=3)


def test_a_batch_is_counted_together_and_its_failures_are_tried_again_together(
    alice: Person, staff: Person, viewer: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    batch = str(uuid4())
    files = drop(alice, contract, 4, batch)
    assert "0 of 4 files done" in panel(alice, contract)
    assert "data-live" in panel(alice, contract)
    process_all_waiting(alice.scope.workspace)
    assert "4 of 4 files done" in panel(alice, contract)
    assert "data-live" not in panel(alice, contract)
    upload(alice, contract, "4.txt", b"Another.", batch=batch)
    with service.open():
        File.objects.filter(pk=files[0]).update(pending_revision=FileRevision.objects.get(file=files[0]).pk)
        File.objects.filter(pk=files[1]).update(pending_revision=FileRevision.objects.get(file=files[1]).pk)
        FileRevision.objects.filter(file=files[0]).update(cost=Decimal("0.25"))
    fail(service, files[0])
    fail(service, files[1], "corrupt", State.QUARANTINED)  # trying again will not help
    shown = panel(alice, contract)
    assert "4 of 5 files done" in shown
    assert "2 could not be read" in shown
    assert "0.25" in shown
    assert "Try the failed one again" in shown
    assert f'name="batch" value="{batch}"' in shown
    assert alice.client.post(f"{alice.base}entities/{contract.pk}/files/retry/", {"batch": batch}).status_code == 302
    with service.open():
        assert File.objects.get(pk=files[0]).state == State.PENDING
        assert File.objects.get(pk=files[1]).state == State.QUARANTINED
    # Others are told nothing of it, and try nothing of it again.
    fail(service, files[0])
    assert "files done" not in panel(staff, contract)
    again = f"/api/entities/{contract.pk}/files/retry/"
    staff.client.post(f"{staff.base}entities/{contract.pk}/files/retry/", {"batch": batch})
    assert staff.api.post(again, {"batch": batch}).json() == {"retried": 0}
    assert viewer.api.post(again, {"batch": batch}).status_code == 403
    assert outsider.api.post(again, {"batch": batch}).status_code == 404
    assert alice.api.post(again, {"batch": "many"}).status_code == 400
    with service.open():
        assert File.objects.get(pk=files[0]).state == State.FAILED
    answer = alice.api.post(again, {"batch": batch})
    assert (answer.status_code, answer.json()) == (202, {"retried": 1})
    with service.open():
        assert File.objects.get(pk=files[0]).state == State.PENDING


def test_failures_of_a_batch_are_told_until_they_are_tried_again(
    alice: Person, contract: Contract, service: Scope
) -> None:
    """However long it was worked on, and whatever was sent after it."""
    first = drop(alice, contract, 4, str(uuid4()))
    process_all_waiting(alice.scope.workspace)
    with service.open():
        FileRevision.objects.update(fetched_at=Now() - WHILE)
    assert "4 of 4 files done" in panel(alice, contract), "its last file has ended just now"
    with service.open():
        File.objects.update(updated_at=Now() - WHILE)
    assert "files done" not in panel(alice, contract)
    with service.open():
        File.objects.filter(pk=first[0]).update(pending_revision=FileRevision.objects.get(file=first[0]).pk)
    fail(service, first[0])
    assert "Try the failed one again" in panel(alice, contract)
    for name in ("a.txt", "b.txt"):
        upload(alice, contract, name, f"What {name} says.".encode(), batch=SECOND)
    assert "0 of 2 files done" in panel(alice, contract)
    process_all_waiting(alice.scope.workspace)
    assert "Try the failed one again" in panel(alice, contract)
    upload(alice, contract, "alone.txt", b"Alone.", batch=str(uuid4()))
    assert "Try the failed one again" in panel(alice, contract)


def test_a_batch_is_a_uuid(alice: Person, contract: Contract) -> None:
    assert upload(alice, contract, batch="many").status_code == 400


def test_a_form_without_scripts_sends_one_batch(alice: Person, contract: Contract, service: Scope) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    sent = [SimpleUploadedFile(f"{n}.txt", b"Text.") for n in range(3)]
    assert alice.client.post(f"{alice.base}entities/{contract.pk}/files/upload/", {"file": sent}).status_code == 302
    with service.open():
        assert len(set(FileRevision.objects.values_list("batch", flat=True))) == 1
        assert FileRevision.objects.filter(batch__isnull=False).count() == 3


def test_what_is_read_now_is_told_to_who_sent_the_file(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = upload(alice, contract, "new.txt", b"The new plan.").json()["id"]
    with service.open():
        File.objects.filter(pk=file).update(
            state=State.PROCESSING,
            stage=Stage.EXTRACT,
            page=12,
            page_count=40,
            claimed_until=Now() + WHILE,
        )
    row = f"files/{file}/row/"
    shown = alice.client.get(alice.base + row).content.decode()
    assert "page 12 of 40" in shown
    assert "min left" not in shown
    others = viewer.client.get(viewer.base + row).content.decode()
    assert "page 12" not in others
    assert "left" not in others


def test_what_came_in_a_message_comes_with_its_row(alice: Person, contract: Contract) -> None:
    message = mail(Kit(random.Random(1), "", 0), ("plan.txt", b"The attached plan."))
    file = ready(alice, contract, "letter.eml", message)
    shown = alice.client.get(f"{alice.base}files/{file}/row/").content.decode()
    row, came = shown.split("<template data-came>")
    assert "plan.txt" in came
    assert "plan.txt" not in row


def test_a_long_queue_of_one_workspace_leaves_room_for_another(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    """The broker holds few of a workspace's files at a time; each that ends wakes the next."""
    settings.CLEARANCE_FILES_AT_ONCE = 0
    woken: list[str] = []
    monkeypatch.setattr(tasks.process_file, "delay", lambda workspace, file: woken.append(file))
    files = drop(alice, contract, queueing.QUEUED_AT_ONCE + 3, str(uuid4()))
    assert woken == files[: queueing.QUEUED_AT_ONCE]
    tasks.process_file(alice.scope.workspace, woken[0])
    assert woken[queueing.QUEUED_AT_ONCE :] == files[queueing.QUEUED_AT_ONCE :][:1]
    while len(woken) < len(files):
        tasks.process_file(alice.scope.workspace, woken[len(woken) - queueing.QUEUED_AT_ONCE])
    assert woken == files
    # One that waits for its next try keeps nobody from being woken.
    with service.open():
        File.objects.update(claimed_until=Now() + WHILE)
    upload(alice, contract, "last.txt", b"The last one.")
    assert len(woken) == len(files) + 1


def test_a_workspace_has_so_many_files_at_work_and_no_more(
    alice: Person, contract: Contract, outsider: Person, service: Scope, settings
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 2
    workspace = alice.scope.workspace
    files = drop(alice, contract, 3, str(uuid4()))
    first, second = claims.claim_file(workspace, files[0]), claims.claim_file(workspace, files[1])
    assert first is not None
    assert second is not None
    assert claims.claim_file(workspace, files[2]) is None
    with service.open():
        assert File.objects.get(pk=files[2]).woken_at is None  # it is woken when one of those ends
    claims.end_file(first, State.FAILED, "failed", "It broke.")
    assert claims.claim_file(workspace, files[2]) is not None
    settings.CLEARANCE_FILES_AT_ONCE = 0
    assert claims.claim_file(workspace, upload(alice, contract, "x.txt", b"x").json()["id"]) is not None


def test_a_file_that_finds_its_workspace_at_work_sleeps_until_one_ends(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 2
    woken: list[str] = []
    monkeypatch.setattr(tasks.process_file, "delay", lambda workspace, file: woken.append(file))
    workspace = alice.scope.workspace
    files = drop(alice, contract, 4, str(uuid4()))
    assert woken == files[:2]
    with service.open():
        File.objects.update(woken_at=None)  # as those that a command works on, of which nobody told a worker
    first, second = claims.claim_file(workspace, files[0]), claims.claim_file(workspace, files[1])
    assert first is not None
    assert second is not None
    for _ in range(3):  # the broker delivers it again and again
        tasks.process_file(workspace, files[2])
    tasks.sweep()
    assert woken == files[:2]
    claims.end_file(first, State.FAILED, "failed", "It broke.")
    tasks.sweep()  # the worker was killed before it could wake the next
    assert woken == files[:3]
    tasks.process_file(workspace, files[2])
    assert woken == files


def test_files_whose_wait_is_over_are_sent_a_few_at_a_time(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    settings.CLEARANCE_FILES_AT_ONCE = 2
    woken: list[str] = []
    monkeypatch.setattr(tasks.process_file, "delay", lambda workspace, file: woken.append(file))
    files = drop(alice, contract, 4, str(uuid4()))
    with service.open():
        File.objects.update(woken_at=Now() - WHILE, claimed_until=Now() + WHILE)
    woken.clear()
    tasks.sweep()
    assert woken == [], "they wait"
    with service.open():
        File.objects.update(claimed_until=Now() - timedelta(seconds=1))
    tasks.sweep()
    assert woken == files[:2]
    for file in files:
        tasks.process_file(alice.scope.workspace, file)
    assert woken == files


def test_the_pulse_of_a_record_waits_for_the_batch(alice: Person, contract: Contract, service: Scope) -> None:
    process_all_waiting(alice.scope.workspace)
    drop(alice, contract, 2, str(uuid4()))
    with service.open():
        keep_variants([contract.pk])
        Variant.objects.update(due_at=Now() - timedelta(seconds=1), claim=None, claimed_until=None)
        assert claim_due() == []
        Variant.objects.update(due_at=Now() - timedelta(seconds=LONGEST_BATCH + 1))
        assert claim_due()
        Variant.objects.update(due_at=Now() - timedelta(seconds=1), claim=None, claimed_until=None)
    process_all_waiting(alice.scope.workspace)
    with service.open():
        Variant.objects.update(due_at=Now() - timedelta(seconds=1), claim=None, claimed_until=None)
        assert claim_due()


def test_an_accepted_upload_is_answered_even_if_waking_fails(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(workspace: int) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(queueing, "take_sleeping", away)
    assert upload(alice, contract).status_code == 202
