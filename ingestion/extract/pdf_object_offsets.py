"""Where the objects of a PDF begin: those that a version's table names, and those that are written into the file and in
no table. A viewer shows nothing of these, and nothing else looks at their streams."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import pikepdf

STREAM = re.compile(rb"\bstream\r?\n")
PLAIN = rb"(\s*(?:[-+.\d]{1,20}|true|false|null|\[[-+.\d\s]*\])\s*endobj)"
# With what it is where that is a number or a word.
OBJECT = re.compile(rb"(?<!\d)\d{1,10}\s+\d{1,5}\s+obj\b(?:%s)?" % PLAIN)
START_OF_TABLE = re.compile(rb"startxref\s+(\d{1,15})")
BLANKS = b"\0\t\n\f\r "
WRITTEN_OUT = 1  # kind of an object that lies in no stream of objects (ISO 32000-1, 7.5.8)
HEADER_BYTES = 1_024  # offsets count from `%PDF-` where other bytes come first


def cut_streams(content: bytes) -> tuple[bytes, list[int]]:
    """The bytes of a file without what its streams hold, and the offsets of the objects in it but for those that are a
    number or a word. Of a stream that is in no object the offset is its own."""
    pieces, offsets, begin = [], list[int](), 0
    while (found := STREAM.search(content, begin)) and (end := content.find(b"endstream", found.end())) >= 0:
        pieces.append(content[begin : found.start()])
        objects = list(OBJECT.finditer(content, begin, found.start()))
        offsets += [one.start() for one in objects if one[1] is None]
        if not objects or objects[-1][1] or content.find(b"endobj", objects[-1].end(), found.start()) >= 0:
            offsets.append(found.start())
        begin = end + len(b"endstream")
    offsets += [one.start() for one in OBJECT.finditer(content, begin) if one[1] is None]
    return b"stream endstream".join([*pieces, content[begin:]]), offsets


def list_table_offsets(pdf: pikepdf.Pdf) -> set[int]:
    """Where objects of a version begin, by its table, and further tables, which need not name themselves."""
    entries, tables = pdf.get_xref_table().values(), [pdf.trailer.get(key) for key in ("/Prev", "/XRefStm")]
    offsets = [entry.offset for entry in entries if entry.type == WRITTEN_OUT] + tables
    return {offset for offset in offsets if isinstance(offset, int)}


def list_unnamed_objects(
    content: bytes, offsets: Iterable[int], named: Collection[int], ends: Sequence[int]
) -> list[int]:
    """Those of `offsets` at which no version has an object.

    named: offsets by the tables of all versions. ends: byte offsets at which the earlier versions end.
    """
    known = {*named, *(find_table(content, end) for end in (*ends, len(content)))}
    header = max(0, content.find(b"%PDF-", 0, HEADER_BYTES))
    return [offset for offset in offsets if not _is_named(content, offset, known, header)]


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
