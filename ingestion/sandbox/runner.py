"""The parent's side of the limited process: starts it, listens, and ends it when a limit is reached."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingestion.sandbox import frames
from ingestion.sandbox.child import EXIT_MEMORY, EXIT_WEAK
from ingestion.sandbox.limits import Limits, ProcessKilled, Progress, Quarantined, TooWeak
from ingestion.sandbox.processes import Exit, FreshProcess, LimitedProcess, TemplateLost, start_process

logger = logging.getLogger(__name__)

DESCRIBE = "ingestion.sandbox.child:describe_restrictions"
END_SECONDS = 2.0
"""For the end of a process whose pipe is closed."""
STDERR_TAIL = 4_000
OUTSIDE_SIGNALS = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
"""A limited process does not send them to itself, and no limit does but that of processor time."""
MAX_STARTS = 2
OUT_OF_MEMORY_WORDS = (b"MemoryError", b"bad_alloc", b"out of memory", b"Out of memory", b"Cannot allocate memory")
Listener = Callable[[Progress], None]


def run_limited(
    task: str,
    path: Path,
    *,
    limits: Limits | None = None,
    on_progress: Listener | None = None,
    options: Mapping[str, Any] | None = None,
    readable: Sequence[Path] = (),
) -> dict[str, Any]:
    """Runs `task` ("package.module:function", our own code) on the file at `path` in a limited process.

    The function is called as `function(path, *, limits, report, **options)` and returns a dict of JSON values, with
    bytes under the key `blob` and, under `rows`, an iterable that is sent bit by bit and comes back as a list (neither
    key is there when there was nothing). `options` must be JSON. readable: files and folders of ours that it may read
    beside the one file. What `on_progress` raises ends the child and reaches the caller, so that work can be cancelled.

    Raises Quarantined for everything the file is to blame for, ProcessKilled when the process was ended from outside
    MAX_STARTS times, TooWeak where a file may not be opened, FileNotFoundError when there is no file.
    """
    limits = limits or Limits()
    size = path.stat().st_size
    if size == 0:
        raise Quarantined("empty", "This file is empty: it has no content at all. Upload it again.")
    if size > limits.file_bytes:
        raise Quarantined(
            "too_large",
            f"This file has {_to_mib(size)} MB; files of up to {_to_mib(limits.file_bytes)} MB can be read. "
            "Split it or save it smaller.",
        )
    orders = (task, path.resolve(), limits, dict(options or {}), readable)
    start: Callable[[], LimitedProcess] = start_process
    for starts_left in reversed(range(MAX_STARTS)):
        try:
            with _Child(start(), *orders) as child:
                return child.listen(on_progress)
        except TemplateLost:
            start = FreshProcess
        except TooWeak:
            raise
        except ProcessKilled:
            if not starts_left:
                raise
    with _Child(FreshProcess(), *orders) as child:
        return child.listen(on_progress)


def describe_process() -> dict[str, Any]:
    """What a limited process is under on this machine: `in_force` and `missing`, lists of names. Opens no file."""
    with _Child(FreshProcess(), DESCRIBE, Path(__file__), Limits(), {}, ()) as child:
        return child.listen(None)


class _Child:
    """One limited process, killed on leaving, whatever happened."""

    def __init__(
        self,
        process: LimitedProcess,
        task: str,
        path: Path,
        limits: Limits,
        options: dict[str, Any],
        readable: Sequence[Path],
    ) -> None:
        from django.conf import settings  # limited processes import this package, and must not hold Django

        self._limits = limits
        self._last = Progress("starting")
        self._errors = b""
        self._extras: dict[str, Any] = {}  # parts of the answer that travel apart
        self._process = process
        orders = {
            "task": task,
            "path": str(path),
            "limits": dataclasses.asdict(limits),
            "options": options,
            "readable": [str(also.resolve()) for also in readable],
            "user": settings.LIMITED_PROCESS_USER,
            "weak": settings.LIMITED_PROCESS_MAY_BE_WEAK,
        }
        with contextlib.suppress(BrokenPipeError), os.fdopen(process.stdin, "wb") as stdin:
            stdin.write(json.dumps(orders).encode())

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def listen(self, on_progress: Listener | None) -> dict[str, Any]:
        decoder = frames.Decoder(self._limits.output_bytes)
        stdout, stderr = self._process.stdout, self._process.stderr
        begun = heard = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stderr, selectors.EVENT_READ)
            while True:
                deadline = min(heard + self._get_patience(), begun + self._limits.wall_seconds)
                patience = deadline - time.monotonic()
                if patience <= 0:
                    raise self._build_too_slow()
                for key, _events in selector.select(patience):
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == stderr:
                        self._errors = (self._errors + data)[-STDERR_TAIL:]
                        if not data:
                            selector.unregister(stderr)
                        continue
                    if not data:
                        raise self._explain_early_end()
                    for kind, payload in self._decode_frames(decoder, data):
                        heard = time.monotonic()
                        if kind == frames.PROGRESS:
                            self._last = _parse_progress(payload)
                            if on_progress is not None:
                                on_progress(self._last)
                        elif (answer := self._handle_part(kind, payload)) is not None:
                            return answer

    def _decode_frames(self, decoder: frames.Decoder, data: bytes) -> list[tuple[bytes, bytes]]:
        try:
            return list(decoder.feed(data))
        except OverflowError:
            raise Quarantined(
                "bomb", "What this file unpacks to is too large to be kept. Split it into smaller files."
            ) from None
        except ValueError:
            raise _build_crashed(self._last.page) from None

    def _handle_part(self, kind: bytes, payload: bytes) -> dict[str, Any] | None:
        """One part of the answer; the whole of it with the last. Nothing in it is trusted."""
        if kind == frames.BINARY:
            self._extras["blob"] = payload
            return None
        try:
            value = json.loads(payload)
            if kind == frames.QUARANTINED:
                code, detail, page = value
                refusal = Quarantined(str(code), str(detail), page if type(page) is int else None)
            elif kind == frames.ROWS and isinstance(value, list):
                self._extras.setdefault("rows", []).extend(value)
                return None
            elif kind == frames.RESULT and isinstance(value, dict):
                return value | self._extras
            else:
                refusal = _build_crashed(self._last.page)
        except (ValueError, TypeError, RecursionError):
            refusal = _build_crashed(self._last.page)
        raise refusal

    def _get_patience(self) -> float:
        return self._limits.silence_seconds if self._last.page is None else self._limits.page_seconds

    def _build_too_slow(self) -> Quarantined:
        where = "" if self._last.page is None else f" on page {self._last.page}"
        return Quarantined(
            "timeout",
            f"Reading this file was stopped because it made no progress for too long{where}. "
            "It may be damaged, or made to be slow; save it again from the program that wrote it.",
            self._last.page,
        )

    def _has_used_up(self, ended: Exit) -> bool:
        """Whether the kernel killed it because it went on after SIGXCPU. The kernel measures that more coarsely than it
        tells afterwards."""
        return ended.code == -signal.SIGKILL and ended.cpu_seconds >= self._limits.cpu_seconds * 0.7

    def _explain_early_end(self) -> Quarantined | ProcessKilled:
        """The pipe closed without an answer. Which limit was it? The exit tells, or what was last said."""
        ended = self._process.wait(END_SECONDS)
        code = ended.code
        self._errors += _read_rest(self._process.stderr)
        page = self._last.page
        if code == -signal.SIGXCPU or ended.overdue or self._has_used_up(ended):
            return self._build_too_slow()
        if code == EXIT_WEAK:
            logger.error("No file is opened here: the limited process lacks a restriction (docs/sandbox.md)")
            return TooWeak()
        if -code in OUTSIDE_SIGNALS:
            return ProcessKilled()
        starved = ended.peak_bytes > self._limits.memory_bytes * 0.6
        if code == EXIT_MEMORY or any(word in self._errors for word in OUT_OF_MEMORY_WORDS) or (code < 0 and starved):
            return Quarantined(
                "memory",
                f"Reading this file needs more memory than the {_to_mib(self._limits.memory_bytes)} MB that are allowed"
                + ("" if page is None else f" (page {page})")
                + ". Save it again with smaller pages or images.",
                page,
            )
        return _build_crashed(page)


def _read_rest(stream: int) -> bytes:
    """What a dead process left in its pipe, as far as one read goes."""
    os.set_blocking(stream, False)
    try:
        return os.read(stream, 1 << 16)
    except BlockingIOError:
        return b""


def _parse_progress(payload: bytes) -> Progress:
    try:
        stage, page, pages = json.loads(payload)
    except (ValueError, TypeError, RecursionError):
        raise _build_crashed(None) from None
    if not isinstance(stage, str) or type(page) not in (int, type(None)) or type(pages) not in (int, type(None)):
        raise _build_crashed(None)
    return Progress(stage[:40], page, pages)


def _build_crashed(page: int | None) -> Quarantined:
    where = "" if page is None else f" on page {page}"
    return Quarantined(
        "crashed",
        f"The reader broke down on this file{where}; nothing else was affected. "
        "It is probably damaged: save it again from the program that wrote it.",
        page,
    )


def _to_mib(size: int) -> int:
    return max(1, round(size / (1024 * 1024)))
