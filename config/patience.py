"""Half-open requests end. uvicorn alone waits for ever for the rest of a request that has begun."""

from asyncio import Transport
from asyncio.events import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PATIENCE = 10.0
"""Seconds in which the headers of a request come whole, and in which something more of its body comes."""


class PatientProtocol(HttpToolsProtocol):
    """Closes the connection of who sends nothing more. An upload that goes on may take as long as it takes."""

    waiting: TimerHandle | None = None
    in_body = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.begin_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self.end_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.in_body:
            self.begin_waiting()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.begin_waiting()

    def on_headers_complete(self) -> None:
        self.in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.in_body = False
        self.end_waiting()
        super().on_message_complete()

    def begin_waiting(self) -> None:
        self.end_waiting()
        self.waiting = self.loop.call_later(PATIENCE, self.close_half_open)

    def end_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def close_half_open(self) -> Any:
        if self.flow.read_paused:  # it is our side that does not keep up
            self.begin_waiting()
        else:
            self.transport.close()
