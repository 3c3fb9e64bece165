"""Killed anywhere, at points of chance too: nothing is lost, doubled or half to be seen. CLEARANCE_KILLS: how many."""

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.db import Error, connection
from django.db.models.functions import Now
from psycopg import sql

from config.postgres import SUPERUSER, Cluster
from config.roles import APP, MQ
from entities.access import Scope
from entities.models import AuditEntry
from entities.types import Contract
from ingestion import pipeline, processing, publish, results, tasks
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, ContextRow, File, FileRevision, Paragraph, State, StepResult
from tests.conftest import Person
from tests.ingestion.helpers import texts, upload
from tests.processes import empty_queue

KILLS = int(os.environ.get("CLEARANCE_KILLS") or 8)
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300 + 20 * KILLS)]

SIGKILL = -9
# A file of REPORT takes about so many statements; where there are fewer, it is finished and not killed.
STATEMENTS, OF_UPLOAD = 75, 35


def let_claims_run_out(service: Scope) -> None:
    with service.open():
        File.objects.filter(claimed_until__isnull=False).update(claimed_until=Now() - timedelta(seconds=1))


def assert_whole(service: Scope, reader: Person, file: str) -> None:
    assert len(texts(reader, file)) == 6
    with service.open():
        assert FileRevision.objects.filter(file=file).count() == 1
        assert Paragraph.objects.filter(file=file).count() == 6
        rows = list(ContextRow.objects.filter(file=file).values_list("kind", "text", "data_classification"))
        assert rows
        assert len(rows) == len(set(rows))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM ingestion_vector v JOIN ingestion_file f ON f.number = v.file WHERE f.id = %s",
                [file],
            )
            assert cursor.fetchone()[0] == len(rows)
        assert not StepResult.objects.filter(revision__file=file).exists()
        assert AuditEntry.objects.filter(action="file.indexed", object_id=file).count() == 1


def assert_nothing_half(service: Scope, reader: Person, file: str) -> None:
    """Either all of it is there, or nothing of it can be read or found."""
    state = reader.api.get(f"/api/files/{file}/").json()["state"]
    if state == State.READY:
        return assert_whole(service, reader, file)
    assert state in (State.PENDING, State.PROCESSING)
    assert reader.api.get(f"/api/files/{file}/reader/").status_code == 404
    with service.open():
        assert not ContextRow.objects.filter(file=file).exists()
        assert not Paragraph.objects.filter(file=file).exists()


def test_workers_killed_at_points_of_chance(
    alice: Person, viewer: Person, contract: Contract, service: Scope, killed: Callable[[str, int, object], int]
) -> None:
    chance = random.Random("workers")
    workspace, kills = alice.scope.workspace, 0
    while kills < KILLS:
        file = upload(alice, contract, f"report {kills}.md").json()["id"]
        for _ in range(4):  # after six attempts without an end a file is given up
            status = killed(f"statement:{chance.randrange(2, STATEMENTS)}", workspace, file)
            assert status in (0, SIGKILL)
            assert_nothing_half(service, alice, file)
            let_claims_run_out(service)
            kills += 1
            if status == 0:
                break
        process_all_waiting(workspace)
        assert_whole(service, alice, file)


def test_web_servers_killed_at_points_of_chance_within_an_upload(
    alice: Person, contract: Contract, service: Scope, killed: Callable[[str, int, object], int]
) -> None:
    chance, token = random.Random("web"), alice.api._credentials["HTTP_AUTHORIZATION"].split()[1]
    workspace = alice.scope.workspace
    for _ in range(max(2, KILLS // 2)):
        killed(f"upload:{chance.randrange(2, OF_UPLOAD)}:{token}", workspace, contract.pk)
        with service.open():
            files = list(File.objects.values_list("pk", "pending_revision"))
            assert len(files) <= 1
            assert FileRevision.objects.count() == len(files)
            assert Blob.objects.count() == len(files)
            assert all(pending for _, pending in files)
        # Whoever got no answer sends it again.
        sent = upload(alice, contract)
        assert sent.status_code == 202
        process_all_waiting(workspace)
        assert_whole(service, alice, sent.json()["id"])
        assert alice.api.delete(f"/api/files/{sent.json()['id']}/?forever=1").status_code == 204
        with service.open():
            assert not Blob.objects.exists()


@pytest.fixture
def lasting(cluster: Cluster) -> Iterator[None]:
    """What is committed is in the log, as in a real installation: test clusters are quicker and may lose it."""
    set_lasting(cluster, "on")
    connection.close()
    yield
    set_lasting(cluster, "off")
    connection.close()


def set_lasting(cluster: Cluster, value: str) -> None:
    with psycopg.connect(cluster.url(SUPERUSER), autocommit=True) as server:
        server.execute(
            sql.SQL("ALTER ROLE {} SET synchronous_commit = {}").format(sql.Identifier(APP), sql.Literal(value))
        )


def kill_database(cluster: Cluster) -> None:
    process = cluster.process()
    assert process is not None
    process.kill()
    process.wait(20)


def test_the_database_killed_while_a_file_is_worked_on(
    alice: Person, contract: Contract, service: Scope, cluster: Cluster, lasting: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a result is kept, and in the middle of publishing: the worker is left with a dead connection."""
    monkeypatch.setattr(pipeline, "SAVE_AFTER_SECONDS", 0.0)
    workspace = alice.scope.workspace
    places = [(results, "save_result"), (publish, "finish_publication")]
    file = upload(alice, contract).json()["id"]
    chance = random.Random("database")
    for place, name in [*places, *(chance.choice(places) for _ in range(KILLS // 16))]:
        with monkeypatch.context() as patch:
            original = getattr(place, name)
            patch.setattr(place, name, killing(cluster, original, chance.randrange(3) if name == "save_result" else 0))
            with suppress(Error):
                processing.process_file(workspace, UUID(file))
        assert cluster.process() is None
        connection.close()
        cluster.restart()
        assert_nothing_half(service, alice, file)
        let_claims_run_out(service)
    process_all_waiting(workspace)
    assert_whole(service, alice, file)


def killing(cluster: Cluster, original: Callable[..., object], after: int) -> Callable[..., object]:
    calls = 0

    def kill_first(*given: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == after + 1:
            kill_database(cluster)
        return original(*given, **named)

    return kill_first


def test_an_emptied_broker_loses_nothing(alice: Person, contract: Contract, service: Scope, cluster: Cluster) -> None:
    files = [upload(alice, contract, f"report {n}.md").json()["id"] for n in range(3)]
    assert waiting(cluster) >= 3
    empty_queue(cluster)
    tasks.sweep()
    assert waiting(cluster) == 0  # they have not waited long enough to count as lost
    with service.open():
        File.objects.update(woken_at=Now() - tasks.FORGOTTEN - timedelta(seconds=1))
    tasks.sweep()
    assert waiting(cluster) >= 3
    tasks.sweep()
    again = waiting(cluster)
    assert again < 6, "a file that has just been woken is not woken again"
    for file in files * 2:  # a message may come twice
        tasks.process_file(alice.scope.workspace, file)
        assert_whole(service, alice, file)
    empty_queue(cluster)


def waiting(cluster: Cluster) -> int:
    """Messages in the broker's queue."""
    queue = sql.Identifier("pgmq", "q_" + re.sub(r"\W", "_", settings.CELERY_TASK_DEFAULT_QUEUE))
    with psycopg.connect(cluster.url(MQ)) as broker:
        row = broker.execute(sql.SQL("SELECT count(*) FROM {}").format(queue)).fetchone()
        assert row is not None
        return int(row[0])
