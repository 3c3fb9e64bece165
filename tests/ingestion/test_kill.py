"""A worker killed at any boundary loses nothing and repeats nothing that anybody could see."""

import signal
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from config.postgres import Cluster
from entities.access import Scope
from entities.models import AuditEntry
from entities.types import Contract
from ingestion import claims, tasks
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, ContextRow, File, FileRevision, Kind, Paragraph, State, StepResult
from ingestion.processing import process_file
from ingestion.results import save_result
from llm.models import ModelCall
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, SALARY, ready, texts, upload
from tests.ingestion.losing import Loses
from tests.processes import Server, empty_queue

pytestmark = pytest.mark.django_db(transaction=True)


Kill = Callable[[str, int, str], None]


@pytest.fixture
def kill(killed: Callable[[str, int, object], int]) -> Kill:
    """Run a worker until it is killed at a boundary."""

    def run(where: str, workspace: int, file: str) -> None:
        assert killed(where, workspace, file) == -signal.SIGKILL

    return run


def let_claims_run_out(service: Scope) -> None:
    with service.open():
        File.objects.filter(claim__isnull=False).update(claimed_until=Now() - timedelta(seconds=1))


BOUNDARIES = [
    "claim", "extract", "classify:0", "classify", "segment", "chunk", "embed:0", "embed", "publishing", "published",
]  # fmt: skip
# Two windows of the model, and more texts than the one a batch that killed workers take.
LONG = "\n\n".join(
    [*(f"Item {n} of the list of things." for n in range(205)), "The salary of the clerk is 31,000 euros."]
)


def assert_whole(service: Scope, viewer: Person, file: str, count: int) -> None:
    """The file is there once: paragraphs, passages, vectors, and nothing of the work on it."""
    assert len(texts(viewer, file)) == count
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 1
        assert Paragraph.objects.filter(file=file).count() == count
        rows = ContextRow.objects.filter(file=file)
        chunks = list(rows.filter(kind=Kind.FILE_CHUNK).values_list("text", flat=True))
        assert chunks
        assert len(chunks) == len(set(chunks))
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM ingestion_vector v JOIN ingestion_file f ON f.number = v.file")
            assert cursor.fetchone()[0] == rows.count()
        assert not StepResult.objects.exists()
        assert AuditEntry.objects.filter(action="file.indexed", object_id=file).count() == 1


def assert_waits_for_the_claim_to_run_out(service: Scope, workspace: int, file: str) -> None:
    assert not process_file(workspace, UUID(file)), "the claim of the killed worker still stands"
    let_claims_run_out(service)
    with service.open():
        File.objects.filter(pk=file).update(woken_at=Now() - timedelta(hours=1))
        assert [str(pk) for pk in tasks.wake_stale_files()] == [file]


def test_a_file_whose_workers_are_killed_at_every_boundary_in_turn_ends_ready(
    alice: Person, viewer: Person, contract: Contract, service: Scope, kill: Kill
) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract, "list.txt", LONG.encode()).json()["id"]
    kept: dict[str, int] = {}
    for where in BOUNDARIES:
        kill(where, workspace, file)
        if where == "published":
            break
        assert alice.api.get(f"/api/files/{file}/").json()["state"] == "processing"
        assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404
        with service.open():
            assert not ContextRow.objects.filter(file=file).exists()
            kept[where] = ModelCall.objects.filter(feature="classify").count()
        assert_waits_for_the_claim_to_run_out(service, workspace, file)
    assert kept == {where: {"claim": 0, "extract": 0, "classify:0": 1}.get(where, 2) for where in BOUNDARIES[:-1]}
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert not process_file(workspace, UUID(file))
    assert_whole(service, viewer, file, 206)


@pytest.mark.parametrize("where", ["classify", "publishing"])
def test_a_worker_killed_twice_at_one_place_loses_and_doubles_nothing(
    alice: Person, viewer: Person, contract: Contract, service: Scope, kill: Kill, where: str
) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract).json()["id"]
    kill("extract", workspace, file)
    for _ in range(2 if where == "publishing" else 1):
        assert_waits_for_the_claim_to_run_out(service, workspace, file)
        kill(where, workspace, file)
    assert_waits_for_the_claim_to_run_out(service, workspace, file)
    process_all_waiting(workspace)
    assert_whole(service, viewer, file, 6)
    with service.open():
        assert ModelCall.objects.filter(feature="classify").count() == 1


def test_a_web_server_killed_in_the_middle_of_an_upload_leaves_nothing_half_visible(
    alice: Person, contract: Contract, service: Scope, start_server: Callable[[], Server]
) -> None:
    server = start_server()
    incoming = Path(settings.FILE_UPLOAD_TEMP_DIR)
    others = set(incoming.iterdir())  # of uploads within this process, whose requests are not collected yet
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="plan.txt"\r\n\r\n'
        + b"The gate is green. " * 200_000
    )
    head = (
        f"POST /api/entities/{contract.pk}/files/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {2 * len(body)}\r\n"
        f"Authorization: {alice.api._credentials['HTTP_AUTHORIZATION']}\r\n"  # type: ignore[attr-defined]
        "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connected:
        connected.sendall(head.encode() + body)
        server.kill()
    with service.open():
        assert not File.objects.exists()
        assert not Blob.objects.exists()
    assert set(incoming.iterdir()) <= others
    assert texts(alice, ready(alice, contract, "plan.txt", b"The gate is green.")) == ["The gate is green."]


def test_a_killed_update_leaves_the_old_version_readable(
    alice: Person, contract: Contract, service: Scope, kill: Kill
) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract, content=b"The old plan.\n").json()["id"]
    process_all_waiting(workspace)
    upload(alice, contract, content=b"The new plan.\n")
    kill("publishing", workspace, file)
    assert texts(alice, file) == ["The old plan."]
    let_claims_run_out(service)
    process_all_waiting(workspace)
    assert texts(alice, file) == ["The new plan."]


def token_of(person: Person) -> str:
    return str(person.api._credentials["HTTP_AUTHORIZATION"].split()[1])  # type: ignore[attr-defined]


def test_a_web_server_killed_before_a_floor_is_raised_leaves_that_to_the_sweep(
    alice: Person, viewer: Person, contract: Contract, service: Scope, kill: Kill, cluster: Cluster
) -> None:
    workspace = alice.scope.workspace
    file = ready(alice, contract)
    kill(f"floor:{token_of(alice)}", workspace, str(contract.pk))
    with service.open():
        assert list(File.objects.values_list("floor", "pending_revision")) == [(0, None)]
    tasks.sweep()
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "pending"
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404, "what is there rises at once"
    process_all_waiting(workspace)
    tasks.sweep()  # nothing is left to be done
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert "More." in texts(alice, file)
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404
    with service.open():
        assert list(FileRevision.objects.order_by("number").values_list("floor", flat=True)) == [None, None]
        assert AuditEntry.objects.filter(action="file.indexed", object_id=file).count() == 2
    empty_queue(cluster)


def test_of_a_rejected_version_nothing_is_kept_where_the_web_server_was_killed(
    alice: Person, steward: Person, contract: Contract, service: Scope, kill: Kill, loses: Loses, cluster: Cluster
) -> None:
    workspace = alice.scope.workspace
    loses(lambda p: p.kind == "heading")
    files = [upload(alice, contract, name).json()["id"] for name in ("kept.md", "rejected.md")]
    process_all_waiting(workspace)
    with service.open():  # as looking at a page leaves it
        for revision in FileRevision.objects.all():
            save_result(workspace, revision.pk, "extract", "", 0, {"words": SALARY}, 0)
    kill(f"reject:{token_of(steward)}", workspace, files[1])
    assert alice.api.get(f"/api/files/{files[1]}/").json()["error"]["code"] == "rejected"
    tasks.sweep()
    with service.open():
        assert [str(pk) for pk in StepResult.objects.values_list("revision__file", flat=True)] == files[:1]
    empty_queue(cluster)


def test_a_file_that_kills_every_worker_ends_failed_and_can_be_tried_again(
    alice: Person, contract: Contract, service: Scope
) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract).json()["id"]
    for _ in range(claims.MAX_ATTEMPTS):
        assert claims.claim_file(workspace, file) is not None
        let_claims_run_out(service)
    assert claims.claim_file(workspace, file) is None
    shown = alice.api.get(f"/api/files/{file}/").json()
    assert (shown["state"], shown["error"]["code"]) == ("failed", "gave_up")
    assert alice.api.post(f"/api/files/{file}/retry/").status_code == 202
    process_all_waiting(workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"


def test_two_workers_never_have_one_file(alice: Person, contract: Contract) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract).json()["id"]
    first = claims.claim_file(workspace, file)
    assert first is not None
    assert claims.claim_file(workspace, file) is None
    claims.report_checkpoint(first, claims.Stage.EXTRACT, 10)
    # A newer upload takes it away from whoever is at the older one.
    upload(alice, contract, content=REPORT + b"\nMore.\n")
    with pytest.raises(claims.ClaimLost):
        claims.report_checkpoint(first, claims.Stage.EXTRACT, 20)
    claims.end_file(first, State.FAILED, "late", "Too late.")
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "pending"
    process_all_waiting(workspace)
    assert "More." in texts(alice, file)


def test_the_sweep_wakes_what_was_lost_and_not_what_is_worked_on(
    alice: Person, contract: Contract, service: Scope
) -> None:
    file = upload(alice, contract).json()["id"]
    with service.open():
        assert tasks.wake_stale_files() == []
        File.objects.update(woken_at=Now() - timedelta(minutes=3))
        assert [str(pk) for pk in tasks.wake_stale_files()] == [file]
        assert tasks.wake_stale_files() == []
    assert claims.claim_file(alice.scope.workspace, file) is not None
    with service.open():
        File.objects.update(woken_at=Now() - timedelta(minutes=3))
        assert tasks.wake_stale_files() == []


def test_a_broken_broker_does_not_refuse_a_file(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.process_file, "delay", refuse)
    assert upload(alice, contract).status_code == 202
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/entities/{contract.pk}/files/").json()["results"][0]["state"] == "ready"
