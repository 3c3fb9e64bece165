"""What the fuzzer sees of the work on one file: how long it was silent, what memory it took, what it called.

It looks from outside: at /proc of the limited processes, at the frames that come out of them, at the checkpoints of
the pipeline, and at a server of its own that nothing may ever call (Linux).
"""

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ingestion import claims, pipeline, processing
from ingestion.sandbox import runner

MIB = 1 << 20
LOOK_EVERY = 0.02  # seconds
STOPPED = 1.0  # seconds


@dataclass
class Seen:
    """silence: longest time in seconds without a frame or a checkpoint, the machine's own pauses taken off. child:
    largest resident size in bytes of a limited process. grown: by how much this process was larger than before, at its
    largest. sockets: of limited processes. calls: addresses that anybody connected to.
    """

    silence: float = 0.0
    child: int = 0
    grown: int = 0
    sockets: int = 0
    calls: list[str] = field(default_factory=list)

    def problems(self, seconds: float, memory: int) -> list[str]:
        found = []
        if self.silence > seconds:
            found.append(f"no progress for {self.silence:.1f} s")
        if self.child > memory:
            found.append(f"the limited process took {self.child // MIB} MB")
        if self.grown > memory:
            found.append(f"the worker took {self.grown // MIB} MB more")
        if self.sockets:
            found.append("a limited process had a socket")
        return found + [f"called {address}" for address in self.calls]


class Watch:
    """`with watch.file() as seen: …` around the work on one file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen = Seen()
        self.heard = time.monotonic()
        self.stopped = 0.0
        self.active = False
        self.children: set[int] = set()
        self.started: set[int] = set()
        self.open: set[tuple[int, str]] = set()
        self.ended = threading.Event()
        self.canary = _Canary(self.called)
        monkeypatch.setattr(runner, "_parse_progress", self._before(runner._parse_progress))
        for module in (pipeline, processing):
            monkeypatch.setattr(module, "report_checkpoint", self._before(claims.report_checkpoint))
        monkeypatch.setattr(pipeline, "report_advance", self._before(claims.report_advance))
        monkeypatch.setattr(runner._Child, "listen", self._followed(runner._Child.listen))
        _listeners.append(self.called)
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.ended.set()
        self.thread.join()
        self.canary.close()
        _listeners.remove(self.called)

    @contextlib.contextmanager
    def file(self) -> Iterator[Seen]:
        self.seen, self.heard, self.stopped = Seen(), time.monotonic(), 0.0
        before = _status("self", "VmRSS")
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the largest size starts anew
        self.active = True
        try:
            yield self.seen
        finally:
            self.active = False
            self._hear()
            self.seen.grown = max(0, _status("self", "VmHWM") - before)

    def called(self, address: str) -> None:
        if self.active:
            self.seen.calls.append(address)

    def _hear(self) -> None:
        now = time.monotonic()
        self.seen.silence = max(self.seen.silence, now - self.heard - self.stopped)
        self.heard, self.stopped = now, 0.0

    def _before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def heard(*given: Any, **named: Any) -> Any:
            self._hear()
            return function(*given, **named)

        return heard

    def _followed(self, listen: Callable[..., Any]) -> Callable[..., Any]:
        def follow(child: Any, on_progress: Any) -> Any:
            pid = child._process.pid
            self._hear()
            self.children.add(pid)

            def start(progress: Any) -> None:
                self.started.add(pid)
                if on_progress is not None:
                    on_progress(progress)

            try:
                return listen(child, start)
            finally:
                self._hear()
                self.children.discard(pid)
                self.started.discard(pid)

        return follow

    def _look(self) -> None:
        """Every 20 ms. A gap in which this process did not compute either was a pause of the machine, and counts for
        nobody."""
        wall, used = time.monotonic(), time.process_time()
        while not self.ended.wait(LOOK_EVERY):
            for pid in list(self.children):
                self._look_at(pid)
            gap, worked = time.monotonic() - wall, time.process_time() - used
            if gap > STOPPED and worked < gap / 2:
                self.stopped += gap
            wall, used = time.monotonic(), time.process_time()

    def _look_at(self, pid: int) -> None:
        """A socket counts from the first frame on. Before it, a child that was just forked has the template's own, and
        has read nothing; on a busy machine that moment is longer than two looks."""
        self.seen.child = max(self.seen.child, _status(pid, "VmHWM"))
        if pid not in self.started:
            return
        now = set()
        with contextlib.suppress(OSError):
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    now.add((pid, os.readlink(entry.path)))
        # Twice: while an interpreter starts, the C library asks the system's name service for a moment.
        self.seen.sockets += sum(link.startswith("socket:") for _, link in now & self.open)
        self.open = {(other, link) for other, link in self.open if other != pid} | now


def _status(pid: int | str, name: str) -> int:
    """A size in bytes from /proc; 0 where there is none."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


_listeners: list[Callable[[str], None]] = []


def _audit(event: str, given: tuple[Any, ...]) -> None:
    """Python's own door to the network, in this process: the limited ones have none."""
    if event == "socket.connect" and _listeners:
        for listener in list(_listeners):
            listener(str(given[1]))


sys.addaudithook(_audit)


class _Canary:
    """A server that files name in every way they can. Nobody may ever call."""

    def __init__(self, called: Callable[[str], None]) -> None:
        self.called = called
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.server.accept()
                self.called(self.url)
                connection.close()

    def close(self) -> None:
        self.server.close()
