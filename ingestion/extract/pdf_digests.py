"""Digests of the streams of a PDF, for what is not read of it (`unread_bytes.py`). The numbers of objects are not in
them, so that a file that is only written again keeps its digests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from typing import Any

import pikepdf

WRITTEN_ANEW = (pikepdf.Name.XRef, pikepdf.Name.ObjStm, pikepdf.Name.Metadata)
"""By programs, each time that they save a file."""
OF_WRITTEN_ANEW = frozenset({"Metadata", "Extends"})  # keys by which nothing refers to what is drawn
# Of the dictionary of a stream: what changes when a file is saved, and changes nothing that a page shows.
LEFT_OUT = frozenset({"/LastModified", "/Length", "/Metadata", "/PieceInfo", "/StructParent", "/StructParents"})
MAX_DEPTH = 32
# Drawn words have many bends, or very many straight lines or boxes (operators of ISO 32000-1, 8.5.2).
BEND, STRAIGHT = re.compile(rb"[\d.][\s\0]+[cvy](?!\w)"), re.compile(rb"[\d.][\s\0]+(?:l|re)(?!\w)")
MOST_BENDS, MOST_STRAIGHT = 30, 300  # of all that an earlier version draws and the newest does not
INLINE_PICTURE = re.compile(rb"(?<![\w/])BI[\s\0]*[/%]")  # ISO 32000-1, 8.9.7


class StreamDigests:
    """Of one PDF. roles: the keys by which its objects refer to each stream."""

    def __init__(self, roles: dict[tuple[int, int], set[str]]) -> None:
        self._roles = roles
        self._known: dict[tuple[int, int], bytes] = {}
        self._lost_strokes = [0, 0]

    def list_parts(
        self, stream: pikepdf.Stream, raw: bytes, pages: Collection[int]
    ) -> list[tuple[bytes, Collection[int]]]:
        """The digest of a stream, with the pages outside of which nothing shows it; empty where it cannot be shown. Its
        author says what a stream is, so what else may be drawn counts whatever it says. raw: its bytes as they are
        packed; pages: those whose content it is. Raises what pikepdf raises, and ValueError."""
        if is_picture(stream):
            return [(self.digest(stream, raw), ())]
        roles = self._roles.get(stream.objgen, set())
        is_drawing = "/Subtype" in stream and stream.get("/Subtype") != pikepdf.Name.XML or "/PatternType" in stream
        if not pages and not is_drawing and roles <= OF_WRITTEN_ANEW and stream.get("/Type") in WRITTEN_ANEW:
            return []
        only_content = roles <= {"Contents"} and not is_drawing
        return [(self.digest(stream, raw), pages if only_content else ())]

    def digest(self, stream: pikepdf.Stream, raw: bytes) -> bytes:
        """Of a picture with its dictionary, by which the same bytes show one thing or another: size, colours, masks."""
        return self._digest_stream(stream, raw, 0) if is_picture(stream) else hashlib.sha256(raw).digest()

    def has_lost_drawing(
        self,
        stream: pikepdf.Stream,
        newest: Collection[bytes],
        unpack: Callable[[pikepdf.Stream], bytes | None],
    ) -> bool:
        """Whether a stream of an earlier version is a picture, or draws one or, with those that were asked about
        before, what may be words, and the newest version lacks it; also where that cannot be told. All streams are
        looked at, whatever they are said to be.

        newest: digests of its streams. unpack: the content of a stream, None where it is too large, and that is on
        record."""
        try:
            if self.digest(stream, stream.read_raw_bytes()) in newest:
                return False
            return is_picture(stream) or self._has_many_strokes(unpack(stream) or b"")
        except (pikepdf.PdfError, ValueError, TypeError, AttributeError, RuntimeError):
            return True

    def _has_many_strokes(self, content: bytes) -> bool:
        """Whether a content draws a picture, or is what makes the lost strokes many."""
        for index, operator in enumerate((BEND, STRAIGHT)):
            self._lost_strokes[index] += sum(1 for _ in operator.finditer(content))
        bends, straight = self._lost_strokes
        return INLINE_PICTURE.search(content) is not None or bends > MOST_BENDS or straight > MOST_STRAIGHT

    def _digest_stream(self, stream: pikepdf.Stream, raw: bytes, depth: int) -> bytes:
        entries = [(key, value) for key, value in stream.stream_dict.items() if key not in LEFT_OUT]
        return _join(b"stream", [hashlib.sha256(raw).digest(), *self._list_entries(entries, depth)])

    def _list_entries(self, entries: list[tuple[str, Any]], depth: int) -> list[bytes]:
        found: list[bytes] = []
        for key, value in sorted(entries, key=lambda entry: entry[0]):
            found += [_join(key.encode("utf-8", "surrogateescape"), ()), self._digest_value(value, depth + 1)]
        return found

    def _digest_value(self, value: Any, depth: int) -> bytes:
        if depth > MAX_DEPTH:  # a circle, too
            raise ValueError("objects lie too deep in one another")
        if not isinstance(value, pikepdf.Object):
            return _join(b"scalar", [_join(repr(value).encode(), ())])
        place = value.objgen if value.is_indirect else None
        if place is not None and place in self._known:
            return self._known[place]
        if isinstance(value, pikepdf.Stream):
            digest = self._digest_stream(value, value.read_raw_bytes(), depth)
        elif isinstance(value, pikepdf.Dictionary):
            digest = _join(b"dictionary", self._list_entries(list(value.items()), depth))
        elif isinstance(value, pikepdf.Array):
            digest = _join(b"array", [self._digest_value(item, depth + 1) for item in value])
        else:
            digest = _join(b"scalar", [_join(value.unparse(resolved=True), ())])
        if place is not None:
            self._known[place] = digest
        return digest


def is_picture(stream: pikepdf.Stream) -> bool:
    """Viewers take `(Image)` for `/Image`; none shows a picture without a width."""
    return stream.get("/Subtype") == pikepdf.Name.Image or "/Width" in stream


def _join(kind: bytes, digests: Collection[bytes]) -> bytes:
    return hashlib.sha256(kind + b"\0" + b"".join(digests)).digest()
