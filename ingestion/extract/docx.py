"""Word documents: paragraphs, headings, lists and tables in the order of the body, and everything else by name.

Text in content controls, tracked insertions and text boxes is read where it stands. Every part of the package is either
known and read, known to hold no text, or recorded as not accounted for: a part nobody thought of blocks the original.
Words that no paragraph shows are one of their own behind the block that they belong to, so that they are labelled like
any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line, paragraph
from ingestion.extract.docx_behind import words_behind
from ingestion.extract.docx_numbers import Numbers
from ingestion.extract.docx_styles import Styles
from ingestion.extract.docx_text import (
    GONE,
    Links,
    is_gone,
    misses_of_body,
    paragraphs_inside,
    spoken,
    transitional,
    value_of,
    w,
)
from ingestion.extract.drawn_parts import add_drawn
from ingestion.extract.embedded_files import add_embedded
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import CORE, DAMAGE, Package, properties
from ingestion.extract.package_parts import Part, add_behind, look_at_parts, miss
from ingestion.extract.rows import markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "document"
BEHIND = "Words behind the text"
WIDEST = 64  # columns that one cell may take
# Parts that hold no text of the author, or whose text is read elsewhere here.
SILENT_PARTS = re.compile(
    r"\[Content_Types\]\.xml|(?:.*/)?_rels/.*|word/(?:styles|stylesWithEffects|settings|fontTable|webSettings|numbering|"
    r"commentsExtended|commentsIds|commentsExtensible|people)\.xml|word/theme/.*|word/fonts/.*|"
    rf"docProps/(?:core|app|custom)\.xml|docProps/thumbnail\..*|customXml/itemProps\d+\.xml|docMetadata/LabelInfo\.xml|{CORE}"
)
MARGINS = r"word/(?:header|footer)\d*\.xml"
NUMBERING = "word/numbering.xml"
SAID = ("t", "delText")
KNOWN_PARTS = (
    Part(r"word/comments\d*\.xml", "comments", SAID),
    Part(MARGINS, "header_footer", ()),
    Part(r"word/(?:foot|end)notes\d*\.xml", "footnotes", SAID),
    Part(r"word/media/.*", "image"),
    Part(r"word/(?:embeddings|activeX)/.*", "embedded_object"),
    Part(r"word/(?:charts|diagrams|ink)/.*", "drawing"),
    Part(r"word/vba.*", "macros"),
    Part(r"customXml/item\d+\.xml", "hidden_data", ()),
)


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty."""
    package = Package(path, limits, "Word")
    report("reading")
    builder = Builder()
    try:
        main = package.main()
        body = _Body(package, main, builder)
        body.read()
        for code, detail in misses_of_body(body.root):
            builder.miss(code, detail)
        if "word/settings.xml" in package.names:
            settings = package.root("word/settings.xml")
            if next(settings.iter("{*}docVar", "{*}mailMerge"), None) is not None:
                miss(builder, "hidden_data", WHAT)
        add_drawn(package, builder)
        embedded = add_embedded(package, builder, limits, report)
        look_at_parts(package, builder, SILENT_PARTS, KNOWN_PARTS, WHAT, eyes, [main, *embedded])
        builder.add_properties(properties(package))
    except DAMAGE:
        raise package.corrupt() from None
    extraction = builder.extraction(sniff.DOCX, None)
    if not extraction.paragraphs and not extraction.unaccounted:
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return extraction


class _Body:
    """Walks block-level elements in order."""

    def __init__(self, package: Package, main: str, builder: Builder) -> None:
        self._package, self._builder = package, builder
        links = package.links(main).values()
        styles = next((link.target for link in links if link.kind == "styles"), "")
        self._styles = Styles(transitional(package.root(styles)) if styles in package.names else None)
        declared = transitional(package.root(NUMBERING)) if NUMBERING in package.names else None
        self._numbers = Numbers(declared, self._styles)
        self._links = Links({link.id: one_line(link.target) for link in links if link.external})
        self._waiting: list[str] = []  # words that stand outside its text
        self.root = transitional(package.root(main))

    def read(self) -> None:
        body = self.root.find(w("body"))
        if body is None:
            raise self._package.corrupt()
        self._blocks(body)
        for child in self.root:
            if child is not body:
                self._waiting += words_behind(child)
        self._look_outside()
        add_behind(self._builder, BEHIND, self._waiting, path=())

    def _look_outside(self) -> None:
        """Addresses that nothing in the text leads to, the template, names of lists, words that would stand before
        numbers, and what only its margins say (watermarks).
        """
        for link in self._package.outside():
            if link.kind in ("hyperlink", "attachedTemplate"):
                self._waiting.append(link.target)
            else:
                miss(self._builder, "remote_reference", WHAT)
        self._waiting += self._numbers.unshown()
        if NUMBERING in self._package.names:
            self._waiting += words_behind(transitional(self._package.root(NUMBERING)))
            if self._package.has_text(NUMBERING):
                miss(self._builder, "hidden_data", WHAT)
        for name in self._package.names:
            if re.fullmatch(MARGINS, name) and not self._package.has_text(name):
                self._waiting += words_behind(transitional(self._package.root(name)))

    def _blocks(self, parent: Any) -> None:
        for child in parent:
            if not isinstance(child.tag, str) or child.tag in GONE:
                continue
            if child.tag == w("p"):
                self._paragraph(child)
            elif child.tag == w("tbl"):
                self._table(child)
            elif next(child.iter(w("p"), w("tbl")), None) is not None:
                self._blocks(child)
            else:
                first = len(self._builder)
                self._builder.add(paragraph(spoken(child, self._links)), links=self._links.take())
                self._tell_behind(child, first)

    def _paragraph(self, element: Any) -> None:
        first = len(self._builder)
        text = paragraph(self._said(element))
        links = self._links.take()
        level = self._styles.level(element)
        if level is not None:
            self._builder.add(one_line(text), "heading", level=level, links=links)
        else:
            self._builder.add(text, "list" if self._styles.is_list(element) else "text", links=links)
        for inner in paragraphs_inside(element):  # text boxes stand behind the paragraph they hang on
            self._builder.add(paragraph(self._said(inner)), links=self._links.take())
        self._tell_behind(element, first)

    def _table(self, table: Any) -> None:
        first = len(self._builder)
        rows = list(_rows(table))
        if len(rows) == 1 or max((sum(span for _, span in _cells(row)) for row in rows), default=0) == 1:
            self._blocks(table)  # a frame around text, not a table
            return
        lines = [[said for cell in _cells(row) for said in self._cell(*cell)] for row in rows]
        self._builder.add(markdown_table(lines), "table", links=self._links.take())
        self._tell_behind(table, first)

    def _cell(self, cell: Any, span: int) -> list[str]:
        """Its text, and empty ones for the columns that it spans besides, so that columns stay in line."""
        lines = (one_line(self._said(line)) for line in cell.iter(w("p")) if not is_gone(line))
        return [" ".join(filter(None, lines)), *[""] * (span - 1)]

    def _said(self, element: Any) -> str:
        """What a paragraph says, its number before it."""
        return self._numbers.before(element, spoken(element, self._links))

    def _tell_behind(self, block: Any, first: int) -> None:
        add_behind(self._builder, BEHIND, words_behind(block), first)


HOLDERS = (w("sdt"), w("sdtContent"), w("ins"), w("moveTo"), w("customXml"))


def _rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside it; rows may hide in content controls."""
    for child in table:
        if child.tag == w("tr"):
            yield child
        elif child.tag in HOLDERS:
            yield from _rows(child)


def _cells(row: Any) -> Iterator[tuple[Any, int]]:
    """Cells of a row, and how many columns each takes."""
    for child in row:
        if child.tag == w("tc"):
            span = value_of(child.find(f"{w('tcPr')}/{w('gridSpan')}"))
            yield child, max(1, min(int(span), WIDEST)) if span and span.isdigit() else 1
        elif child.tag in HOLDERS:
            yield from _cells(child)
