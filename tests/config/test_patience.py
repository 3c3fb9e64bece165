"""A request that stops in the middle ends; one that goes on may take its time."""

import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from config import patience
from config.patience import PATIENCE, PatientProtocol
from tests.processes import Server

HEADERS = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"


class Clock:
    """An event loop as far as a protocol needs one, whose time is told."""

    now = 0.0

    def __init__(self) -> None:
        self.timers: list[Any] = []

    def call_later(self, delay: float, call: Callable[[], None], *arguments: Any) -> Any:
        clock = self

        class Timer:
            due = clock.now + delay

            def cancel(self) -> None:
                if self in clock.timers:
                    clock.timers.remove(self)

            def fire(self) -> None:
                self.cancel()
                call(*arguments)

        self.timers.append(Timer())
        return self.timers[-1]

    def create_task(self, work: Any, **options: Any) -> Any:
        work.close()  # no application answers here
        return type("Task", (), {"add_done_callback": lambda self, call: None})()

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [timer for timer in self.timers if timer.due <= end]:
            first = min(due, key=lambda timer: timer.due)
            self.now = first.due
            first.fire()
        self.now = end


class Wire:
    """A transport that remembers whether it was closed."""

    closed = False

    def get_extra_info(self, name: str) -> None:
        return None

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@pytest.fixture
def line() -> tuple[Clock, Wire, PatientProtocol]:
    async def app(scope: Any, receive: Any, send: Any) -> None: ...

    clock, wire = Clock(), Wire()
    protocol = PatientProtocol(Config(app, log_config=None), ServerState(), {}, clock)  # type: ignore[arg-type]
    protocol.connection_made(wire)  # type: ignore[arg-type]
    return clock, wire, protocol


Line = tuple[Clock, Wire, PatientProtocol]


@pytest.mark.parametrize("sent", [b"", b"POST / HT", HEADERS[:-2], HEADERS, HEADERS + b"12345678"])
def test_a_request_that_stops_is_closed(line: Line, sent: bytes) -> None:
    clock, wire, protocol = line
    if sent:
        protocol.data_received(sent)
    clock.pass_by(PATIENCE - 1)
    assert not wire.closed
    clock.pass_by(1)
    assert wire.closed


def test_headers_that_come_by_drops_are_not_waited_for(line: Line) -> None:
    clock, wire, protocol = line
    for n in range(len(HEADERS)):
        if not wire.closed:
            protocol.data_received(HEADERS[n : n + 1])
            clock.pass_by(1)
    assert wire.closed
    assert clock.now >= PATIENCE


def test_a_body_that_goes_on_may_take_its_time(line: Line) -> None:
    clock, wire, protocol = line
    protocol.data_received(HEADERS)
    for _ in range(9):
        clock.pass_by(PATIENCE - 1)
        protocol.data_received(b"x")
    clock.pass_by(10 * PATIENCE)
    assert not wire.closed, "it came whole; the answer takes as long as it takes"


def test_who_waits_for_us_is_not_closed(line: Line) -> None:
    clock, wire, protocol = line
    protocol.data_received(HEADERS + b"x")
    protocol.flow.pause_reading()
    clock.pass_by(5 * PATIENCE)
    assert not wire.closed
    protocol.flow.resume_reading()
    clock.pass_by(PATIENCE)
    assert wire.closed


def test_the_next_request_of_a_connection_is_waited_for_no_longer(line: Line) -> None:
    clock, wire, protocol = line
    protocol.data_received(HEADERS + b"123456789")
    protocol.cycle.response_complete = True
    clock.pass_by(PATIENCE * 3)
    protocol.data_received(b"GET / HT")
    clock.pass_by(PATIENCE - 1)
    assert not wire.closed
    clock.pass_by(1)
    assert wire.closed


def test_the_server_closes_what_is_half_open(server: Server) -> None:
    address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
    for sent in (b"GET /healthz HTTP/1.1\r\nHost: l", HEADERS + b"1"):
        with closing(socket.create_connection(address, timeout=patience.PATIENCE * 6)) as half:
            half.sendall(sent)
            assert half.recv(1) == b""
    with closing(socket.create_connection(address, timeout=60)) as whole:
        whole.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert whole.recv(12) == b"HTTP/1.1 200"
