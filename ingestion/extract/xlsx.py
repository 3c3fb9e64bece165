"""Excel workbooks: each sheet a heading, each block of cells a table, and everything else by name.

The sheets are read as a stream, so that memory does not grow with them. Nothing is calculated: a formula counts as the
value that Excel kept with it. What is hidden (sheets, rows, columns) is not read; a part of the package that nobody
thought of blocks the original. Words that no cell shows (in formulas, page headers, prompts, names, addresses of links)
are a paragraph of their own behind their sheet, so that they are labelled like any text.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.drawn_parts import add_drawn
from ingestion.extract.embedded_files import add_embedded
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import CORE, DAMAGE, Link, Package, attribute, forget, local, properties
from ingestion.extract.package_parts import Part, add_behind, described, look_at_parts, miss
from ingestion.extract.rows import Grid
from ingestion.extract.xlsx_cells import Formats, codes_of, words_in_formula
from ingestion.extract.xlsx_names import words_of_name, words_of_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

ROWS_A_REPORT = 2_000
CELL = re.compile(r"([A-Z]{1,3})[0-9]+")
BEHIND = "Words behind the cells"
RULE = "{http://schemas.microsoft.com/office/excel/2006/main}f"  # a formula that is no cell's
TAGS = ["{*}row", "{*}col", "{*}sheetFormatPr", "{*}dataValidation", "{*}hyperlink", "{*}scenario", RULE] + [
    f"{{*}}{name}"
    for name in ("formula", "formula1", "formula2")
    + tuple(which + part for which in ("odd", "even", "first") for part in ("Header", "Footer"))
]
CODES_OF_HEADER = re.compile(r'&(?:[LCRPNDTFAZGBIUSEXYOH+-]|K[0-9A-F]{6}|K[0-9+-]{5}|\d+|"[^"]*")')
# Parts that hold no text of the author, or whose text is read elsewhere here.
SILENT_PARTS = re.compile(
    r"\[Content_Types\]\.xml|(?:.*/)?_rels/.*|docProps/(?:core|app|custom)\.xml|docProps/thumbnail\..*|"
    r"xl/(?:workbook|styles|sharedStrings|calcChain|metadata)\.xml|xl/theme/.*|xl/printerSettings/.*|"
    r"xl/(?:worksheets|chartsheets)/[^/]*\.xml|xl/tables/[^/]*\.xml|xl/(?:volatileDependencies|persons/[^/]*)\.xml|"
    r"customXml/itemProps\d+\.xml|docMetadata/LabelInfo\.xml|xl/featurePropertyBag/.*|"
    rf"{CORE}"
)
KNOWN_PARTS = (
    Part(r"xl/(?:threadedC|c)omments.*", "comments", ("t", "text")),
    Part(r"xl/media/.*", "image"),
    Part(r"xl/drawings/vmlDrawing.*", "comments", ("div", "font")),
    Part(r"xl/drawings/.*", "drawing", ("t",)),
    Part(r"xl/(?:charts|diagrams|ink|slicer.*|timeline.*)/.*", "drawing"),
    Part(r"xl/(?:embeddings|activeX|ctrlProps)/.*", "embedded_object"),
    Part(r"xl/(?:vba.*|macrosheets/.*)", "macros"),
    Part(r"xl/pivot(?:Cache|Tables)/.*", "hidden_data"),
    Part(r"xl/(?:externalLinks|queryTables|connections|webextensions|model|customData).*", "remote_reference"),
    Part(r"xl/revisions/.*", "tracked_changes"),
    Part(r"customXml/item\d+\.xml", "hidden_data", ()),
)
WORKBOOK = "workbook"
SHEETS = re.compile(r"xl/(?:work|chart)sheets/[^/]*\.xml")
DRAWINGS = re.compile(r"xl/drawings/[^/]*\.(?:xml|vml)")


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty."""
    package = Package(path, limits, "Excel")
    report("reading")
    builder = Builder()
    try:
        _Workbook(package, builder, report).run()
        add_drawn(package, builder)
        embedded = add_embedded(package, builder, limits, report)
        look_at_parts(package, builder, SILENT_PARTS, KNOWN_PARTS, WORKBOOK, eyes, embedded)
        builder.add_properties(properties(package))
    except DAMAGE:
        raise package.corrupt() from None
    return builder.extraction(sniff.XLSX, None, "layout")


class _Workbook:
    def __init__(self, package: Package, builder: Builder, report: Report) -> None:
        self._package, self._builder, self._report = package, builder, report
        self._part = package.main()
        self._links = package.links(self._part)
        self._strings = self._shared_strings()
        self._cells = 0
        self._behind: dict[str, None] = {}
        self._read: set[str] = set()

    def run(self) -> None:
        root = self._package.root(self._part)
        settings = next(root.iter("{*}workbookPr"), None)
        since_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        styles = self._one("styles")
        self._formats = Formats(codes_of(self._package.root(styles.target)) if styles else [], since_1904)
        for sheet in root.iter("{*}sheet"):
            if sheet.get("state") in ("hidden", "veryHidden"):
                miss(self._builder, "hidden_sheet", WORKBOOK)
                continue
            link = self._links[attribute(sheet, "id") or ""]
            first = len(self._builder)
            self._builder.add(one_line(sheet.get("name") or ""), "heading", level=1.0)
            if link.target in self._read:
                raise self._package.corrupt()
            self._read.add(link.target)
            if link.kind in ("worksheet", "chartsheet"):
                self._sheet(link)
            self._add_behind(first)
        for name in self._package.names:
            if SHEETS.fullmatch(name) and name not in self._read:
                miss(self._builder, "hidden_sheet", WORKBOOK)
            elif DRAWINGS.fullmatch(name) and name not in self._read and not self._builder.missed():
                miss(self._builder, "hidden_data", WORKBOOK)
        for name in root.iter("{*}definedName"):
            self._say_behind(*words_of_name(name))
        for element in root.iter("{*}customWorkbookView", "{*}fileSharing"):
            self._say_behind(element.get("name") or "", element.get("userName") or "")
        self._add_behind()
        if not self._cells and not self._builder.missed():
            raise Quarantined("empty", "All sheets of this workbook are empty. Check that you chose the right file.")

    def _one(self, kind: str) -> Link | None:
        return next((link for link in self._links.values() if link.kind == kind), None)

    def _shared_strings(self) -> list[str]:
        link = self._one("sharedStrings")
        found: list[str] = []
        if link is not None:
            for element in self._package.walk(link.target, ["{*}si"]):
                found.append(_words(element))
                forget(element)
        return found

    def _sheet(self, link: Link) -> None:
        grid = Grid(self._builder, 2.0)
        hidden_columns: set[int] = set()
        rows_hidden = False
        last_row = 0
        for element in self._package.walk(link.target, TAGS):
            name = local(element)
            if name == "col" and (_true(element.get("hidden")) or element.get("width") == "0"):
                first, last = int(element.get("min") or 1), int(element.get("max") or 1)
                hidden_columns.update(range(max(first, 1), min(last, 16_384) + 1))
            elif name == "sheetFormatPr":
                rows_hidden = _true(element.get("zeroHeight"))
            elif name == "row":
                number = int(element.get("r") or last_row + 1)
                if number > last_row + 1:
                    grid.close()
                last_row = number
                hidden = _true(element.get("hidden")) or element.get("ht") == "0"
                row = self._row(element, hidden_columns)
                if not (hidden or (rows_hidden and element.get("hidden") is None)):
                    grid.add(row)
                elif row:
                    miss(self._builder, "hidden_cells", WORKBOOK)
                if number % ROWS_A_REPORT == 0:
                    self._report("reading")
                forget(element)
            else:
                self._rest(name, element)
        grid.close()
        self._follow(link.target)

    def _follow(self, part: str) -> None:
        """What a sheet or a drawing refers to: addresses, descriptions of drawings, names in tables."""
        for other in self._package.links(part).values():
            if other.external and other.kind == "hyperlink":
                self._say_behind(other.target)
            elif other.external:
                miss(self._builder, "remote_reference", WORKBOOK)
            elif other.kind in ("drawing", "vmlDrawing") and other.target not in self._read:
                self._read.add(other.target)
                with suppress(Quarantined, *DAMAGE):  # letters of old drawings; one that does not parse is recorded
                    self._say_behind(*described(self._package.root(other.target)))
                self._follow(other.target)
            elif other.kind == "table":
                self._say_behind(*words_of_table(self._package.root(other.target)))

    def _row(self, row: Any, hidden: set[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        column = 0
        for cell in row:
            if local(cell) != "c":
                continue
            place = CELL.fullmatch(cell.get("r") or "")
            column = _column(place.group(1)) if place else column + 1
            text = self._text(cell)
            if not text:
                continue
            self._cells += 1
            if column in hidden:
                miss(self._builder, "hidden_cells", WORKBOOK)
            else:
                found[column] = text
        return found

    def _text(self, cell: Any) -> str:
        """What a cell says; for a formula the value that was kept with it, else the formula."""
        parts = {local(child): child for child in cell}
        formula, value, kind = parts.get("f"), parts.get("v"), cell.get("t") or "n"
        raw = (value.text or "") if value is not None else ""
        if kind == "inlineStr" and "is" in parts:
            text = _words(parts["is"])
        elif kind == "s":
            text = self._strings[int(raw)] if raw else ""
        elif kind == "b":
            text = {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
        elif kind == "n":
            text = self._formats.number(raw, int(cell.get("s") or 0))
        else:
            text = raw
        text = one_line(text)
        if formula is not None:
            said = formula.text or ""
            if not raw and kind not in ("str", "inlineStr"):
                miss(self._builder, "formula", WORKBOOK)
                return one_line(f"={said}") if said else ""
            self._say_behind(*(word for word in words_in_formula(said) if word not in text))
        return text

    def _rest(self, name: str, element: Any) -> None:
        """Elements of a sheet beside its cells that may hold words."""
        if re.fullmatch(r"(?:odd|even|first)(?:Header|Footer)", name):
            self._say_behind(CODES_OF_HEADER.sub(" ", element.text or ""))
        elif name == "dataValidation":
            self._say_behind(*(element.get(key) or "" for key in ("promptTitle", "prompt", "errorTitle", "error")))
        elif name in ("formula1", "formula2", "formula", "f"):
            self._say_behind(*words_in_formula("".join(element.itertext())))
        elif name == "hyperlink":
            self._say_behind(element.get("tooltip") or "", element.get("display") or "")
        elif name == "scenario":
            cells = (f"{cell.get('r')} = {cell.get('val')}" for cell in element.iter("{*}inputCells"))
            self._say_behind(*(element.get(key) or "" for key in ("name", "user", "comment")), *cells)

    def _say_behind(self, *words: str) -> None:
        self._behind.update(dict.fromkeys(said for word in words if (said := one_line(word))))

    def _add_behind(self, first: int = 0) -> None:
        """first: where that begins which may say the same."""
        add_behind(self._builder, BEHIND, self._behind, first)
        self._behind = {}


def _words(element: Any) -> str:
    """The text of a shared or inline string, without the readings of East Asian words."""
    return "".join(t.text or "" for t in element.iter("{*}t") if local(t.getparent()) != "rPh")


@cache
def _column(letters: str) -> int:
    """A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _true(value: str | None) -> bool:
    return value in ("1", "true", "on")
