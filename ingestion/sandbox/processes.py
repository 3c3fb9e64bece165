"""Starting a limited process: forked from a warm template, or a fresh interpreter (docs/sandbox.md, The template).

Both give the worker three pipes. A forked process is the template's child, so the template tells of its end: over a
socket of this process alone come its id and then its exit, and closing the socket kills it. The kernel closes it when
the worker dies.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingestion.sandbox.template import ENDED, ORDER_BYTES, STARTED

ROOT = Path(__file__).resolve().parents[2]
START = "import sys; sys.path.insert(0, {root!r}); from ingestion.sandbox.child import main; main()"
START_TEMPLATE = START.replace("sandbox.child", "sandbox.template")
MAX_FORKS = 500
"""Forks share one layout of memory, so a template serves this many files and the next ones get another."""
KILL_SECONDS = 5.0
DRIFT_BYTES = 16 << 20
"""By which two counts of the same memory may differ: each processor keeps some pages uncounted for a while."""


class TemplateLost(Exception):
    """The template ended, and with it its children: no file is to blame for that."""


@dataclass(frozen=True, slots=True)
class Exit:
    """code: negative for a signal. peak_bytes: the largest resident size, 0 where it says nothing. cpu_seconds: of
    processor time. overdue: it was killed here, for it had not ended in time."""

    code: int
    peak_bytes: int
    cpu_seconds: float = 0.0
    overdue: bool = False


class LimitedProcess(Protocol):
    """stdin, stdout, stderr: our ends of its pipes; close() closes the last two."""

    stdin: int
    stdout: int
    stderr: int

    @property
    def pid(self) -> int: ...

    def wait(self, seconds: float) -> Exit:
        """Its end; it is killed if it has not ended by then. Raises TemplateLost."""

    def close(self) -> None:
        """Kills it if it still runs."""


def start_process() -> LimitedProcess:
    """Raises OSError where no process can be started."""
    from django.conf import settings  # limited processes import this package, and must not hold Django

    return ForkedProcess() if settings.LIMITED_PROCESS_TEMPLATE else FreshProcess()


def _spawn_python(code: str, stdin: int, stdout: int, stderr: int | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-c", code.format(root=str(ROOT))],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd="/",
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2"},  # no key or address of ours
        start_new_session=True,
    )


class _Pipes:
    """Of one limited process."""

    def __init__(self) -> None:
        self._theirs, self.stdin = os.pipe()
        self.stdout, out = os.pipe()
        self.stderr, errors = os.pipe()
        self._streams = (self._theirs, out, errors)

    def _close_theirs(self) -> None:
        for descriptor in self._streams:
            os.close(descriptor)

    def _close_ours(self) -> None:
        os.close(self.stdout)
        os.close(self.stderr)


class FreshProcess(_Pipes):
    """A new interpreter: nothing of another process is in its memory, and starting it takes a sixth of a second."""

    def __init__(self) -> None:
        super().__init__()
        try:
            self._process = _spawn_python(START, *self._streams)
        except OSError:
            os.close(self.stdin)
            self._close_ours()
            raise
        finally:
            self._close_theirs()

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self, seconds: float) -> Exit:
        deadline = time.monotonic() + seconds
        while True:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                peak = _convert_peak_to_bytes(usage.ru_maxrss)
                cpu_seconds = usage.ru_utime + usage.ru_stime
                return Exit(self._process.returncode, _drop_ours(peak), cpu_seconds)
            if time.monotonic() > deadline:
                self._kill_group()
                return Exit(self._process.returncode, 0, overdue=True)
            time.sleep(0.005)

    def close(self) -> None:
        self._kill_group()
        self._close_ours()

    def _kill_group(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class ForkedProcess(_Pipes):
    """A fork of this process's template, which is started for the first one."""

    def __init__(self) -> None:
        super().__init__()
        self._life, theirs = socket.socketpair()
        self._heard = b""
        try:
            _order_fork((*self._streams, theirs.fileno()))
        except OSError:
            os.close(self.stdin)
            self._close_ours()
            self._life.close()
            raise
        finally:
            self._close_theirs()
            theirs.close()

    @property
    def pid(self) -> int:
        """Raises TemplateLost."""
        return int(STARTED.unpack(self._receive_bytes(STARTED.size, KILL_SECONDS))[0])

    def wait(self, seconds: float) -> Exit:
        overdue = False
        try:
            message = self._receive_bytes(STARTED.size + ENDED.size, seconds)
        except TimeoutError:
            overdue = True
            with suppress(OSError):
                self._life.shutdown(socket.SHUT_WR)
            try:
                message = self._receive_bytes(STARTED.size + ENDED.size, KILL_SECONDS)
            except TimeoutError:
                raise TemplateLost from None
        status, peak, cpu_seconds = ENDED.unpack_from(message, STARTED.size)
        return Exit(os.waitstatus_to_exitcode(status), _convert_peak_to_bytes(peak), cpu_seconds, overdue)

    def close(self) -> None:
        with suppress(OSError, TemplateLost):
            self._life.shutdown(socket.SHUT_WR)
            self.wait(KILL_SECONDS)
        self._life.close()
        self._close_ours()

    def _receive_bytes(self, size: int, seconds: float) -> bytes:
        """The first `size` bytes that the template sends of it. Raises TimeoutError, TemplateLost."""
        deadline = time.monotonic() + seconds
        while len(self._heard) < size:
            self._life.settimeout(max(0.001, deadline - time.monotonic()))
            data = self._life.recv(64)
            if not data:
                raise TemplateLost
            self._heard += data
        return self._heard[:size]


class _Template:
    """The running template of this process. owner: the process that started it; a fork of that starts its own."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.orders, theirs = socket.socketpair()
        self.forks_left = MAX_FORKS
        with theirs:
            self.process = _spawn_python(START_TEMPLATE, theirs.fileno(), subprocess.DEVNULL, None)

    def fork(self, descriptors: Sequence[int]) -> None:
        """Raises OSError when it has ended."""
        self.forks_left -= 1
        socket.send_fds(self.orders, [b"f" * ORDER_BYTES], descriptors)


_lock = threading.Lock()
_current: _Template | None = None
_retired: list[subprocess.Popen[bytes]] = []


def _order_fork(descriptors: Sequence[int]) -> None:
    """Have a process forked that gets these descriptors. Raises OSError where no template can be started."""
    with _lock:
        if _current is not None and _current.owner == os.getpid() and _current.forks_left > 0:
            with suppress(OSError):  # it ended, for nobody asked for a while
                return _current.fork(descriptors)
        _start_template().fork(descriptors)


def _start_template() -> _Template:
    global _current
    stop_template()
    _current = _Template()
    return _current


def stop_template() -> None:
    """No fork comes from the running template any more; it ends after its last child."""
    global _current
    _retired[:] = [process for process in _retired if process.poll() is None]
    if _current is not None:
        _current.orders.close()
        if _current.owner == os.getpid():
            _retired.append(_current.process)
    _current = None


def _drop_ours(peak: int) -> int:
    """0 where a child's peak says nothing: Linux counts into it what the starting process held."""
    ours = _convert_peak_to_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if peak > ours + DRIFT_BYTES else 0


def _convert_peak_to_bytes(reported: int) -> int:
    """The unit of `ru_maxrss` is the platform's."""
    return reported * (1 if sys.platform == "darwin" else 1024)
