"""OpenDocument spreadsheets: each sheet a heading, each block of cells a table, as of Excel workbooks.

The sheets are read as a stream. Cells show what their program kept with them; what is hidden is read like the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.eyes import Eyes
from ingestion.extract.odt import KNOWN_PARTS, SILENT_PARTS, properties_of, refuse_encrypted
from ingestion.extract.package import DAMAGE, Package, attribute, forget, local
from ingestion.extract.package_parts import add_behind, look_at_parts, miss
from ingestion.extract.rows import Grid
from ingestion.extract.xlsx_cells import words_in_formula
from ingestion.sandbox.limits import Limits, Quarantined, Report

WORKBOOK = "workbook"
BEHIND, COMMENTS, DRAWN = "Words behind the cells", "Comments", "Text boxes"
MOST_REPEATED = 64  # cells or rows that one element stands for
ROWS_A_REPORT = 2_000
RECORDED = {"image": "image", "object": "embedded_object", "script": "macros", "tracked-changes": "tracked_changes"}
TAGS = ["{*}table", "{*}table-row", "{*}shapes", "{*}named-range", "{*}content-validation"]


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted."""
    package = Package(path, limits, "LibreOffice")
    report("reading")
    builder = Builder()
    try:
        refuse_encrypted(package)
        _Workbook(package, builder, report).run()
        look_at_parts(package, builder, SILENT_PARTS, KNOWN_PARTS, WORKBOOK, eyes)
        if "meta.xml" in package.names:
            builder.add_properties(properties_of(package.root("meta.xml")))
    except DAMAGE:
        raise package.corrupt() from None
    return builder.extraction(sniff.ODS, None, "layout")


class _Workbook:
    def __init__(self, package: Package, builder: Builder, report: Report) -> None:
        self._package, self._builder, self._report = package, builder, report
        self._cells = self._rows = 0
        self._grid = Grid(builder, 2.0)
        self._comments: list[str] = []
        self._drawn: list[str] = []
        self._behind: list[str] = []

    def run(self) -> None:
        first = 0
        for event, element in self._package.walk_events("content.xml", TAGS, ("start", "end")):
            name = local(element)
            inner = element.getparent() is not None and local(element.getparent()) not in ("spreadsheet", "table")
            if event == "start" and name == "table" and not inner:
                first = len(self._builder)
                self._builder.add(one_line(attribute(element, "name") or ""), "heading", level=1.0)
            elif event == "end" and name == "table" and not inner:
                self._close(first)
            elif event == "end" and name == "table-row":
                self._add_row(element)
                forget(element)
            elif event == "end" and name != "table":
                self._drawn += [one_line("".join(line.itertext())) for line in element.iter("{*}p")]
                self._look_at(element)
                self._behind += element.attrib.values() if name in ("named-range", "content-validation") else ()
        self._close(first)
        if not self._cells and not self._builder.missed():
            raise Quarantined("empty", "All sheets of this workbook are empty. Check that you chose the right file.")

    def _close(self, first: int) -> None:
        """The end of a sheet: what stands beside its cells."""
        self._grid.close()
        self._builder.add_unsaid(self._drawn, DRAWN)
        self._builder.add_unsaid(self._comments, COMMENTS)
        add_behind(self._builder, BEHIND, self._behind, first)
        self._drawn, self._comments, self._behind = [], [], []

    def _add_row(self, row: Any) -> None:
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            if local(cell) not in ("table-cell", "covered-table-cell"):
                continue
            repeated = _repeated(cell, "number-columns-repeated")
            if text := self._text(cell):
                cells |= dict.fromkeys(range(column, column + min(repeated, MOST_REPEATED)), text)
            column += repeated
        self._cells += len(cells)
        for _ in range(min(_repeated(row, "number-rows-repeated"), MOST_REPEATED) if cells else 1):
            self._grid.add(cells)
        self._rows += 1
        if self._rows % ROWS_A_REPORT == 0:
            self._report("reading")

    def _text(self, cell: Any) -> str:
        """What the cell shows. Its comment, its drawings and the words of its formula are told behind the sheet."""
        for child in cell:
            if local(child) == "annotation":
                lines = ["".join(line.itertext()) for line in child.iter("{*}creator", "{*}p")]
                self._comments.append(one_line(": ".join(lines)))
            elif local(child) not in ("p", ""):
                self._drawn += [one_line("".join(line.itertext())) for line in child.iter("{*}p")]
                self._look_at(child)
        for link in cell.iter("{*}a"):
            self._behind.append(attribute(link, "href") or "")
        self._behind += words_in_formula(attribute(cell, "formula") or "")
        said = " ".join(text for line in cell.iterchildren("{*}p") if (text := _line(line)))
        return said or one_line(attribute(cell, "string-value") or attribute(cell, "value") or "")

    def _look_at(self, element: Any) -> None:
        self._behind += (text for one in element.iter("{*}title", "{*}desc") for text in one.itertext())
        for inner in element.iter(*(f"{{*}}{name}" for name in RECORDED)):
            if local(inner) != "image" or attribute(inner, "href") not in self._package.names:  # parts are looked at
                miss(self._builder, RECORDED[local(inner)], WORKBOOK)


def _line(line: Any) -> str:
    """Blanks, tabs and ends of lines are elements."""
    said = [line.text or ""]
    for element in line.iterdescendants():
        said += [" " if local(element) in ("s", "tab", "line-break") else element.text or "", element.tail or ""]
    return one_line("".join(said))


def _repeated(element: Any, name: str) -> int:
    count = attribute(element, name) or "1"
    return max(1, int(count)) if count.isdecimal() and len(count) < 9 else 1
