"""Excel workbooks: each sheet a heading, each block of cells a table, and everything else by name.

The sheets are read as a stream, so that memory does not grow with them. Nothing is calculated: a formula counts as the
value that Excel kept with it. Hidden sheets are read like others; hidden rows and columns, and what no cell shows, are
of the remainder (package_parts.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line
from ingestion.extract.drawn_parts import add_drawing_text
from ingestion.extract.embedded_files import add_embedded
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import (
    DAMAGE,
    Package,
    Relationship,
    get_attribute,
    get_local_name,
    read_properties,
    release_element,
)
from ingestion.extract.package_parts import list_descriptions, record_miss, sweep_package
from ingestion.extract.rows import Grid
from ingestion.extract.xlsx_cells import Formats, read_format_codes
from ingestion.sandbox.limits import Limits, Quarantined, Report

ROWS_A_REPORT = 2_000
CELL = re.compile(r"([A-Z]{1,3})[0-9]+")
TAGS = ["{*}row", "{*}col", "{*}sheetFormatPr"]
WORKBOOK = "workbook"
COMMENTS = re.compile(r"xl/(?:threadedC|c)omments.*\.xml")


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty."""
    package = Package(path, limits, "Excel")
    report("reading")
    builder = Builder()
    try:
        workbook = _Workbook(package, builder, report)
        workbook.run()
        in_cells = len(builder)
        add_drawing_text(package, builder)
        embedded = add_embedded(package, builder, limits, report)
        sweep_package(package, builder, WORKBOOK, eyes, embedded)
        if not workbook.cells and len(builder) == in_cells and not builder.has_gaps():
            raise Quarantined("empty", "All sheets of this workbook are empty. Check that you chose the right file.")
        builder.add_properties(read_properties(package))
    except DAMAGE:
        raise package.corrupt() from None
    return builder.build_extraction(sniff.XLSX, None, "layout")


class _Workbook:
    def __init__(self, package: Package, builder: Builder, report: Report) -> None:
        self._package, self._builder, self._report = package, builder, report
        self._part = package.main()
        self._links = package.links(self._part)
        self._strings = self._read_shared_strings()
        self.cells = 0
        self._read: set[str] = set()

    def run(self) -> None:
        root = self._package.root(self._part)
        settings = next(root.iter("{*}workbookPr"), None)
        since_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        styles = self._find_link("styles")
        self._formats = Formats(read_format_codes(self._package.root(styles.target)) if styles else [], since_1904)
        for sheet in root.iter("{*}sheet"):
            link = self._links[get_attribute(sheet, "id") or ""]
            name = clean_line(sheet.get("name") or "")
            hidden = sheet.get("state") in ("hidden", "veryHidden")
            self._builder.add(f"{name} (hidden sheet)" if hidden else name, "heading", level=1.0)
            if link.target in self._read:
                raise self._package.corrupt()
            self._read.add(link.target)
            if link.kind in ("worksheet", "chartsheet"):
                self._read_sheet(link)
        for name in self._package.names:
            if COMMENTS.fullmatch(name):
                self._read_comments(self._package.root(name))

    def _find_link(self, kind: str) -> Relationship | None:
        return next((link for link in self._links.values() if link.kind == kind), None)

    def _read_shared_strings(self) -> list[str]:
        link = self._find_link("sharedStrings")
        found: list[str] = []
        if link is not None:
            for element in self._package.walk(link.target, ["{*}si"]):
                found.append(_join_text(element))
                release_element(element)
        return found

    def _read_sheet(self, link: Relationship) -> None:
        blocks = _Blocks(self._builder, self._load_descriptions(link.target))
        hidden_columns: set[int] = set()
        rows_hidden = False
        last_row = 0
        for element in self._package.walk(link.target, TAGS):
            name = get_local_name(element)
            if name == "col" and (_is_true(element.get("hidden")) or element.get("width") == "0"):
                first, last = int(element.get("min") or 1), int(element.get("max") or 1)
                hidden_columns.update(range(max(first, 1), min(last, 16_384) + 1))
            elif name == "sheetFormatPr":
                rows_hidden = _is_true(element.get("zeroHeight"))
            elif name == "row":
                number = int(element.get("r") or last_row + 1)
                if number > last_row + 1:
                    blocks.close()
                last_row = number
                hidden = _is_true(element.get("hidden")) or element.get("ht") == "0"
                row = self._read_row(element, hidden_columns)
                if not (hidden or (rows_hidden and element.get("hidden") is None)):
                    blocks.add(number, row)
                else:
                    self._builder.add_remainder([" | ".join(row.values())])
                if number % ROWS_A_REPORT == 0:
                    self._report("reading")
                release_element(element)
        blocks.close()
        for said in self._builder.find_missing_texts(drawing.text for drawing in blocks.drawn):
            self._builder.add(said)

    def _load_descriptions(self, sheet: str) -> list[_Description]:
        found: list[_Description] = []
        for other in self._package.links(sheet).values():
            if other.kind == "drawing" and not other.external and other.target not in self._read:
                self._read.add(other.target)
                with suppress(Quarantined, *DAMAGE):  # one that does not parse is recorded with the parts
                    for anchor in self._package.root(other.target):
                        rows = [_read_row_number(row) + 1 for row in anchor.iter("{*}row")] or [0]
                        found += [_Description(clean_line(t), rows[0], rows[-1]) for t in list_descriptions(anchor)]
        return found

    def _read_comments(self, root: Any) -> None:
        for comment in root.iter("{*}comment", "{*}threadedComment"):
            said = clean_line(" ".join(t.text or "" for t in comment.iter("{*}t", "{*}text")))
            self._builder.add(said, path=("Comments",))

    def _read_row(self, row: Any, hidden: set[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        unseen: list[str] = []
        column = 0
        for cell in row:
            if get_local_name(cell) != "c":
                continue
            place = CELL.fullmatch(cell.get("r") or "")
            column = _parse_column(place.group(1)) if place else column + 1
            text = self._read_text(cell)
            if not text:
                continue
            self.cells += 1
            if column in hidden:
                unseen.append(text)
            else:
                found[column] = text
        if unseen:
            self._builder.add_remainder([" | ".join([*unseen, *found.values()])])
        return found

    def _read_text(self, cell: Any) -> str:
        """What a cell says; for a formula the value that was kept with it, else the formula."""
        parts = {get_local_name(child): child for child in cell}
        formula, value, kind = parts.get("f"), parts.get("v"), cell.get("t") or "n"
        raw = (value.text or "") if value is not None else ""
        if kind == "inlineStr" and "is" in parts:
            text = _join_text(parts["is"])
        elif kind == "s":
            text = self._strings[int(raw)] if raw else ""
        elif kind == "b":
            text = {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
        elif kind == "n":
            text = self._formats.number(raw, int(cell.get("s") or 0))
        else:
            text = raw
        text = clean_line(text)
        if formula is not None:
            said = formula.text or ""
            if not raw and kind not in ("str", "inlineStr"):
                record_miss(self._builder, "formula", WORKBOOK)
                return clean_line(f"={said}") if said else ""
        return text


@dataclass(frozen=True)
class _Description:
    """What describes a drawing, with the first and the last row that it lies on; 0 for none."""

    text: str
    top: int
    bottom: int


class _Blocks:
    """The blocks of a sheet, each with what describes the drawings on its rows. drawn: what lies on none so far."""

    def __init__(self, builder: Builder, drawn: Sequence[_Description]) -> None:
        self._builder, self._grid, self.drawn = builder, Grid(builder, 2.0), list(drawn)
        self._first, self._top, self._bottom = len(builder), 0, 0

    def add(self, number: int, row: dict[int, str]) -> None:
        if not row:
            self.close()
            return
        self._grid.add(row)
        self._top, self._bottom = self._top or number, number

    def close(self) -> None:
        self._grid.close()
        beside = [one for one in self.drawn if self._top and one.top <= self._bottom and one.bottom >= self._top]
        self.drawn = [one for one in self.drawn if one not in beside]
        self._builder.describe_block([one.text for one in beside], self._first)
        self._first, self._top = len(self._builder), 0


def _join_text(element: Any) -> str:
    """The text of a shared or inline string, without the readings of East Asian words."""
    return "".join(t.text or "" for t in element.iter("{*}t") if get_local_name(t.getparent()) != "rPh")


@cache
def _parse_column(letters: str) -> int:
    """A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _read_row_number(row: Any) -> int:
    said = (row.text or "").strip()
    return int(said) if said.isdecimal() and len(said) < 9 else 0


def _is_true(value: str | None) -> bool:
    return value in ("1", "true", "on")
