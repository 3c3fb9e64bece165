"""The template of limited processes: an interpreter that has imported the readers and forks itself for each file.

It never reads a byte that a user sent, not even a path: an order is one byte with four descriptors, and the forked
child reads the rest by itself (`ingestion.sandbox.child`). Children inherit read-only code and nothing of another
file. The protocol, from the worker's side, is in `ingestion.sandbox.processes`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import os
import selectors
import signal
import socket
import struct
from types import FrameType

from ingestion.sandbox import child
from ingestion.sandbox.confine import end_with_parent, enter_empty_network

READERS = (
    *("cutting", "drawing", "inside", "mail", "scan", "structure"),  # tasks
    *("cards", "decode", "delimited", "doc", "docx", "epub", "html", "json_text", "markdown", "odp", "ods", "odt"),
    *("pdf", "picture", "plain", "ppt", "pptx", "rtf", "signatures", "source", "xls", "xlsx", "xml_text"),
)
"""Modules of `ingestion.extract` that tasks are in or import when they meet a type of file."""
LIBRARIES = (
    *("charset_normalizer", "ingestion.extract.unread_bytes", "email.generator", "email.parser"),
    *(f"encodings.{name}" for name in ("cp1252", "cp437", "latin_1", "utf_16_be", "utf_16_le")),
    *(f"PIL.{name}ImagePlugin" for name in ("Bmp", "Gif", "Jpeg", "Png", "Ppm")),
)
"""That these import when they meet a file that needs them: done here, it is done once and not for every file."""
ORDER_BYTES, ORDER_DESCRIPTORS = 1, 4
IDLE_SECONDS = 300.0
MAX_DESCRIPTORS = 4_096
STARTED, ENDED = struct.Struct("=i"), struct.Struct("=iqd")
"""pid · wait status, peak of resident memory in the system's unit, seconds of processor time."""


def main() -> None:
    """Serves orders that arrive on descriptor 0 until its other end is closed or nobody asks for a while."""
    for name in (*(f"ingestion.extract.{name}" for name in READERS), *LIBRARIES):
        importlib.import_module(name)
    enter_empty_network(ctypes.CDLL(None, use_errno=True))
    gc.collect()
    gc.freeze()
    _Template(socket.socket(fileno=0)).serve()


class _Template:
    """`_children`: by process id, the socket over which the worker hears of the end and says that it wants no more."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ, self._take_order)
        self._wake, self._waker = socket.socketpair()
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        self._selector.register(self._wake, selectors.EVENT_READ, self._reap_children)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _ignore_signal)

    def serve(self) -> None:
        while self._children or self._orders.fileno() >= 0:
            events = self._selector.select(None if self._children else IDLE_SECONDS)
            if not events and not self._children:
                return
            for key, _ in events:
                key.data()

    def _take_order(self) -> None:
        order, descriptors, _, _ = socket.recv_fds(self._orders, ORDER_BYTES, ORDER_DESCRIPTORS)
        if len(order) != ORDER_BYTES or len(descriptors) != ORDER_DESCRIPTORS:
            # Running children stay until their own sockets are closed, which the end of the worker does too.
            self._selector.unregister(self._orders)
            self._orders.close()
            return
        *streams, last = descriptors
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _run_child(streams, parent)
        for stream in streams:
            os.close(stream)
        life = self._children[pid] = socket.socket(fileno=last)
        self._selector.register(life, selectors.EVENT_READ, functools.partial(self._kill_child, pid))
        _send_message(life, STARTED.pack(pid))

    def _kill_child(self, pid: int) -> None:
        """The worker has closed its end. Until it is reaped the child keeps its id, so no other process is hit; it may
        have been reaped since both were noticed.
        """
        if pid in self._children:
            self._selector.unregister(self._children[pid])
            os.kill(pid, signal.SIGKILL)

    def _reap_children(self) -> None:
        self._wake.recv(1024)
        for pid in list(self._children):
            reaped, status, usage = os.wait4(pid, os.WNOHANG)
            if reaped:
                life = self._children.pop(pid)
                if life in self._selector.get_map():
                    self._selector.unregister(life)
                _send_message(life, ENDED.pack(status, usage.ru_maxrss, usage.ru_utime + usage.ru_stime))
                life.close()


def _run_child(streams: list[int], parent: int) -> None:
    """Becomes what a fresh interpreter is: three pipes, no other descriptor, no handler of a signal."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        os.closerange(len(streams), MAX_DESCRIPTORS)
        end_with_parent(ctypes.CDLL(None, use_errno=True))
        if os.getppid() == parent:
            child.main()
    finally:
        os._exit(child.EXIT_ERROR)


def _send_message(life: socket.socket, message: bytes) -> None:
    with contextlib.suppress(OSError):  # the worker does not want to know any more
        life.send(message)


def _ignore_signal(_signal: int, _frame: FrameType | None) -> None:
    """Only there so that the signal wakes the selector."""
