"""OpenDocument texts (ODF 1.3, part 3): headings, lists and tables in the order of the document, the rest by name.

Comments, notes, headers and footers stand behind the text; what was deleted and what is hidden is of the remainder, as
everything that no paragraph shows (package_parts.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction, Kind
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.eyes import Eyes
from ingestion.extract.odf import DRAWINGS, DRAWN, list_drawing_descriptions
from ingestion.extract.package import DAMAGE, Package, get_attribute, get_local_name
from ingestion.extract.package_parts import sweep_package
from ingestion.extract.page_numbers import drop_page_numbers
from ingestion.extract.rows import format_markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "document"
WIDEST = 64  # columns that one cell may take
# What stands apart from the paragraph it hangs on; of the first ones the text is read, under a title.
APART = {"annotation": "Comments", "note-body": "Notes"}
RECORDED = frozenset(
    ["annotation", "tracked-changes", "note", "hidden-text", "hidden-paragraph", "conditional-text", "script", "object"]
    + ["object-ole", "plugin", "applet", "floating-frame", "forms", "image", "section-source"]
)
MARGIN = "Page margins"
MARGINS = tuple(f"{{*}}{kind}{side}" for kind in ("header", "footer") for side in ("", "-left", "-first"))
# Not text of the paragraph they stand in.
ELSEWHERE = RECORDED | {"text-box", "annotation-end", "title", "desc", "table", "list", "p", "h"}
CONTAINERS = frozenset(DRAWN) | frozenset(
    ["section", "index-body", "index-title", "numbered-paragraph", "text-box", "list-item", "list-header"]
    + [f"{kind}-index" for kind in ("alphabetical", "object", "user", "illustration", "table")]
    + ["table-of-content", "bibliography", "a", "span", "ruby", "ruby-base"]
)


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted."""
    package = Package(path, limits, "LibreOffice")
    report("reading")
    builder = Builder()
    try:
        if "META-INF/manifest.xml" in package.names:
            manifest = package.root("META-INF/manifest.xml")
            if next(manifest.iter("{*}encryption-data"), None) is not None:
                raise Quarantined("encrypted", "This document is protected by a password. Save it without one.")
        content = package.root("content.xml")
        styles = package.root("styles.xml") if "styles.xml" in package.names else None
        roots = [root for root in (content, styles) if root is not None]
        walk = _Walk(builder, roots)
        walk.run(content)
        for margin in styles.iter(*MARGINS) if styles is not None else ():
            walk.read_apart(margin, MARGIN)
        sweep_package(package, builder, WHAT, eyes)
        if "meta.xml" in package.names:
            builder.add_properties(_read_properties(package.root("meta.xml")))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.build_extraction(sniff.ODT, None)


class _Walk:
    def __init__(self, builder: Builder, roots: list[Any]) -> None:
        self._builder = builder
        self._links: list[tuple[str, str]] = []  # of the paragraph that is being read: target, words
        self._hidden = {
            get_attribute(style, "name")
            for root in roots
            for style in root.iter("{*}style")
            if any(get_attribute(mark, "display") == "none" for mark in style.iter("{*}text-properties"))
        }

    def run(self, root: Any) -> None:
        body = next(root.iter("{*}body"), None)
        for text in body if body is not None else ():
            self._read_blocks(text, "text")
            for mark in text.iter(*(f"{{*}}{name}" for name in APART)):
                self.read_apart(mark, APART[get_local_name(mark)])

    def read_apart(self, element: Any, title: str) -> None:
        """Paragraphs that stand apart from the text, under a title."""
        lines = [clean_paragraph(self._read_visible(line)) for line in element.iter("{*}p", "{*}h")]
        self._links.clear()
        for text in self._builder.find_missing_texts(drop_page_numbers(lines) if title == MARGIN else lines):
            self._builder.add(text, path=(title,))

    def _read_blocks(self, parent: Any, kind: Kind) -> None:
        """Block elements in order; an own stack, since lists may lie in each other deeply."""
        # first: where the block begins that something drawn hangs on. Without a kind: its description, behind its text.
        waiting: list[tuple[Any, Kind | None, int | None]] = [(child, kind, None) for child in reversed(parent)]
        while waiting:
            element, of, first = waiting.pop()
            name = get_local_name(element)
            if of is None:
                self._builder.describe_block(list_drawing_descriptions(element), first or 0)
            elif name in ("p", "h"):
                begin = len(self._builder) if first is None else first
                self._read_paragraph(element, name, of)
                drawn = [one for one in element.iter(*DRAWINGS) if _is_outermost(one, element)]
                waiting += [(one, "text", begin) for one in reversed(drawn)]
            elif name == "table":
                self._read_table(element)
            elif name == "list":
                waiting += [(child, "list", first) for child in reversed(element)]
            elif name in CONTAINERS and get_attribute(element, "display") != "none":
                if name in DRAWN:
                    first = len(self._builder) if first is None else first
                    waiting.append((element, None, first))
                waiting += [(child, of, first) for child in reversed(element)]

    def _read_paragraph(self, element: Any, name: str, kind: Kind) -> None:
        text = self._read_visible(element)
        links, self._links = self._links, []
        if name == "h":
            level = get_attribute(element, "outline-level") or "1"
            depth = float(level) if level.isdigit() else 1.0
            self._builder.add(clean_line(text), "heading", level=depth, links=links)
        else:
            self._builder.add(clean_paragraph(text), kind, links=links)

    def _read_visible(self, element: Any) -> str:
        if get_attribute(element, "style-name") in self._hidden:
            return ""
        said = [element.text or ""]
        for child in element:
            name = get_local_name(child)
            if name == "s":
                said.append(" ")
            elif name in ("tab", "line-break"):
                said.append("\n" if name == "line-break" else " ")
            elif name == "a":
                said.append(self._read_link(child))
            elif name and name not in ELSEWHERE:
                said.append(self._read_visible(child))
            said.append(child.tail or "")
        return "".join(said)

    def _read_link(self, element: Any) -> str:
        """The words of a link, and its target behind them: it is in the file, so it is classified like them."""
        words, target = self._read_visible(element), clean_line(get_attribute(element, "href") or "")
        if not target or target.startswith("#"):
            return words
        self._links.append((target, words))
        return words if target in words else f"{words.rstrip()} ({target}){' ' * words.endswith(' ')}"

    def _read_table(self, table: Any) -> None:
        """A table in a cell of a table is told within that cell."""
        if any(get_attribute(part, "visibility") in ("collapse", "filter") for part in table.iter("{*}table-column")):
            return
        rows: list[list[str]] = []
        for row in _list_rows(table):
            if get_attribute(row, "visibility") in ("collapse", "filter"):
                continue
            rows.append([])
            for cell in row:
                if get_local_name(cell) in ("table-cell", "covered-table-cell"):
                    lines = (clean_line(self._read_visible(line)) for line in cell.iter("{*}p", "{*}h"))
                    repeated = get_attribute(cell, "number-columns-repeated") or "1"
                    text = " ".join(line for line in lines if line)
                    rows[-1] += [text] * (min(int(repeated), WIDEST) if repeated.isdigit() else 1)
        links, self._links = self._links, []
        first = len(self._builder)
        if max((len(row) for row in rows), default=0) == 1 or len(rows) == 1:  # a frame around text, not a table
            for row in rows:
                self._builder.add("\n".join(cell for cell in row if cell))
        else:
            self._builder.add(format_markdown_table(rows), "table")
        self._builder.link_since(first, links)
        marks = table.iter("{*}title", "{*}desc")
        self._builder.describe_block([clean_paragraph("".join(mark.itertext())) for mark in marks], first)


def _list_rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside it."""
    for child in table:
        if get_local_name(child) == "table-row":
            yield child
        elif get_local_name(child) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _list_rows(child)


def _is_outermost(drawn: Any, within: Any) -> bool:
    """Whether nothing else that is drawn lies between it and the paragraph it hangs on."""
    for above in drawn.iterancestors():
        if above is within:
            return True
        if get_local_name(above) in (*DRAWN, *RECORDED):
            return False
    return False


def _read_properties(meta: Any) -> dict[str, str]:
    said: dict[str, str] = {}
    names = {"title", "subject", "description", "keyword", "initial-creator", "creator", "user-defined"}
    for element in meta.iter():
        name, text = get_local_name(element), clean_line(" ".join(element.itertext()))
        if name in names and text:
            said[(get_attribute(element, "name") or name if name == "user-defined" else name).capitalize()] = text
    return said
