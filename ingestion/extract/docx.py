"""Word documents: paragraphs, headings, lists and tables in the order of the body, and everything else by name.

Text in content controls, tracked insertions and text boxes is read where it stands. Every part of the package is
read here, swept for the strings in it, or recorded as not accounted for (package_parts.py). What drawings say to who
cannot see them is a paragraph behind the block that they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.docx_numbers import ListNumbers
from ingestion.extract.docx_styles import Styles
from ingestion.extract.docx_text import (
    GONE,
    Links,
    embeds_files,
    is_gone,
    join_spoken_text,
    list_paragraphs_inside,
    make_transitional,
    read_value,
    w,
)
from ingestion.extract.drawn_parts import add_drawing_text
from ingestion.extract.embedded_files import add_embedded
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import DAMAGE, Package, read_properties
from ingestion.extract.package_parts import list_descriptions, record_miss, sweep_package
from ingestion.extract.page_numbers import drop_page_numbers
from ingestion.extract.rows import format_markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "document"
DESCRIPTIONS = "Descriptions"
WIDEST = 64  # columns that one cell may take
NUMBERING = "word/numbering.xml"
APART = re.compile(r"word/(comments|header|footer|footnotes|endnotes)\d*\.xml")
MARGIN = "Page margins"
TITLES = {
    "comments": "Comments",
    "header": MARGIN,
    "footer": MARGIN,
    "footnotes": "Notes",
    "endnotes": "Notes",
}


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty."""
    package = Package(path, limits, "Word")
    report("reading")
    builder = Builder()
    try:
        main = package.main()
        body = _Body(package, main, builder)
        body.read()
        add_drawing_text(package, builder)
        embedded = add_embedded(package, builder, limits, report)
        if embeds_files(body.root) and not embedded:
            record_miss(builder, "embedded_object", WHAT)
        sweep_package(package, builder, WHAT, eyes, embedded)
        builder.add_properties(read_properties(package))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.build_extraction(sniff.DOCX, None)


class _Body:
    """Walks block-level elements in order."""

    def __init__(self, package: Package, main: str, builder: Builder) -> None:
        self._package, self._builder = package, builder
        links = package.links(main).values()
        styles = next((link.target for link in links if link.kind == "styles"), "")
        self._styles = Styles(make_transitional(package.root(styles)) if styles in package.names else None)
        declared = make_transitional(package.root(NUMBERING)) if NUMBERING in package.names else None
        self._numbers = ListNumbers(declared, self._styles)
        self._links = Links({link.id: clean_line(link.target) for link in links if link.external})
        self.root = make_transitional(package.root(main))

    def read(self) -> None:
        body = self.root.find(w("body"))
        if body is None:
            raise self._package.corrupt()
        self._read_blocks(body)
        self._read_apart()

    def _read_apart(self) -> None:
        """What stands at the margins of pages and in notes."""
        for name in self._package.names:
            kind = APART.fullmatch(name)
            if kind is None:
                continue
            root = make_transitional(self._package.root(name))
            lines = [
                clean_paragraph(join_spoken_text(line, self._links)) for line in root.iter(w("p")) if not is_gone(line)
            ]
            self._links.take()
            title = TITLES[kind[1]]
            for text in self._builder.find_missing_texts(drop_page_numbers(lines) if title == MARGIN else lines):
                self._builder.add(text, path=(title,))

    def _read_blocks(self, parent: Any) -> None:
        for child in parent:
            if not isinstance(child.tag, str) or child.tag in GONE:
                continue
            if child.tag == w("p"):
                self._read_paragraph(child)
            elif child.tag == w("tbl"):
                self._read_table(child)
            elif next(child.iter(w("p"), w("tbl")), None) is not None:
                self._read_blocks(child)
            else:
                first = len(self._builder)
                self._builder.add(clean_paragraph(join_spoken_text(child, self._links)), links=self._links.take())
                self._describe_drawing(child, first)

    def _read_paragraph(self, element: Any) -> None:
        first = len(self._builder)
        text = clean_paragraph(self._read_text(element))
        links = self._links.take()
        level = self._styles.level(element)
        if level is not None:
            self._builder.add(clean_line(text), "heading", level=level, links=links)
        else:
            self._builder.add(text, "list" if self._styles.is_list(element) else "text", links=links)
        for inner in list_paragraphs_inside(element):  # text boxes stand behind the paragraph they hang on
            self._builder.add(clean_paragraph(self._read_text(inner)), links=self._links.take())
        self._describe_drawing(element, first)

    def _read_table(self, table: Any) -> None:
        first = len(self._builder)
        rows = list(_list_rows(table))
        if len(rows) == 1 or max((sum(span for _, span in _list_cells(row)) for row in rows), default=0) == 1:
            self._read_blocks(table)  # a frame around text, not a table
            return
        lines = [[said for cell in _list_cells(row) for said in self._read_cell(*cell)] for row in rows]
        self._builder.add(format_markdown_table(lines), "table", links=self._links.take())
        self._describe_drawing(table, first)

    def _read_cell(self, cell: Any, span: int) -> list[str]:
        """Its text, and empty ones for the columns that it spans besides, so that columns stay in line."""
        lines = (clean_line(self._read_text(line)) for line in cell.iter(w("p")) if not is_gone(line))
        return [" ".join(filter(None, lines)), *[""] * (span - 1)]

    def _read_text(self, element: Any) -> str:
        """What a paragraph says, its number before it."""
        return self._numbers.add_number(element, join_spoken_text(element, self._links))

    def _describe_drawing(self, block: Any, first: int) -> None:
        for said in self._builder.find_missing_texts(list_descriptions(block, is_gone), first):
            self._builder.add_to_block(f"{DESCRIPTIONS}: {clean_paragraph(said)}", first)


HOLDERS = (w("sdt"), w("sdtContent"), w("ins"), w("moveTo"), w("customXml"))


def _list_rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside it; rows may hide in content controls."""
    for child in table:
        if child.tag == w("tr"):
            yield child
        elif child.tag in HOLDERS:
            yield from _list_rows(child)


def _list_cells(row: Any) -> Iterator[tuple[Any, int]]:
    """Cells of a row, and how many columns each takes."""
    for child in row:
        if child.tag == w("tc"):
            span = read_value(child.find(f"{w('tcPr')}/{w('gridSpan')}"))
            yield child, max(1, min(int(span), WIDEST)) if span and span.isdigit() else 1
        elif child.tag in HOLDERS:
            yield from _list_cells(child)
