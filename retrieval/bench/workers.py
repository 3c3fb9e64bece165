"""Processes that do the product's work in a measurement. They come here before Django is set up, so nothing of it may
be imported on the way.
"""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier


@contextmanager
def start_workers(count: int, database: Mapping[str, object]) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that have loaded what they need. database: the settings of the connection."""
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(count)
    with ProcessPoolExecutor(count, context, _set_up_worker, (together, dict(database))) as pool:
        for started in [pool.submit(embed_texts, ["warm"]) for _ in range(count)]:
            started.result()
        yield pool


def _set_up_worker(together: Barrier, database: Mapping[str, object]) -> None:
    import django

    django.setup()
    from django.db import connection

    from ingestion.workers import load_libraries

    load_libraries()
    connection.settings_dict.update(database)
    together.wait(120)  # else one of them would do what all were started for


def embed_texts(texts: Sequence[str]) -> None:
    from ingestion.embed import get_default_model, get_embedder

    get_embedder(get_default_model()).embed_documents(list(texts))


def process_until_stopped(workspace: int, stop: str) -> None:
    """Works on the files whose turn it is, until there is a file named `stop`."""
    import time
    from pathlib import Path

    from entities.access import Scope
    from ingestion.queueing import wake_next
    from ingestion.tasks import process_file
    from ingestion.turns import FREE, list_woken

    while not Path(stop).exists():
        with Scope.for_service(workspace).open():
            file = list_woken().filter(FREE).order_by("?").values_list("pk", flat=True).first()
        if file is None:
            wake_next(workspace)
            time.sleep(0.02)
        else:
            process_file(workspace, str(file))
