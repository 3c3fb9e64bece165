"""The one-way pipe from the limited process: frames of one kind byte, four bytes of length (big endian) and a payload.

P progress (JSON) · Q quarantined (JSON) · B binary part of the answer · L rows of the answer (JSON list, any number of
frames) · R the answer itself (JSON, last frame).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEADER = struct.Struct(">cI")
SMALL = 64 * 1024
PROGRESS, QUARANTINED, BINARY, ROWS, RESULT = b"P", b"Q", b"B", b"L", b"R"
ANSWERS = (BINARY, ROWS, RESULT)


class BadFrame(ValueError):
    """The other side does not keep to the form."""


def pack_header(kind: bytes, payload: bytes) -> bytes:
    return HEADER.pack(kind, len(payload))


class Decoder:
    """Puts frames together from whatever the pipe gave; `limit` bounds the whole answer, in bytes."""

    def __init__(self, limit: int) -> None:
        self._buffer = bytearray()
        self._left = limit

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yields complete frames. Raises BadFrame for unknown kinds, OverflowError past the limit."""
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._buffer)
            if kind in (PROGRESS, QUARANTINED):
                if length > SMALL:
                    raise BadFrame("progress is too long")
            elif kind in ANSWERS:
                if length > self._left:
                    raise OverflowError
            else:
                raise BadFrame("unknown frame")
            if len(self._buffer) < HEADER.size + length:
                return
            payload = bytes(self._buffer[HEADER.size : HEADER.size + length])
            del self._buffer[: HEADER.size + length]
            if kind in ANSWERS:
                self._left -= length
            yield kind, payload
