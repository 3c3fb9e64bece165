"""Streams of a PDF, unpacked piece by piece and thrown away, so that a bomb is found by counting."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import pikepdf

from ingestion.sandbox.limits import Quarantined

PIECE = 1 << 20
MAX_REST_BYTES = 1 << 16
MAX_KEPT_BYTES = 16 << 20  # of content that is handed on, so that it is not unpacked twice
MAX_CHAIN = 8
ENDS_OF_LETTERS = {"/ASCIIHexDecode": b">", "/AHx": b">", "/ASCII85Decode": b"~>", "/A85": b"~>"}
REPLACES = b"/ActualText"


def list_filters(stream: pikepdf.Stream) -> list[str]:
    value = stream.get("/Filter")
    if value is None:
        return []
    names = [str(name) for name in value] if isinstance(value, pikepdf.Array) else [str(value)]
    if len(names) > MAX_CHAIN:
        raise Quarantined("bomb", "A part of this PDF is packed into itself too many times to be opened safely.")
    return names


@dataclass(frozen=True, slots=True)
class UnpackedStream:
    """size: bytes that all stages of unpacking make together. whole: the stream came to its proper end. replaces: it
    may have words that stand for others. rest: bytes behind the end of what was packed, at most MAX_REST_BYTES; more:
    there are others. content: what comes out; None where more is to be done to it than inflating, or where it is
    large."""

    size: int
    whole: bool
    replaces: bool
    rest: bytes
    more: bool
    content: bytes | None


def unpack_stream(stream: pikepdf.Stream, raw: bytes, filters: list[str], limit: int) -> UnpackedStream:
    """raw: its bytes as they are packed. Counted no further than `limit` + 1 piece. Raises PdfError for damaged
    letters."""
    counted = _Count(limit)
    if filters and (end := ENDS_OF_LETTERS.get(filters[0])):  # bytes as letters: of these no more come out
        raw, _, counted.rest = raw.partition(end)
        with pikepdf.new() as pdf:
            raw = pikepdf.Stream(pdf, raw + end, Filter=pikepdf.Name(filters[0])).read_bytes()
        filters = filters[1:]
    data: Iterator[bytes] = iter((raw,))
    inflated = "/DecodeParms" not in stream and "/DP" not in stream
    for name in filters:
        if name not in ("/FlateDecode", "/Fl"):
            inflated = False
            break  # other methods cannot blow up by more than their nature allows, or are images
        data = counted.through(data)
    last, replaces, length = b"", False, 0
    kept: list[bytes] = []
    for piece in data:
        if inflated:
            kept.append(piece)
            length += len(piece)
            inflated = length <= MAX_KEPT_BYTES
        replaces = replaces or REPLACES in piece or REPLACES in last + piece[: len(REPLACES)]
        last = piece[-len(REPLACES) :]
    content = b"".join(kept) if inflated and counted.whole else None
    rest, more = counted.rest[:MAX_REST_BYTES], len(counted.rest) > MAX_REST_BYTES
    return UnpackedStream(counted.bytes, counted.whole, replaces, rest, more, content)


class _Count:
    """Counts what stages of inflation let through."""

    def __init__(self, limit: int) -> None:
        self.bytes = 0
        self.whole = True
        self.rest = b""
        self._limit = limit

    def through(self, data: Iterator[bytes]) -> Iterator[bytes]:
        inflate = zlib.decompressobj()
        fed = False
        try:
            for piece in data:
                fed = fed or bool(piece)
                while piece and not inflate.eof:
                    out = inflate.decompress(piece, PIECE)
                    self.bytes += len(out)
                    if self.bytes > self._limit:
                        return
                    yield out
                    piece = inflate.unconsumed_tail or inflate.unused_data
                if len(self.rest) <= MAX_REST_BYTES:
                    self.rest += piece
        except zlib.error:
            self.whole = False
            return
        self.whole = self.whole and (inflate.eof or not fed)
