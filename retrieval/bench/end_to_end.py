"""The pipeline in as many processes as the product has workers, beside the same processes that do nothing but embed."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import connection

from entities.access import Scope
from ingestion.chunk import SEPARATOR, build_embedding_text
from ingestion.models import ContextRow, File, FileRevision, Stage, State
from retrieval.bench.papers import build_paper
from retrieval.bench.timing import BenchRow
from retrieval.bench.workers import embed_texts, process_until_stopped, start_workers

FEW, PAGES = 12, 10
"""Files, at most, and their pages."""
LONGEST_SECONDS = 1_800.0
UNFINISHED = (State.PENDING, State.PROCESSING)


def end_to_end(workspace: int, put: Callable[[str, bytes], UUID], files: int) -> list[BenchRow]:
    """put: uploads a file and gives its id.

    Embedding alone is given the texts of the same files, a file at a time, and keeps nothing.
    """
    count = int(settings.CELERY_WORKER_CONCURRENCY)
    with tempfile.TemporaryDirectory() as folder, start_workers(count, connection.settings_dict) as pool:
        stop = Path(folder) / "stop"
        sent = [put(f"{n}.pdf", build_paper(PAGES, seed=n).content) for n in range(min(FEW, files))]
        begun = time.perf_counter()
        work = pool.map(process_until_stopped, repeat(workspace, count), repeat(str(stop), count))
        try:
            while count_unfinished(workspace) and time.perf_counter() - begun < LONGEST_SECONDS:
                time.sleep(0.25)  # looking costs PostgreSQL time that the files need
        finally:
            stop.touch()
        taken = time.perf_counter() - begun
        list(work)
        spent: Counter[str] = Counter()
        with Scope.for_service(workspace).open():
            ready = list(FileRevision.objects.filter(file__in=sent, file__state=State.READY).values_list("stages"))
            texts = [load_texts(pk) for pk in sent]
        for (stages,) in ready:
            spent.update({stage: seconds or 0 for stage, _, seconds in stages})
        begun = time.perf_counter()
        list(pool.map(embed_texts, texts))
        alone = time.perf_counter() - begun
    slowest = spent.most_common(1)[0][0] if spent else ""
    share = alone / taken
    return [
        BenchRow(f"end to end: files of {len(sent)} ready", len(ready), f"{len(sent)}", len(ready) == len(sent)),
        BenchRow(f"end to end: pages/s of {count} workers", len(sent) * PAGES / taken),
        *(BenchRow(f"end to end: seconds of workers in {stage}", seconds) for stage, seconds in spent.items()),
        BenchRow("end to end: embedding takes longest", float(slowest == Stage.EMBED), "1", slowest == Stage.EMBED),
        BenchRow("end to end: share of what embedding alone would allow", share, "at least 0.75", share >= 0.75),
    ]


def count_unfinished(workspace: int) -> int:
    with Scope.for_service(workspace).open():
        return File.objects.filter(state__in=UNFINISHED).count()


def load_texts(file: UUID) -> list[str]:
    """What was embedded of a file. In an open service scope."""
    rows = ContextRow.objects.filter(file=file).values_list("heading_path", "text")
    return [build_embedding_text(path.split(SEPARATOR) if path else [], text) for path, text in rows]
