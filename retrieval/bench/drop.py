"""A note beside a drop: how long two lines take while many files of somebody else are worked on."""

import tempfile
import time
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection

from entities.access import Scope
from entities.actions import create_workspace
from entities.models import Entity
from ingestion.actions import upload_file
from ingestion.models import File
from retrieval.bench.end_to_end import UNFINISHED, count_unfinished
from retrieval.bench.ingest import Put, record
from retrieval.bench.papers import paper
from retrieval.bench.timing import Row
from retrieval.bench.workers import work_through, workers
from retrieval.bench.world import remove

PAGES = (1, 2, 3, 8, 20)
"""Of the files of the drop, in turns."""
SETTLING_SECONDS = 3.0
LONGEST_SECONDS = 600.0


def measure(files: int, notes: int) -> list[Row]:
    """files: of the drop. notes: that are sent one after the other, alone and then beside it."""
    workspace = create_workspace(slug=f"bench-{uuid4().hex[:8]}", name="Bench")
    processes = int(settings.CELERY_WORKER_CONCURRENCY)
    try:
        with tempfile.TemporaryDirectory() as folder, record(workspace.pk) as put:
            stop = Path(folder) / "stop"
            with workers(processes, connection.settings_dict) as pool:
                work = pool.map(work_through, repeat(workspace.pk, processes), repeat(str(stop), processes))
                try:
                    send_notes(workspace.pk, put, "warm", processes)
                    alone = send_notes(workspace.pk, put, "alone", notes)
                    batch = uuid4()
                    for number in range(files):
                        content = paper(PAGES[number % len(PAGES)], seed=number).content
                        send_file(workspace.pk, f"{number}.pdf", content, batch)
                    time.sleep(SETTLING_SECONDS)
                    beside = send_notes(workspace.pk, put, "beside", notes)
                    waiting = count_unfinished(workspace.pk)
                finally:
                    stop.touch()
                list(work)
    finally:
        remove(workspace.pk)
    ratio = median(beside) / median(alone)
    return [
        Row(f"drop: files of {files} that wait behind the last note", waiting, "more than none", waiting > 0),
        Row("drop: seconds until a note is ready, alone", median(alone)),
        Row(f"drop: seconds beside {files} files", median(beside)),
        Row("drop: seconds of the slowest note", max(beside)),
        Row("drop: times as long", ratio, "at most 2", ratio <= 2),
    ]


def send_file(workspace: int, name: str, content: bytes, batch: UUID) -> None:
    service = Scope.for_service(workspace)
    with service.open():
        entity = Entity.objects.get(name="Bench")
        upload_file(scope=service, entity=entity, upload=ContentFile(content, name=name), batch=batch)


def send_notes(workspace: int, put: Put, name: str, count: int) -> Sequence[float]:
    """Seconds from the upload of each to its end. Raises TimeoutError."""
    seconds = []
    for number in range(count):
        begun = time.perf_counter()
        wait_for(workspace, put(f"{name}-{number}.txt", f"{name} {number}: the crane came.\nIt stays.\n".encode()))
        seconds.append(time.perf_counter() - begun)
    return seconds


def wait_for(workspace: int, file: UUID) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        with Scope.for_service(workspace).open():
            if not File.objects.filter(pk=file, state__in=UNFINISHED).exists():
                return
        time.sleep(0.02)
    raise TimeoutError("The note was not ready.")
