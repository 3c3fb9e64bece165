"""The limited process: reads its orders, gives up its rights, and only then opens the file.

It runs in a fresh interpreter, so nothing of the worker (connections, keys, other people's text) is in its memory.
Everything a task needs is imported before the rights are given up; the uploaded bytes are touched after.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingestion.sandbox import frames
from ingestion.sandbox.confine import confine_process, list_in_force, list_missing
from ingestion.sandbox.limits import MIB, Limits, Quarantined

EXIT_MEMORY = 77
EXIT_ERROR = 78
EXIT_WEAK = 79
"""Something that a file may not be opened without is missing here."""
ROWS_A_FRAME = 200
RARELY = (
    50_000,
    20,
    100,
)  # what a page is made of is kept or soon gone: looking for cycles in it took a third of the time

Task = Callable[..., dict[str, Any]]


def main() -> None:
    """Runs one task: `function(path, *, limits, report, **options) -> dict` (docs/sandbox.md, Writing a task)."""
    orders = json.loads(sys.stdin.buffer.read())
    out = _claim_stdout()
    limits = Limits(**orders["limits"])
    path = Path(orders["path"])

    def send_frame(kind: bytes, payload: bytes) -> None:
        out.write(frames.pack_header(kind, payload))
        out.write(payload)
        out.flush()

    def report_progress(stage: str, page: int | None = None, pages: int | None = None) -> None:
        send_frame(frames.PROGRESS, json.dumps([stage, page, pages]).encode())

    try:
        task = _load_task(orders["task"])
        gc.freeze()
        gc.set_threshold(*RARELY)
        report_progress("starting")
        confine_process(limits, (path, *map(Path, orders["readable"])), orders["user"])
        if list_missing() and not orders["weak"] and task is not describe_restrictions:
            os._exit(EXIT_WEAK)
        if sys.platform != "linux":
            _watch_memory(limits.memory_bytes)
        result = task(path, limits=limits, report=report_progress, **orders["options"])
        blob = result.pop("blob", None)
        if blob is not None:
            send_frame(frames.BINARY, blob)
        rows = iter(result.pop("rows", ()))
        while batch := list(itertools.islice(rows, ROWS_A_FRAME)):
            send_frame(frames.ROWS, _encode_json(batch))
        send_frame(frames.RESULT, _encode_json(result))
    except Quarantined as refusal:
        send_frame(frames.QUARANTINED, json.dumps([refusal.code, refusal.detail[:2000], refusal.page]).encode())
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except Exception:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(EXIT_ERROR)
    os._exit(0)  # the libraries' own clean-up of a hostile document is not worth the risk


def _encode_json(value: Any) -> bytes:
    """JSON. Half characters, which no encoding knows, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _claim_stdout() -> Any:
    """The pipe to the parent, under a number of its own: what a C library prints to stdout must not mix with frames."""
    pipe = os.dup(1)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.close(silent)
    return os.fdopen(pipe, "wb")


def _load_task(task: str) -> Task:
    module, _, name = task.partition(":")
    loaded: Task = getattr(importlib.import_module(module), name)
    return loaded


def _watch_memory(limit: int) -> None:
    """Where the kernel does not enforce RLIMIT_AS (macOS), look at the peak resident size ten times a second."""
    import resource
    import time

    unit = 1 if sys.platform == "darwin" else 1024

    def watch_size() -> None:
        while True:
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > limit:
                os._exit(EXIT_MEMORY)
            time.sleep(0.1)

    threading.Thread(target=watch_size, daemon=True).start()


def describe_restrictions(path: Path, *, limits: Limits, report: Callable[..., None]) -> dict[str, Any]:
    """Task that opens nothing and tells which restrictions are in force here (docs/sandbox.md)."""
    return {
        "in_force": sorted(list_in_force()),
        "missing": list_missing(),
        "memory_mib": limits.memory_bytes // MIB,
    }
