"""A note beside a drop: how long two lines take while many files of somebody else are worked on."""

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection

from entities.access import Scope
from entities.actions import add_member, create_role, create_workspace
from entities.models import Entity, User, Workspace
from ingestion.actions import upload_file
from ingestion.models import File, State
from retrieval.bench.end_to_end import UNFINISHED, count_unfinished
from retrieval.bench.ingest import open_upload_record
from retrieval.bench.papers import build_paper
from retrieval.bench.timing import BenchRow
from retrieval.bench.workers import process_until_stopped, start_workers
from retrieval.bench.world import remove_world

PAGES = (1, 2, 3, 8, 20)
"""Of the files of the drop, in turns."""
SETTLING_SECONDS = 3.0
LONGEST_SECONDS = 600.0


def measure_drop(files: int, notes: int) -> list[BenchRow]:
    """files: of the drop. notes: that are sent one after the other, alone and then beside it."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    processes = int(settings.CELERY_WORKER_CONCURRENCY)
    try:
        with tempfile.TemporaryDirectory() as folder, open_upload_record(workspace.pk):
            stop = Path(folder) / "stop"
            dropping, noting = add_senders(workspace)
            with start_workers(processes, connection.settings_dict) as pool:
                work = [pool.submit(process_until_stopped, workspace.pk, str(stop)) for _ in range(processes)]
                try:
                    send_notes(noting, work, "warm", processes)
                    alone = send_notes(noting, work, "alone", notes)
                    batch = uuid4()
                    for number in range(files):
                        content = build_paper(PAGES[number % len(PAGES)], seed=number).content
                        send_file(dropping, f"{number}.pdf", content, batch)
                    time.sleep(SETTLING_SECONDS)
                    beside = send_notes(noting, work, "beside", notes)
                    waiting = count_unfinished(workspace.pk)
                finally:
                    stop.touch()
                for worker in work:
                    worker.result()
    finally:
        remove_world(workspace.pk)
    ratio = median(beside) / median(alone)
    return [
        BenchRow(f"drop: files of {files} that wait behind the last note", waiting, "more than none", waiting > 0),
        BenchRow("drop: seconds until a note is ready, alone", median(alone)),
        BenchRow(f"drop: seconds beside {files} files", median(beside)),
        BenchRow("drop: seconds of the slowest note", max(beside)),
        BenchRow("drop: times as long", ratio, "at most 2", ratio <= 2),
    ]


def add_senders(workspace: Workspace) -> list[Scope]:
    """Two members: files of whoever has fewer at work come first."""
    with Scope.for_service(workspace.pk).open():
        role = create_role(workspace, "Bench", (), is_admin=True)
        users = [User.objects.create_user(f"bench-{workspace.pk}-{number}") for number in range(2)]
        for user in users:
            add_member(workspace, user, [role])
    return [Scope.for_user(user, workspace.slug) for user in users]


def send_file(sender: Scope, name: str, content: bytes, batch: UUID | None = None) -> UUID:
    with sender.open():
        entity = Entity.objects.get(name="Bench")
        return upload_file(scope=sender, entity=entity, upload=ContentFile(content, name=name), batch=batch).pk


def send_notes(sender: Scope, work: Sequence[Future[None]], name: str, count: int) -> list[float]:
    """Seconds from the upload of each until it is ready. work: of the processes. Raises what wait_for raises."""
    seconds = []
    for number in range(count):
        begun = time.perf_counter()
        note = f"{name} {number}: the crane came.\nIt stays.\n".encode()
        wait_for(send_file(sender, f"{name}-{number}.txt", note), sender.workspace, work)
        seconds.append(time.perf_counter() - begun)
    return seconds


def wait_for(file: UUID, workspace: int, work: Sequence[Future[None]]) -> None:
    """Until the file is ready. Raises RuntimeError where it ended otherwise, TimeoutError, and what ended a worker."""
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        with Scope.for_service(workspace).open():
            state = File.objects.values_list("state", flat=True).get(pk=file)
        if state == State.READY:
            return
        if state not in UNFINISHED:
            raise RuntimeError(f"The note ended as {state}.")
        for worker in work:
            if worker.done():
                worker.result()
        time.sleep(0.02)
    raise TimeoutError("The note was not ready.")
