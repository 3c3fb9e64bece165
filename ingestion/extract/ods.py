"""OpenDocument spreadsheets: each sheet a heading, each block of cells a table, as of Excel workbooks.

The sheets are read as a stream. Cells show what their program kept with them; what is hidden is read like the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.eyes import Eyes
from ingestion.extract.odf import add_properties, read_comments, read_line, read_lines, record_objects, refuse_encrypted
from ingestion.extract.package import DAMAGE, Package, get_attribute, get_local_name, release_element
from ingestion.extract.package_parts import sweep_package
from ingestion.extract.rows import Grid
from ingestion.sandbox.limits import Limits, Quarantined, Report

WORKBOOK = "workbook"
COMMENTS, DRAWN = "Comments", "Text boxes"
MOST_REPEATED = 64  # cells or rows that one element stands for
ROWS_A_REPORT = 2_000
TAGS = ["{*}table", "{*}table-row", "{*}shapes", "{*}named-range", "{*}content-validation"]


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted."""
    package = Package(path, limits, "LibreOffice")
    report("reading")
    builder = Builder()
    try:
        refuse_encrypted(package)
        _Workbook(package, builder, report).run()
        sweep_package(package, builder, WORKBOOK, eyes)
        add_properties(package, builder)
    except DAMAGE:
        raise package.corrupt() from None
    return builder.build_extraction(sniff.ODS, None, "layout")


class _Workbook:
    def __init__(self, package: Package, builder: Builder, report: Report) -> None:
        self._package, self._builder, self._report = package, builder, report
        self._cells = self._rows = 0
        self._grid = Grid(builder, 2.0)
        self._comments: list[str] = []
        self._drawn: list[str] = []
        self._behind: list[str] = []
        self._pictured: list[str] = []  # what describes the drawings of the block that is being read
        self._first = 0  # where that block begins

    def run(self) -> None:
        for event, element in self._package.walk_events("content.xml", TAGS, ("start", "end")):
            name = get_local_name(element)
            inner = element.getparent() is not None and get_local_name(element.getparent()) not in (
                "spreadsheet",
                "table",
            )
            if event == "start" and name == "table" and not inner:
                self._builder.add(clean_line(get_attribute(element, "name") or ""), "heading", level=1.0)
                self._first = len(self._builder)
            elif event == "end" and name == "table" and not inner:
                self._close_sheet()
            elif event == "end" and name == "table-row":
                self._add_row(element)
                release_element(element)
            elif event == "end" and name != "table":
                self._look_at(element)
                self._drawn += _list_descriptions(element)
                self._behind += element.attrib.values() if name in ("named-range", "content-validation") else ()
        self._close_sheet()
        if not self._cells and not self._builder.has_gaps():
            raise Quarantined("empty", "All sheets of this workbook are empty. Check that you chose the right file.")

    def _close_sheet(self) -> None:
        """The end of a sheet: what stands beside its cells."""
        self._close_block()
        self._builder.add_unsaid(self._drawn, DRAWN)
        self._builder.add_unsaid(self._comments, COMMENTS)
        self._builder.add_remainder(self._behind)
        self._drawn, self._comments, self._behind = [], [], []

    def _close_block(self) -> None:
        self._grid.close()
        self._builder.describe_block(self._pictured, self._first)
        self._pictured, self._first = [], len(self._builder)

    def _add_row(self, row: Any) -> None:
        pictured: list[str] = []
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            if get_local_name(cell) not in ("table-cell", "covered-table-cell"):
                continue
            repeated = _read_repeat_count(cell, "number-columns-repeated")
            pictured += [text for child in cell for text in _list_descriptions(child)]
            if text := self._read_cell(cell):
                cells |= dict.fromkeys(range(column, column + min(repeated, MOST_REPEATED)), text)
            column += repeated
        self._cells += len(cells)
        if cells:
            self._pictured += pictured
        else:
            self._close_block()
            self._drawn += pictured
        for _ in range(min(_read_repeat_count(row, "number-rows-repeated"), MOST_REPEATED) if cells else 1):
            self._grid.add(cells)
        self._rows += 1
        if self._rows % ROWS_A_REPORT == 0:
            self._report("reading")

    def _read_cell(self, cell: Any) -> str:
        """What the cell shows. Its comment and its drawings are told behind the sheet."""
        for child in cell:
            if get_local_name(child) not in ("p", ""):
                self._look_at(child)
        self._behind += (get_attribute(link, "href") or "" for link in cell.iter("{*}a"))
        self._behind.append(get_attribute(cell, "formula") or "")
        lines = " ".join(filter(None, map(read_line, cell.iterchildren("{*}p"))))
        return lines or clean_line(get_attribute(cell, "string-value") or get_attribute(cell, "value") or "")

    def _look_at(self, element: Any) -> None:
        self._comments += read_comments(element)
        self._drawn += read_lines(element)
        record_objects(element, self._package, self._builder, WORKBOOK)


def _list_descriptions(element: Any) -> list[str]:
    return [text for one in element.iter("{*}title", "{*}desc") if (text := read_line(one))]


def _read_repeat_count(element: Any, name: str) -> int:
    count = get_attribute(element, name) or "1"
    return max(1, int(count)) if count.isdecimal() and len(count) < 9 else 1
