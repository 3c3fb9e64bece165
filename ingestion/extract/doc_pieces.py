"""Where the text of an old Word document stands, and how its paragraphs are formatted ([MS-DOC] 2.4 and 2.8).

A character has two addresses: its place in the text (CP) and the offset of its bytes in the stream (FC). The table of
pieces leads from one to the other. Properties of paragraphs are kept by FC, in pages of 512 bytes.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from ingestion.extract.ole import Compound
from ingestion.sandbox.limits import Quarantined

WORD_97, WORD_6 = 0xA5EC, 0xA5DC
ENCRYPTED_FLAG, TABLE_1_FLAG, COMPLEX_FLAG = 0x0100, 0x0200, 0x0004
PAGE_BYTES = 512
COMPRESSED = 1 << 30
# Offsets in the head of the document.
FLAGS, FC_MIN, LENGTHS, OLD_LENGTHS = 0x0A, 0x18, 0x4C, 0x34
CLX, OLD_CLX, PARAGRAPHS, OLD_PARAGRAPHS = 0x1A2, 0x160, 0x102, 0xC0
STORIES = ("", "Footnotes", "Headers and footers", "", "Comments", "Endnotes", "Text boxes", "Text boxes of margins")
IN_TABLE, ENDS_ROW, LIST = 0x2416, 0x2417, 0x460B
OPERAND_BYTES = (1, 1, 2, 4, 2, 2, -1, 3)
TABLE_DEFINITION = 0xD608
ENCRYPTED = "This document is protected by a password. Save it without one and upload it."
DAMAGED = "This document is damaged and cannot be opened. Save it again from Word."


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph with the character that ends it. style: its number; 1 to 9 are headings."""

    text: str
    style: int = 0
    in_table: bool = False
    ends_row: bool = False
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """A run of paragraphs: the text, or what stands beside it. title: "" for the text."""

    title: str
    paragraphs: list[Text]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    offset: int
    width: int  # bytes of a character


def _compute_start(piece: _Piece) -> int:
    return piece.start


def read_stories(compound: Compound) -> Iterator[Story]:
    """Raises Quarantined: corrupt, encrypted."""
    try:
        yield from _Document(compound).iter_stories()
    except (struct.error, IndexError, ValueError):
        raise Quarantined("corrupt", DAMAGED) from None


class _Document:
    def __init__(self, compound: Compound) -> None:
        self._stream = compound.read("WordDocument")
        mark, self._version = struct.unpack_from("<HH", self._stream)
        flags = self._read_word(FLAGS)
        if flags & ENCRYPTED_FLAG:
            raise Quarantined("encrypted", ENCRYPTED)
        if mark == WORD_97 or self._version >= 0xC1:
            self._table = compound.read("1Table" if flags & TABLE_1_FLAG else "0Table")
            self._old = False
            self._lengths = struct.unpack_from("<8I", self._stream, LENGTHS)
            self._pieces = self._read_pieces(self._read_part(CLX))
        elif mark == WORD_6 or self._version >= 0x65:
            self._table, self._old = self._stream, True
            self._lengths = struct.unpack_from("<8I", self._stream, OLD_LENGTHS)
            start, end = struct.unpack_from("<II", self._stream, FC_MIN)
            if not start <= end <= len(self._stream):
                raise ValueError("more text than the file has bytes")
            self._pieces = [_Piece(0, end - start, start, 1)]
            if flags & COMPLEX_FLAG:
                self._pieces = self._read_pieces(self._read_part(OLD_CLX))
        else:
            raise ValueError("not a document of Word 6 or later")

    def iter_stories(self) -> Iterator[Story]:
        text = "".join(self._read_text(piece) for piece in self._pieces)
        formats = _Formats(self._stream, self._read_part(OLD_PARAGRAPHS if self._old else PARAGRAPHS), self._old)
        start = 0
        for title, length in zip(STORIES, self._lengths, strict=True):
            story = text[start : start + length]
            if story.strip("\r\n\x02\x03\x04\x05 "):
                yield Story(title, list(self._iter_paragraphs(story, start, formats)))
            start += length

    def _iter_paragraphs(self, story: str, start: int, formats: _Formats) -> Iterator[Text]:
        place = 0
        for end, letter in enumerate(story, 1):
            if letter in "\r\x07\x0c" or end == len(story):
                text = story[place:end].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                yield formats.of(text, self._compute_offset(start + end - 1))
                place = end

    def _read_word(self, offset: int) -> int:
        found: int = struct.unpack_from("<H", self._stream, offset)[0]
        return found

    def _read_part(self, offset: int) -> bytes:
        """What an entry of the head points to in the stream of tables."""
        start, size = struct.unpack_from("<II", self._stream, offset)
        return self._table[start : start + size]

    def _read_pieces(self, clx: bytes) -> list[_Piece]:
        place = 0
        while clx[place] == 1:  # formats of pieces, which come first
            place += 3 + struct.unpack_from("<H", clx, place + 1)[0]
        size = struct.unpack_from("<I", clx, place + 1)[0]
        table = clx[place + 5 : place + 5 + size]
        count = (len(table) - 4) // 12
        places = struct.unpack_from(f"<{count + 1}I", table)
        if any(later < earlier for earlier, later in zip(places, places[1:], strict=False)):
            raise ValueError("pieces out of order")
        found = []
        for number in range(count):
            offset = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)[0]
            narrow = self._old or bool(offset & COMPRESSED)
            if offset & COMPRESSED:
                offset = (offset & ~COMPRESSED) // 2
            found.append(_Piece(places[number], places[number + 1], offset, 1 if narrow else 2))
        if places[-1] > len(self._stream):
            raise ValueError("more text than the file has bytes")
        return found

    def _read_text(self, piece: _Piece) -> str:
        size = (piece.end - piece.start) * piece.width
        content = self._stream[piece.offset : piece.offset + size]
        if piece.width == 2:
            # A character of two code units is two places until its paragraph is cut out.
            units = struct.unpack(f"<{len(content) // 2}H", content[: len(content) // 2 * 2])
            return "".join(map(chr, units)).ljust(piece.end - piece.start)
        return content.decode("cp1252", "replace").ljust(piece.end - piece.start)

    def _compute_offset(self, place: int) -> int:
        piece = self._pieces[max(0, bisect_right(self._pieces, place, key=_compute_start) - 1)]
        return piece.offset + (place - piece.start) * piece.width


class _Formats:
    """Properties of paragraphs by the offset of their characters. table: the offsets at which pages of them begin, and
    the numbers of those pages."""

    def __init__(self, stream: bytes, table: bytes, old: bool) -> None:
        self._old = old
        self._starts: list[int] = []
        self._found: list[tuple[int, frozenset[int]]] = []  # (style, marks that are on)
        entry = 2 if old else 4
        count = (len(table) - 4) // (4 + entry)
        for number in range(max(0, count)):
            place = 4 * (count + 1) + entry * number
            page = int.from_bytes(table[place : place + entry], "little") & 0x3FFFFF
            self._read_page(stream[page * PAGE_BYTES : (page + 1) * PAGE_BYTES])

    def of(self, text: str, offset: int) -> Text:
        number = bisect_right(self._starts, offset) - 1
        style, marks = self._found[number] if number >= 0 else (0, frozenset[int]())
        in_table = IN_TABLE in marks or text.endswith("\x07")
        return Text(text, style, in_table, ENDS_ROW in marks, LIST in marks)

    def _read_page(self, page: bytes) -> None:
        if len(page) < PAGE_BYTES:
            return
        count = page[-1]
        width = 7 if self._old else 13
        for number in range(count):
            start = struct.unpack_from("<I", page, 4 * number)[0]
            place = page[4 * (count + 1) + width * number] * 2
            if self._starts and start < self._starts[-1]:
                return
            self._starts.append(start)
            try:
                self._found.append(self._read_properties(page, place) if place else (0, frozenset()))
            except (struct.error, IndexError):  # a format costs no text
                self._found.append((0, frozenset()))

    def _read_properties(self, page: bytes, place: int) -> tuple[int, frozenset[int]]:
        size = page[place] * 2 - 1
        if page[place] == 0:
            place += 1
            size = page[place] * 2
        content = page[place + 1 : place + 1 + size]
        if self._old:
            marks = (IN_TABLE,) * (b"\x18\x01" in content[1:]) + (ENDS_ROW,) * (b"\x19\x01" in content[1:])
            return content[0] if content else 0, frozenset(marks)
        style = int.from_bytes(content[:2], "little")
        return style, frozenset(_list_marks(content[2:]))


def _list_marks(content: bytes) -> Iterator[int]:
    """Properties that are not nought."""
    place = 0
    while place + 2 <= len(content):
        name = int.from_bytes(content[place : place + 2], "little")
        size = OPERAND_BYTES[name >> 13]
        if size < 0:
            wide = name == TABLE_DEFINITION
            size = int.from_bytes(content[place + 2 : place + 4], "little") + 1 if wide else content[place + 2] + 1
        if any(content[place + 2 : place + 2 + size]):
            yield name
        place += 2 + size
