"""The pipeline in as many processes as the product has workers, beside the same processes that do nothing but embed."""

import time
from collections import Counter
from collections.abc import Callable
from itertools import repeat
from uuid import UUID

from django.conf import settings
from django.db import connection

from entities.access import Scope
from ingestion.chunk import SEPARATOR, embedding_text
from ingestion.models import ContextRow, FileRevision, Stage, State
from retrieval.bench.papers import paper
from retrieval.bench.timing import Row
from retrieval.bench.workers import embed, work_on, workers

FEW, PAGES = 12, 10
"""Files, at most, and their pages."""


def end_to_end(workspace: int, put: Callable[[str, bytes], UUID], files: int) -> list[Row]:
    """put: uploads a file and gives its id.

    Embedding alone is given the texts of the same files, a file at a time, and keeps nothing.
    """
    sent = [put(f"{n}.pdf", paper(PAGES, seed=n).content) for n in range(min(FEW, files))]
    with workers(settings.CELERY_WORKER_CONCURRENCY, connection.settings_dict) as pool:
        begun = time.perf_counter()
        list(pool.map(work_on, repeat(workspace), sent))
        taken = time.perf_counter() - begun
        spent: Counter[str] = Counter()
        with Scope.for_service(workspace).open():
            ready = list(FileRevision.objects.filter(file__in=sent, file__state=State.READY).values_list("stages"))
            texts = [texts_of(pk) for pk in sent]
        for (stages,) in ready:
            spent.update({stage: seconds or 0 for stage, _, seconds in stages})
        begun = time.perf_counter()
        list(pool.map(embed, texts))
        alone = time.perf_counter() - begun
    slowest = spent.most_common(1)[0][0] if spent else ""
    share = alone / taken
    return [
        Row(f"end to end: files of {len(sent)} ready", len(ready), f"{len(sent)}", len(ready) == len(sent)),
        Row(f"end to end: pages/s of {settings.CELERY_WORKER_CONCURRENCY} workers", len(sent) * PAGES / taken),
        *(Row(f"end to end: seconds of workers in {stage}", seconds) for stage, seconds in spent.items()),
        Row("end to end: embedding takes longest", float(slowest == Stage.EMBED), "1", slowest == Stage.EMBED),
        Row("end to end: share of what embedding alone would allow", share, "at least 0.70", share >= 0.7),
    ]


def texts_of(file: UUID) -> list[str]:
    """What was embedded of a file. In an open service scope."""
    rows = ContextRow.objects.filter(file=file).values_list("heading_path", "text")
    return [embedding_text(path.split(SEPARATOR) if path else [], text) for path, text in rows]
