"""Where the objects of a PDF begin: those that a version's table names, and those that are written into the file and in
no table. A viewer shows nothing of these, and nothing else looks at their streams."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pikepdf

STREAM = re.compile(rb"\bstream[ \t]*(?:\r\n?|\n)")  # blanks, and an end of line by itself, as readers allow them
PLAIN = rb"(\s*(?:[-+.\d]{1,20}|true|false|null|\[[-+.\d\s]{0,200}\])\s*endobj)"
# With what it is where that is a number or a word.
OBJECT = re.compile(rb"(?<!\d)\d++\s++\d++\s++obj\b(?:%s)?" % PLAIN)
BETWEEN_OBJECTS = re.compile(rb"(?:\A|endobj)(.*?)(?=\d\s+\d{1,5}\s+obj\b|\Z)", re.S)
WRITTEN = bytes(range(32, 127)) + b"\0\t\n\f\r"
START_OF_TABLE = re.compile(rb"startxref\s+(\d{1,15})")
BLANKS = b"\0\t\n\f\r "
WRITTEN_OUT = 1  # kind of an object that lies in no stream of objects (ISO 32000-1, 7.5.8)
HEADER_BYTES = 1_024  # offsets count from `%PDF-` where other bytes come first


@dataclass(slots=True)
class Offsets:
    """Where objects begin, and which of them are streams."""

    objects: set[int] = field(default_factory=set)
    streams: set[int] = field(default_factory=set)

    def __ior__(self, other: Offsets) -> Offsets:
        self.objects |= other.objects
        self.streams |= other.streams
        return self


def cut_streams(content: bytes) -> tuple[bytes, Offsets]:
    """The bytes of a file without what its streams hold, and the objects in it but for those that are a number or a
    word. Of a stream that is in no object the offset is its own."""
    pieces, found_in, begin = [], Offsets(), 0
    while (found := STREAM.search(content, begin)) and (end := content.find(b"endstream", found.end())) >= 0:
        pieces.append(content[begin : found.start()])
        objects = list(OBJECT.finditer(content, begin, found.start()))
        found_in.objects |= {one.start() for one in objects if one[1] is None}
        is_inside = objects and not objects[-1][1] and content.find(b"endobj", objects[-1].end(), found.start()) < 0
        found_in.streams.add(objects[-1].start() if is_inside else found.start())
        begin = end + len(b"endstream")
    found_in.objects |= {one.start() for one in OBJECT.finditer(content, begin) if one[1] is None}
    return b"stream endstream".join([*pieces, content[begin:]]), found_in


def list_table_offsets(pdf: pikepdf.Pdf, streams: Iterable[pikepdf.Stream]) -> Offsets:
    """Of the objects of a version, by its table, and of further tables, which need not name themselves.

    streams: all of that version.
    """
    written_out = {place: entry.offset for place, entry in pdf.get_xref_table().items() if entry.type == WRITTEN_OUT}
    of_streams = {written_out.get(stream.objgen) for stream in streams}
    keys = ["/Prev", "/XRefStm"]
    if "/Type" in pdf.trailer:  # a table that is a stream, whose other table nobody reads
        keys.remove("/XRefStm")
    values: list[Any] = [pdf.trailer.get(key) for key in keys]
    tables = {value for value in values if isinstance(value, int)}
    return Offsets({*filter(None, written_out.values()), *tables}, {*filter(None, of_streams), *tables})


def has_unnamed_objects(content: bytes, found: Offsets, named: Offsets, ends: Sequence[int]) -> bool:
    """Whether an object is written out at a place where no version has one, or a stream where none has a stream.

    found: of `content`. named: by the tables of all versions. ends: byte offsets at which the earlier versions end.
    """
    tables = {find_table(content, end) for end in (*ends, len(content))}
    header = max(0, content.find(b"%PDF-", 0, HEADER_BYTES))
    return not all(
        _is_named(content, offset, known, header)
        for offsets, known in ((found.objects, named.objects | tables), (found.streams, named.streams | tables))
        for offset in offsets
    )


def count_loose_bytes(content: bytes) -> int:
    """The most bytes that are no text between two objects, or before the first. content: a file without its streams."""
    return max((len(between.translate(None, WRITTEN)) for between in BETWEEN_OBJECTS.findall(content)), default=0)


def _is_named(content: bytes, offset: int, known: Collection[int], header: int) -> bool:
    """Whether the object that begins at `offset` is in `known`, where it may begin with the blanks before it."""
    while offset - header not in known:
        offset -= 1
        if offset < 0 or content[offset] not in BLANKS:
            return False
    return True


def find_table(content: bytes, end: int) -> int:
    """Where the table of the version begins that ends at byte `end`; -1 where nothing says it."""
    found = START_OF_TABLE.match(content, max(0, content.rfind(b"startxref", 0, end)))
    return int(found[1]) if found else -1
