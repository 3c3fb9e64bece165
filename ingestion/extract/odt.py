"""OpenDocument texts (ODF 1.3, part 3): headings, lists and tables in the order of the document, the rest by name.

As in a Word document, comments, notes, headers and footers, what was deleted and what is hidden are not read but
recorded, and a part of the package or a block that nobody thought of blocks the original. Words that no paragraph shows
are one of their own at the end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction, Kind
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line, paragraph
from ingestion.extract.eyes import Eyes
from ingestion.extract.odt_behind import words_behind
from ingestion.extract.package import DAMAGE, Package, attribute, local
from ingestion.extract.package_parts import Part, add_behind, look_at_parts, miss
from ingestion.extract.rows import markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "document"
BEHIND = "Words behind the text"
WIDEST = 64  # columns that one cell may take
# Parts that hold no text of the author, or whose text is read elsewhere here.
SILENT_PARTS = re.compile(
    r"mimetype|(?:content|styles|meta|settings)\.xml|META-INF/.*|Thumbnails/.*|Configurations2/.*|layout-cache|"
    r"manifest\.rdf|Fonts/.*"
)
KNOWN_PARTS = (
    Part(r"Pictures/.*|media/.*", "image"),
    Part(r"Object(?:Replacements)?.*|.*/content\.xml|.*/styles\.xml", "embedded_object"),
    Part(r"Basic/.*|Scripts/.*|Dialogs/.*", "macros"),
    Part(r"Versions/.*|VersionList\.xml", "hidden_data"),
)
# Recorded where they stand, whatever is in them.
RECORDED = {
    "annotation": "comments",
    "tracked-changes": "tracked_changes",
    "note": "footnotes",
    "hidden-text": "hidden_text",
    "hidden-paragraph": "hidden_text",
    "conditional-text": "hidden_text",
    "script": "macros",
    "object": "embedded_object",
    "object-ole": "embedded_object",
    "plugin": "embedded_object",
    "applet": "embedded_object",
    "floating-frame": "embedded_object",
    "forms": "embedded_object",
    "image": "image",
    "section-source": "remote_reference",
}
# Not text of the paragraph they stand in.
ELSEWHERE = frozenset(RECORDED) | {"text-box", "annotation-end", "title", "desc", "table", "list", "p", "h"}
# What is drawn in or behind a paragraph, or on a page: it has paragraphs of its own, and words that describe it.
DRAWN = ("frame", "g", "custom-shape", "rect", "line", "polyline", "polygon", "regular-polygon", "path", "circle") + (
    ("ellipse", "connector", "caption", "measure", "page-thumbnail", "control", "scene")
)
DRAWINGS = tuple(f"{{*}}{name}" for name in DRAWN)
CONTAINERS = frozenset(DRAWN) | frozenset(
    ["section", "index-body", "index-title", "numbered-paragraph", "text-box", "list-item", "list-header"]
    + [f"{kind}-index" for kind in ("alphabetical", "object", "user", "illustration", "table")]
    + ["table-of-content", "bibliography", "a", "span", "ruby", "ruby-base"]
)
# Blocks that say nothing, or nothing that is not said elsewhere.
SILENT_BLOCKS = re.compile(r".*-source|.*-decls|soft-page-break|changes?|change-(?:start|end)|dde-connection.*|number")


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
        _Walk(builder, roots, package.names).run(content)
        if styles is not None and _has_margins(styles):
            miss(builder, "header_footer", WHAT)
        look_at_parts(package, builder, SILENT_PARTS, KNOWN_PARTS, WHAT, eyes)
        if "meta.xml" in package.names:
            builder.add_properties(_properties(package.root("meta.xml")))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.missed():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.extraction(sniff.ODT, None)


class _Walk:
    def __init__(self, builder: Builder, roots: list[Any], parts: Collection[str]) -> None:
        self._builder, self._parts = builder, parts
        self._links: list[tuple[str, str]] = []  # of the paragraph that is being read: target, words
        self._behind: set[str] = set()
        self._hidden = {
            attribute(style, "name")
            for root in roots
            for style in root.iter("{*}style")
            if any(attribute(mark, "display") == "none" for mark in style.iter("{*}text-properties"))
        }

    def run(self, root: Any) -> None:
        for element in root.iter(*(f"{{*}}{name}" for name in RECORDED)):
            if local(element) != "image" or attribute(element, "href") not in self._parts:  # parts are looked at
                miss(self._builder, RECORDED[local(element)], WHAT)
        for element in root.iter("{*}user-field-decl"):
            if attribute(element, "string-value"):
                miss(self._builder, "hidden_data", WHAT)
        for element in root.iter("{*}image", "{*}object", "{*}section-source"):
            if re.match(r"[a-z][a-z0-9+.-]+:", attribute(element, "href") or "", re.I):
                miss(self._builder, "remote_reference", WHAT)
        body = next(root.iter("{*}body"), None)
        for text in body if body is not None else ():
            self._blocks(text, "text")
            self._tell_behind(text, 0, ())

    def _blocks(self, parent: Any, kind: Kind) -> None:
        """Block elements in order; an own stack, since lists may lie in each other deeply."""
        waiting = [(child, kind) for child in reversed(parent)]
        while waiting:
            element, kind = waiting.pop()
            name = local(element)
            first = len(self._builder)
            if name in ("p", "h"):
                self._paragraph(element, name, kind)
                self._tell_behind(element, first)
                drawn = [one for one in element.iter(*DRAWINGS) if _outer(one, element)]
                waiting += [(one, "text") for one in reversed(drawn)]
            elif name == "table":
                self._table(element)
                self._tell_behind(element, first)
            elif name in ("title", "desc"):  # words that describe what is drawn
                self._builder.add(paragraph("".join(element.itertext())))
            elif name == "list":
                waiting += [(child, "list") for child in reversed(element)]
            elif name in CONTAINERS:
                if attribute(element, "display") == "none":
                    miss(self._builder, "hidden_text", WHAT)
                else:
                    waiting += [(child, kind) for child in reversed(element)]
            elif name not in RECORDED and not SILENT_BLOCKS.fullmatch(name) and "".join(element.itertext()).strip():
                miss(self._builder, "unknown_part", WHAT)

    def _tell_behind(self, element: Any, first: int, path: tuple[str, ...] | None = None) -> None:
        """Each where it stands first, under the headings there."""
        words = [word for word in words_behind(element) if word not in self._behind]
        self._behind.update(words)
        add_behind(self._builder, BEHIND, words, first, path)

    def _paragraph(self, element: Any, name: str, kind: Kind) -> None:
        text = self._spoken(element)
        links, self._links = self._links, []
        if name == "h":
            level = attribute(element, "outline-level") or "1"
            depth = float(level) if level.isdigit() else 1.0
            self._builder.add(one_line(text), "heading", level=depth, links=links)
        else:
            self._builder.add(paragraph(text), kind, links=links)

    def _spoken(self, element: Any) -> str:
        if attribute(element, "style-name") in self._hidden:
            if "".join(element.itertext()).strip():
                miss(self._builder, "hidden_text", WHAT)
            return ""
        said = [element.text or ""]
        for child in element:
            name = local(child)
            if name == "s":
                said.append(" ")
            elif name in ("tab", "line-break"):
                said.append("\n" if name == "line-break" else " ")
            elif name == "a":
                said.append(self._linked(child))
            elif name and name not in ELSEWHERE:
                said.append(self._spoken(child))
            said.append(child.tail or "")
        return "".join(said)

    def _linked(self, element: Any) -> str:
        """The words of a link, and its target behind them: it is in the file, so it is classified like them."""
        words, target = self._spoken(element), one_line(attribute(element, "href") or "")
        if not target or target.startswith("#"):
            return words
        self._links.append((target, words))
        return words if target in words else f"{words.rstrip()} ({target}){' ' * words.endswith(' ')}"

    def _table(self, table: Any) -> None:
        """A table in a cell of a table is told within that cell."""
        if any(attribute(part, "visibility") in ("collapse", "filter") for part in table.iter("{*}table-column")):
            miss(self._builder, "hidden_cells", WHAT)
            return
        rows: list[list[str]] = []
        for row in _rows(table):
            if attribute(row, "visibility") in ("collapse", "filter"):
                miss(self._builder, "hidden_cells", WHAT)
                continue
            rows.append([])
            for cell in row:
                if local(cell) in ("table-cell", "covered-table-cell"):
                    lines = (one_line(self._spoken(line)) for line in cell.iter("{*}p", "{*}h"))
                    repeated = attribute(cell, "number-columns-repeated") or "1"
                    text = " ".join(line for line in lines if line)
                    rows[-1] += [text] * (min(int(repeated), WIDEST) if repeated.isdigit() else 1)
        links, self._links = self._links, []
        first = len(self._builder)
        if max((len(row) for row in rows), default=0) == 1 or len(rows) == 1:  # a frame around text, not a table
            for row in rows:
                self._builder.add("\n".join(cell for cell in row if cell))
        else:
            self._builder.add(markdown_table(rows), "table")
        self._builder.link_since(first, links)
        for mark in table.iter("{*}title", "{*}desc"):
            self._builder.add(paragraph("".join(mark.itertext())))


def _rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside it."""
    for child in table:
        if local(child) == "table-row":
            yield child
        elif local(child) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(child)


def _outer(drawn: Any, within: Any) -> bool:
    """Whether nothing else that is drawn lies between it and the paragraph it hangs on."""
    for above in drawn.iterancestors():
        if above is within:
            return True
        if local(above) in (*DRAWN, *RECORDED):
            return False
    return False


def _has_margins(styles: Any) -> bool:
    margins = styles.iter(*(f"{{*}}{kind}{side}" for kind in ("header", "footer") for side in ("", "-left", "-first")))
    return any("".join(margin.itertext()).strip() for margin in margins)


def _properties(meta: Any) -> dict[str, str]:
    said: dict[str, str] = {}
    names = {"title", "subject", "description", "keyword", "initial-creator", "creator", "user-defined"}
    for element in meta.iter():
        name, text = local(element), one_line(" ".join(element.itertext()))
        if name in names and text:
            said[(attribute(element, "name") or name if name == "user-defined" else name).capitalize()] = text
    return said
