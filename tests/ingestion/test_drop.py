"""A drop of many files, sent as the page sends it: none is lost or done twice, nobody else waits for them, and the
Pulses above are marked once. Of CLEARANCE_DROP files, 24 unless it says otherwise.
"""

import os
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from entities.access import Scope
from entities.actions import create_entity
from entities.models import AuditEntry, Entity
from entities.types import Contract, Project
from ingestion import tasks
from ingestion.claims import UNFINISHED
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Kind, Paragraph, State
from pulse.models import Variant
from pulse.staleness import keep_variants
from tests.conftest import Person
from tests.ingestion.helpers import upload
from tests.processes import wait_for

BASE = Path(__file__).parents[2]
FILES = int(os.environ.get("CLEARANCE_DROP") or 24)
LONG = 60.0 + 10.0 * FILES
AT_ONCE = int(re.findall(r"const AT_ONCE = (\d+);", (BASE / "static/js/upload.js").read_text())[0])
WORKERS, CAP = 3, 2  # as the default is

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(4 * LONG)]


def send(who: Person, record: Entity, texts: list[str]) -> list[str]:
    """What upload.js does with a drop: each file in a request of its own, a few at a time, of one batch."""
    batch, own = str(uuid4()), threading.local()

    def one(text: str) -> str:
        if not hasattr(own, "client"):
            own.client = Client()
            own.client.force_login(who.user)
        body = {"file": SimpleUploadedFile(f"{text}.txt", f"{text} is open.\n".encode()), "batch": batch}
        try:
            answer = own.client.post(f"{who.base}entities/{record.pk}/files/upload/", body, headers={"HX-Request": "1"})
        finally:
            connection.close()
        assert answer.status_code == 202, answer.content
        (found,) = re.findall(r'id="file-([0-9a-f-]{36})"', answer.content.decode())
        return str(found)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, texts))


@contextmanager
def working() -> Iterator[list[str]]:
    """A broker that gives what came first, and workers that take from it. Yields the files that it was told of."""
    queue: SimpleQueue[tuple[int, str] | None] = SimpleQueue()
    told: list[str] = []

    def send(workspace: int, file: str) -> None:
        told.append(file)
        queue.put((workspace, file))

    def work() -> None:
        while (given := queue.get()) is not None:
            tasks.process_file(*given)
            connection.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks.process_file, "delay", send)
        threads = [threading.Thread(target=work) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        try:
            yield told
        finally:
            for _ in threads:
                queue.put(None)
            for thread in threads:
                thread.join()


@dataclass
class Seen:
    """Of many looks at the database: the most files at work, and when each Pulse was said to be due and stale."""

    working: int = 0
    marks: dict[Any, set[Any]] = field(default_factory=dict)


@contextmanager
def watched(service: Scope) -> Iterator[Seen]:
    seen, over = Seen(), threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            with service.open():
                claimed = File.objects.filter(state=State.PROCESSING, claim__isnull=False, claimed_until__gte=Now())
                seen.working = max(seen.working, claimed.count())
                for variant, *mark in Variant.objects.values_list("pk", "due_at", "stale_since"):
                    seen.marks.setdefault(variant, set()).add(tuple(mark))
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def unfinished(service: Scope) -> int:
    with service.open():
        return File.objects.filter(state__in=UNFINISHED).count()


@pytest.fixture
def project(alice: Person, contract: Contract, service: Scope) -> Entity:
    """A part of the contract; the Pulses of both are there, and nothing of them is due."""
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay wall", "contract": contract})
    process_all_waiting(alice.scope.workspace)
    with service.open():
        keep_variants([contract.pk, made.pk])
        Variant.objects.update(due_at=None, stale_since=None)
    return made


def test_of_a_drop_nothing_is_lost_and_nobody_else_waits_for_it(
    alice: Person,
    viewer: Person,
    outsider: Person,
    contract: Contract,
    project: Entity,
    service: Scope,
    settings: Any,
) -> None:
    with outsider.scope.open():
        elsewhere = create_entity(scope=outsider.scope, model=Contract, fields={"name": "Pier", "counterparty": "Port"})
    settings.CLEARANCE_FILES_AT_ONCE = CAP
    texts = [f"Gate {number}" for number in range(FILES)]
    begun = time.monotonic()
    with watched(service) as seen, working() as told:
        files = send(alice, project, texts)
        sent = time.monotonic()
        before = unfinished(service)
        theirs = upload(outsider, elsewhere, "pier.txt", b"The pier is closed.").json()["id"]
        wait_for(lambda: outsider.api.get(f"/api/files/{theirs}/").json()["state"] == "ready", "the other file", LONG)
        left = unfinished(service)
        # What people look at meanwhile answers; who did not send it is told nothing of it.
        assert f"of {FILES} files done" in panel(alice, project)
        assert "files done" not in panel(viewer, project)
        wait_for(lambda: unfinished(service) == 0, "the drop", LONG)
    print(f"{FILES} files sent in {sent - begun:.1f} s, ready after {time.monotonic() - begun:.1f} s")

    assert before > 4 * CAP, "the worker was faster than the drop, and this test showed nothing"
    assert left > 0, "another workspace's file was ready first"
    assert before - left <= 3 * CAP, "it waited for no more than were in the broker's queue"
    assert 0 < seen.working <= CAP
    assert len(told) <= FILES + 1 + CAP, "no file is sent to and fro while its workspace has as many at work as it may"

    assert len(set(files)) == FILES
    with service.open():
        assert set(File.objects.values_list("state", flat=True)) == {State.READY}
        assert {str(pk) for pk in File.objects.values_list("pk", flat=True)} == set(files)
        assert FileRevision.objects.count() == FILES
        assert sorted(Paragraph.objects.values_list("text", flat=True)) == sorted(f"{text} is open." for text in texts)
        assert ContextRow.objects.filter(kind=Kind.FILE_CHUNK).count() == FILES
        published = AuditEntry.objects.filter(action="file.indexed").values_list("object_id", flat=True)
        assert sorted(published) == sorted(files), "each exactly once"
    assert f"{FILES} of {FILES} files done" in panel(alice, project)

    # However many files came in, a Pulse was marked once: that of the record, and that of the one above it.
    with service.open():
        variants = dict(Variant.objects.values_list("pk", "entity"))
    assert set(variants.values()) == {project.pk, contract.pk}
    for variant in variants:
        assert len(seen.marks[variant] - {(None, None)}) == 1, seen.marks[variant]


def panel(who: Person, record: Entity) -> str:
    answer = who.client.get(f"{who.base}entities/{record.pk}/files/batch/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())
