"""Every string of a PDF that its pages do not show: of objects, of streams by what they are for, of drawings that no
page shows, of earlier versions, and of the bytes between the objects. A stream that is on no list is an unknown part.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
from lxml import etree

from ingestion.extract.build import Builder
from ingestion.extract.font_strings import list_texts_of_font
from ingestion.extract.pdf_digests import StreamDigests
from ingestion.extract.pdf_images import FILES, compute_readable_share, sweep_image
from ingestion.extract.pdf_object_offsets import (
    Offsets,
    count_loose_bytes,
    cut_streams,
    has_unnamed_objects,
    list_table_offsets,
)
from ingestion.extract.pdf_strings import (
    FILE_TABLE,
    INDEXED,
    REFERENCE,
    list_content_strings,
    list_file_strings,
    list_syntax_strings,
    list_table_strings,
)
from ingestion.extract.remainder import READABLE_SHARE, list_texts_in_bytes
from ingestion.extract.sweep_xml import list_texts_of_xml

MAX_STREAM_BYTES = 16 << 20
MAX_FILE_BYTES = 128 << 20
MAX_SHEETS = 400  # drawings that no page shows and are read by themselves
MAX_EARLIER_PAGES = 300
DRAWS_TEXT = (b"Tj", b"TJ", b"'", b'"')
DAMAGED = (pikepdf.PdfError, pdfium.PdfiumError, ValueError, TypeError, AttributeError, KeyError, OSError, RuntimeError)
FONTS = frozenset(["FontFile", "FontFile2", "FontFile3"])
TABLES = frozenset(["ToUnicode", "Encoding", "UseCMap"])
EMBEDDED, COLOURS = "of /EF", "of /Indexed"  # roles that no key says
# Tables of colours and of letters, by how many bytes they can have at most.
TABLE_BYTES = {COLOURS: 1_024, "CIDSet": 8_192, "CIDToGIDMap": 131_072}
BETWEEN_OBJECTS = b"\n>]\n"  # no string, name or array goes on behind it
MAX_LOOSE_BYTES = 512  # that are no text, between two objects: programs write marks and padding there
BATCH_BYTES = 1 << 20
HINT_BYTES = 16  # for each object of a file
UNKNOWN = "This PDF has parts that are not known here; they were not read."
SAID_DAMAGED = re.compile("reconstruct|damaged")  # by pikepdf, of a file
EARLIER = "This PDF keeps an earlier version of itself, which was not read."
Place = tuple[int, int]


@dataclass(slots=True)
class Objects:
    """streams: all of a file. speaking: dictionaries that may say something to people."""

    streams: list[pikepdf.Stream] = field(default_factory=list)
    speaking: list[pikepdf.Dictionary] = field(default_factory=list)


@dataclass(slots=True)
class Sweep:
    """roles: the keys by which objects refer to a stream. known: strings and names whose text is recorded."""

    builder: Builder
    roles: dict[Place, set[str]] = field(default_factory=dict)
    _linearized: bool = False
    _drawings: list[pikepdf.Object] = field(default_factory=list)
    _objects: set[Place] = field(default_factory=set)
    _offsets: Offsets = field(default_factory=Offsets)  # of the objects that the table of a version names
    _known: set[bytes] = field(default_factory=set)

    def sweep_objects(self, pdf: pikepdf.Pdf) -> Objects:
        """Strings of all objects, and what each stream is there for."""
        self.roles.clear()
        found, batch, size = Objects(), list[bytes](), 0
        for entry in (pdf.trailer, *pdf.objects):
            if isinstance(entry, pikepdf.Stream):
                found.streams.append(entry)
                syntax = entry.stream_dict.unparse(resolved=True)
            elif isinstance(entry, pikepdf.Object):
                syntax = entry.unparse(resolved=True)
                if _can_have_text(syntax) and isinstance(entry, pikepdf.Dictionary):
                    found.speaking.append(entry)
            else:
                continue
            if entry.is_indirect:
                self._objects.add(entry.objgen)
            batch.append(syntax)
            size += len(syntax)
            if size > BATCH_BYTES:
                self._syntax(BETWEEN_OBJECTS.join(batch), pdf)
                batch, size = [], 0
        self._syntax(BETWEEN_OBJECTS.join(batch), pdf)
        self._offsets |= list_table_offsets(pdf, found.streams)
        return found

    def _syntax(self, syntax: bytes, pdf: pikepdf.Pdf) -> None:
        """Of many objects at once: most are short, and a call for each takes longer than what it does."""
        self._linearized = self._linearized or b"/Linearized" in syntax
        for key, number, version in set(REFERENCE.findall(syntax)):
            self.roles.setdefault((int(number), int(version)), set()).add(key.decode())
        for number, version in INDEXED.findall(syntax):
            self.roles.setdefault((int(number), int(version)), set()).add(COLOURS)
        for place in find_files(syntax, pdf):
            self.roles.setdefault(place, set()).add(EMBEDDED)
        self.builder.add_remainder(list_syntax_strings(syntax, self._known))

    def sweep_stream(
        self, stream: pikepdf.Stream, of_page: bool, content: bytes | None = None, raw: bytes | None = None
    ) -> None:
        """Strings of a stream, by what it is. content, raw: of the stream, unpacked and packed, where they are known
        already."""
        try:
            self._stream(stream, of_page, content, raw)
        except DAMAGED:
            self.builder.miss("damaged_part", "A part of this PDF is damaged; it was not read.")

    def _stream(self, stream: pikepdf.Stream, of_page: bool, content: bytes | None, raw: bytes | None) -> None:
        kind, own = str(stream.get("/Type", "")), str(stream.get("/Subtype", ""))
        roles = self.roles.get(stream.objgen, set())
        if EMBEDDED in roles or kind == "/EmbeddedFile":
            self.builder.miss("attachment", "Files are attached to this PDF; they were not read.")
        if own == "/Image" or "Thumb" in roles:
            sweep_image(stream, stream.read_raw_bytes() if raw is None else raw, self.builder)
            if "Thumb" in roles:
                self.builder.miss("thumbnail", "This PDF has small pictures of its pages, which were not read.")
            return
        if content is None and (content := self._unpack_content(stream)) is None:
            return
        if content.startswith(FILES):
            self.builder.miss("unknown_part", UNKNOWN)
        if (kind == "/XRef" and _is_xref(stream, content)) or (kind == "/ObjStm" and _holds_objects(stream, content)):
            self.builder.add_remainder(list_syntax_strings(content, self._known) if kind == "/ObjStm" else ())
        elif of_page or own == "/Form" or "/PatternType" in stream or "CharProcs" in roles:
            self.builder.add_remainder(list_content_strings(content, self._known))
            if not of_page and any(sign in content for sign in DRAWS_TEXT):
                self._drawings.append(stream)
        elif own == "/XML" or kind == "/Metadata" or "XFA" in roles:
            self._sweep_packet(stream, content)
        elif roles & FONTS:
            self.builder.add_remainder(list_texts_of_font(content))
        elif kind == "/CMap" or "/CMapName" in stream or roles & TABLES or "/FunctionType" in stream:
            self.builder.add_remainder(list_table_strings(content, self._known))
        elif self._is_numbers(stream, roles, content):
            self.builder.add_remainder(text for text in list_texts_in_bytes(content) if not _is_rising(text))
        elif content.lstrip()[:5] in (b"<?xml", b"<xdp:") or content.lstrip()[:1] == b"<":
            self._sweep_packet(stream, content)
        else:
            self._sweep_unlisted(stream, content)

    def _is_numbers(self, stream: pikepdf.Stream, roles: set[str], content: bytes) -> bool:
        """Whether its form, and not only a key, says that it is a profile, a table of numbers, or a hint."""
        if content[36:40] == b"acsp":  # a profile of colours (ICC.1, 7.2)
            return 0 <= len(content) - int.from_bytes(content[:4]) < 4
        if any(len(content) <= TABLE_BYTES.get(role, 0) for role in roles):
            return True
        return self._linearized and _has_hints(stream) and len(content) <= HINT_BYTES * (16 + len(self._objects))

    def _sweep_packet(self, stream: pikepdf.Stream, content: bytes) -> None:
        try:
            self.builder.add_remainder(list(list_texts_of_xml(content.strip(b"\0 \r\n\t"))), packed=True)
        except etree.LxmlError:
            self._sweep_unlisted(stream, content)

    def _sweep_unlisted(self, stream: pikepdf.Stream, content: bytes) -> None:
        """A program, a letter of a font, contents of a page that is gone, data of another program."""
        if compute_readable_share(content) < READABLE_SHARE:
            self.builder.miss("unknown_part", UNKNOWN)
        if b"BT" in content and b"ET" in content:
            self._drawings.append(stream)
            self.builder.add_remainder(list_content_strings(content, self._known))
        self.builder.add_remainder(list_texts_in_bytes(content), packed=True)

    def _unpack_content(self, stream: pikepdf.Stream) -> bytes | None:
        """Unpacked; None where that is too much, or where it was met before."""
        raw = stream.read_raw_bytes()
        if len(raw) > MAX_STREAM_BYTES:
            self.builder.miss("remainder_too_large", "A part of this PDF is too large; it was not read.")
            return None
        content = stream.read_bytes(pikepdf.StreamDecodeLevel.generalized)
        if len(content) > 4 * MAX_STREAM_BYTES:
            self.builder.miss("remainder_too_large", "A part of this PDF is too large; it was not read.")
            return None
        return content

    def sweep_drawings(self, pdf: pikepdf.Pdf) -> None:
        """Text of drawings, as far as no page shows it: patterns, masks, looks of marks, letters that are drawn. Each
        is put on a page of its own."""
        drawings, self._drawings = self._drawings, []
        if len(drawings) > MAX_SHEETS:
            self.builder.miss("drawing", "This PDF has very many drawings; text in them was not read.")
        if drawings:
            try:
                self.builder.add_remainder(_read_sheets(drawings[:MAX_SHEETS]))
            except DAMAGED:
                self.builder.miss("damaged_part", "A drawing of this PDF is damaged; it was not read.")

    def sweep_earlier(self, before: pikepdf.Pdf, content: bytes, newest: Collection[bytes]) -> None:
        """Strings of an earlier version, and the text of its pages. A drawing that is no longer there is on record, for
        nothing looks at it. newest: digests of the streams of the newest version."""
        streams = self.sweep_objects(before).streams
        of_pages = {place for place, keys in self.roles.items() if "Contents" in keys}
        digests, is_lost = StreamDigests(self.roles), False
        for entry in streams:
            is_lost = digests.has_lost_drawing(entry, newest, self._unpack_content) or is_lost
            self.sweep_stream(entry, of_page=entry.objgen in of_pages)
        # A table that names objects wrongly is made anew without a word, and what it named is nobody's.
        if is_lost or any(SAID_DAMAGED.search(str(warning)) for warning in before.get_warnings()):
            self.builder.miss("earlier_revision", EARLIER)
        self.sweep_drawings(before)
        if len(before.pages) > MAX_EARLIER_PAGES:
            self.builder.miss("earlier_revision", EARLIER)
            return
        self.builder.add_remainder(_list_page_texts(content))

    def of_file(self, path: Path, encrypted: bool, ends: Sequence[int]) -> None:
        """Bytes that are in no object of a version, and objects that no version's table names. ends: of the earlier
        versions."""
        if path.stat().st_size > MAX_FILE_BYTES:
            self.builder.miss(
                "remainder_too_large", "This PDF is too large; what stands between its parts was not read."
            )
            return
        content = path.read_bytes()
        rest, offsets = cut_streams(content)
        if not encrypted:  # else strings are not what they look like
            self.builder.add_remainder(list_file_strings(content, rest, self._known))
        if has_unnamed_objects(content, offsets, self._offsets, ends) or count_loose_bytes(rest) > MAX_LOOSE_BYTES:
            self.builder.miss("unknown_part", UNKNOWN)


def _can_have_text(syntax: bytes) -> bool:
    """Keys as pikepdf writes them: a value follows after a blank."""
    return b"/Alt" in syntax or b"/ActualText" in syntax or b"/E " in syntax


def find_files(syntax: bytes, pdf: pikepdf.Pdf) -> Iterator[Place]:
    """Streams that are files, by what refers to them (ISO 32000-1, 7.11.4)."""
    for inside, number, version in FILE_TABLE.findall(syntax):
        if number:
            held = pdf.get_object(int(number), int(version))
            inside = held.unparse(resolved=True) if isinstance(held, pikepdf.Dictionary) else b""
        for _, place, its_version in REFERENCE.findall(inside):
            yield int(place), int(its_version)


def _has_hints(stream: pikepdf.Stream) -> bool:
    """Whether a stream tells viewers where the objects of a page begin (ISO 32000-1, annex F)."""
    return isinstance(stream.get("/S"), int) and "/Type" not in stream


def _is_xref(stream: pikepdf.Stream, content: bytes) -> bool:
    """Whether it is rows of numbers, each with one of three kinds first (ISO 32000-1, 7.5.8)."""
    sizes = [int(size) for size in stream.get("/W", [])]  # type: ignore[attr-defined]
    return sizes[:1] == [1] and len(content) % sum(sizes) == 0 and set(content[:: sum(sizes)]) <= {0, 1, 2}


def _holds_objects(stream: pikepdf.Stream, content: bytes) -> bool:
    """Whether numbers and places of objects stand before those (ISO 32000-1, 7.5.7)."""
    head = content[: int(stream.get("/First", 0))].split()
    return len(head) == 2 * int(stream.get("/N", 0)) > 0 and all(map(bytes.isdigit, head))


def _is_rising(text: str) -> bool:
    """Numbers of letters, one after the other, look like a text."""
    return sum(a < b for a, b in pairwise(text)) > 0.8 * len(text)


def _read_sheets(drawings: Sequence[Any]) -> Iterator[str]:
    sheets = pikepdf.new()
    for drawing in drawings:
        copy: Any = sheets.copy_foreign(drawing)
        copy["/Type"], copy["/Subtype"] = pikepdf.Name.XObject, pikepdf.Name.Form
        for key in ("/PatternType", "/OC", "/Matrix"):
            if key in copy:
                del copy[key]
        if "/BBox" not in copy:
            copy["/BBox"] = pikepdf.Array([-10_000, -10_000, 10_000, 10_000])
        page = sheets.add_blank_page(page_size=(2_000, 2_000))
        page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(D=copy))
        page.obj.Contents = sheets.make_stream(b"/D Do")
    out = io.BytesIO()
    sheets.save(out)
    yield from _list_page_texts(out.getvalue())


def _list_page_texts(content: bytes) -> Iterator[str]:
    with pdfium.PdfDocument(content) as document:
        for page in document:
            text = page.get_textpage()
            yield from text.get_text_range(errors="replace").splitlines()
            text.close()
            page.close()
