"""Excel workbooks of 2003 and earlier: each sheet a heading, each block of cells a table, as of those of today.

xlrd reads the cells; what it leaves out (text boxes, titles of charts, page headers) is taken from the records of the
workbook ([MS-XLS]). Hidden sheets, rows and columns are read like all others.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xlrd
from xlrd.biffh import XLRDError
from xlrd.book import Book
from xlrd.compdoc import CompDocError
from xlrd.sheet import Sheet

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.eyes import Eyes
from ingestion.extract.ole import SIGNATURE, Compound, find_runs
from ingestion.extract.package_parts import record_miss
from ingestion.extract.rows import Grid
from ingestion.extract.xlsx_cells import Formats
from ingestion.sandbox.limits import Limits, Quarantined, Report

DAMAGE = (
    XLRDError,
    CompDocError,
    struct.error,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,  # of the library, where records come in an order that it does not expect
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
    OSError,
)
WORKBOOK = "workbook"
COMMENTS, DRAWN, LINKS, MARGINS = "Comments", "Text boxes and charts", "Links", "Page margins"
ROWS_A_REPORT = 2_000
CODES_OF_HEADER = re.compile(r'&(?:[LCRPNDTFAZGBIUSEXYOH+-]|K[0-9A-F]{6}|\d+|"[^"]*")')
HEADER, FOOTER, TEXT_OBJECT, SERIES_TEXT, CONTINUE, OBJECT, PICTURES = 0x14, 0x15, 0x1B6, 0x100D, 0x3C, 0x5D, 0xEB
SHEET, MACRO_SHEET, CHART_SHEET = 0x85, b"\x01", b"\x02"
PICTURE, OLD_PICTURE = b"\x08", 0x7F  # a kind of object; the record of a picture before 1997
# Records of numbers, colours and sizes; the theme, which is packed.
NUMERIC = frozenset([0xBD, 0xBE, 0xE0, 0x201, 0x203, 0x208, 0x27E, 0x92, 0x87D, 0x896])


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, encrypted, empty."""
    report("reading")
    data = path.read_bytes()
    compound = Compound(path) if data.startswith(SIGNATURE) else None
    builder = Builder()
    cells = 0
    try:
        with xlrd.open_workbook(
            file_contents=data,
            logfile=io.StringIO(),
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,  # or one cell in a corner makes a sheet of millions
            ignore_workbook_corruption=True,  # that Excel opens all the same
        ) as book:
            formats = Formats([_get_format(book, style) for style in book.xf_list], book.datemode == 1)
            for number, name in enumerate(book.sheet_names()):
                builder.add(clean_line(name), "heading", level=1.0)
                cells += _add_sheet(book.sheet_by_index(number), formats, builder, report)
                book.unload_sheet(number)
    except DAMAGE as error:
        if isinstance(error, XLRDError) and "encrypted" in str(error):
            raise Quarantined("encrypted", "This workbook is protected by a password. Save it without one.") from None
        raise Quarantined(
            "corrupt", "This workbook is damaged and cannot be opened. Save it again from Excel."
        ) from None
    stream = (compound.read("Workbook") or compound.read("Book")) if compound else data
    _add_drawing_text(stream, builder)
    if compound is not None:
        _look_at_storages(compound, builder)
        builder.add_properties(compound.properties())
    beside = b"\0".join(content for kind, content in _iter_records(stream) if kind not in NUMERIC)
    builder.add_remainder(find_runs(beside))
    if not cells and not builder.has_gaps():
        raise Quarantined("empty", "All sheets of this workbook are empty. Check that you chose the right file.")
    return builder.build_extraction(sniff.XLS, None, "layout")


def _get_format(book: Book, style: Any) -> str:
    found = book.format_map.get(style.format_key)
    return str(found.format_str) if found is not None else "General"


def _add_sheet(sheet: Sheet, formats: Formats, builder: Builder, report: Report) -> int:
    """The number of cells that say something."""
    cells = 0
    grid = Grid(builder, 2.0)
    for number in range(sheet.nrows):
        row = {
            column: text
            for column in range(sheet.row_len(number))
            if (text := _format_cell(sheet, number, column, formats))
        }
        cells += len(row)
        grid.add(row)
        if number % ROWS_A_REPORT == 0:
            report("reading")
    grid.close()
    links = (text for link in sheet.hyperlink_list for text in (link.url_or_path, link.textmark, link.quicktip))
    builder.add_unsaid((_decode_text(text) for text in links if text), LINKS)
    notes = sheet.cell_note_map.values()
    builder.add_unsaid((f"{note.author}: {note.text}" if note.author else note.text for note in notes), COMMENTS)
    return cells


def _decode_text(text: str | bytes) -> str:
    return text.decode("cp1252", "replace") if isinstance(text, bytes) else text


def _format_cell(sheet: Sheet, row: int, column: int, formats: Formats) -> str:
    kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
    if kind in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return clean_line(formats.number(repr(value), sheet.cell_xf_index(row, column)))
    if kind == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if value else "FALSE"
    if kind == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(value, ""))
    return clean_line(str(value))


def _iter_records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """(type, content) of each record."""
    place = 0
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        yield kind, stream[place + 4 : place + 4 + size]
        place += 4 + size


def _add_drawing_text(stream: bytes, builder: Builder) -> None:
    """Texts of boxes, comments and charts, and of page headers; pictures are recorded."""
    drawn: list[str] = []
    margins: list[str] = []
    awaited = 0  # letters of a text object that follow in the next records
    for kind, content in _iter_records(stream):
        if kind == TEXT_OBJECT and len(content) >= 12:
            awaited = struct.unpack_from("<H", content, 10)[0]
            if awaited:
                drawn.append("")
        elif kind == CONTINUE and awaited and content:
            text = content[1:].decode("utf-16-le" if content[0] & 1 else "latin-1", "replace")[:awaited]
            drawn[-1] += text
            awaited -= len(text)
        elif kind == SERIES_TEXT and len(content) > 3:
            drawn.append(content[4:].decode("utf-16-le" if content[3] & 1 else "latin-1", "replace")[: content[2]])
        elif kind == SHEET and content[5:6] == MACRO_SHEET:
            record_miss(builder, "macros", WORKBOOK)
        elif kind == SHEET and content[5:6] == CHART_SHEET:
            record_miss(builder, "drawing", WORKBOOK)
        elif kind in (HEADER, FOOTER) and len(content) > 3:
            text = content[3:].decode("utf-16-le" if content[2] & 1 else "latin-1", "replace")
            margins.append(CODES_OF_HEADER.sub(" ", text))
        elif kind == OLD_PICTURE or (kind == OBJECT and content[:2] == b"\x15\0" and content[4:5] == PICTURE):
            record_miss(builder, "image", WORKBOOK)
        if kind not in (CONTINUE, TEXT_OBJECT):
            awaited = 0
    builder.add_unsaid((clean_line(text) for text in drawn), DRAWN)
    builder.add_unsaid(map(clean_line, margins), MARGINS)


def _look_at_storages(compound: Compound, builder: Builder) -> None:
    read = "Workbook" if compound.read("Workbook") else "Book"
    builder.add_remainder(compound.list_texts_in(name for name in compound.names if name != (read,)))
    for name in compound.names:
        if name[0].startswith("_VBA_PROJECT"):
            record_miss(builder, "macros", WORKBOOK)
        elif name[0].startswith("MBD") or name[0] == "LNK":
            record_miss(builder, "embedded_object", WORKBOOK)
        elif name[0] == "Revision Log" or name[0].startswith("_SX_DB"):
            record_miss(builder, "unknown_part", WORKBOOK)
