"""Word documents: paragraphs, headings, lists and tables in the order of the body, and everything else by name.

python-docx opens the package and resolves styles; the body is walked here, because its own iteration leaves out text
in content controls, tracked insertions and text boxes. Every part of the package is either known and read, known to
hold no text, or recorded as not accounted for: a part nobody thought of blocks the original.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from lxml import etree

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line, paragraph
from ingestion.extract.docx_text import misses_of_body, paragraphs_inside, spoken
from ingestion.extract.rows import markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

MAX_MEMBERS = 10_000
HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)", re.I)
TITLE_STYLES = frozenset({"title", "titel", "titre", "título", "titolo"})
# Parts that hold no text of the author, or whose text is read elsewhere here.
SILENT_PARTS = re.compile(
    r"/(\[Content_Types\]\.xml|.*_rels/.*|word/(document|styles|stylesWithEffects|settings|fontTable|webSettings|"
    r"numbering|commentsExtended|commentsIds|commentsExtensible|people)\.xml|word/theme/.*|word/fonts/.*|"
    r"docProps/(core|app|custom)\.xml|docProps/thumbnail\..*|customXml/itemProps\d+\.xml|docMetadata/LabelInfo\.xml)"
)
# Parts that are recorded: (pattern, code, sentence, whether only when there is text in it).
KNOWN_PARTS = (
    (r"/word/comments\d*\.xml", "comments", "There are comments in this document; they were not read.", True),
    (r"/word/(header|footer)\d*\.xml", "header_footer", "There is text in headers or footers; it was not read.", True),
    (r"/word/(foot|end)notes\d*\.xml", "footnotes", "There are footnotes or endnotes; they were not read.", True),
    (r"/word/media/.*", "image", "There are pictures in this document; text in them, if any, was not read.", False),
    (r"/word/(embeddings|activeX)/.*", "embedded_object", "Other files are embedded in this document; they were not read.", False),
    (r"/word/(charts|diagrams|ink)/.*", "drawing", "There are charts or diagrams; they were not read.", False),
    (r"/word/vba.*", "macros", "There are macros in this document; they were neither run nor read.", False),
    (r"/customXml/item\d+\.xml", "hidden_data", "There is hidden data behind this document; it was not read.", True),
)


def extract(path: Path, *, limits: Limits, report: Report) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty."""
    _check_archive(path, limits)
    report("reading")
    try:
        document = docx.Document(str(path))
        body = document.element.body
    except (PackageNotFoundError, KeyError, ValueError, AttributeError, etree.XMLSyntaxError, zipfile.BadZipFile):
        raise _corrupt() from None
    builder = Builder()
    _Body(document, builder).run(body)
    for code, detail in misses_of_body(body):
        builder.miss(code, detail)
    _look_at_parts(path, builder)
    said = _properties(document, path)
    if said and not _words(said) <= builder.words():
        builder.add(said, path=("Document properties",))
    extraction = builder.extraction(sniff.DOCX, None)
    if not extraction.paragraphs and not extraction.unaccounted:
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return extraction


def _corrupt() -> Quarantined:
    return Quarantined("corrupt", "This Word document is damaged and cannot be opened. Save it again from Word.")


def _check_archive(path: Path, limits: Limits) -> None:
    """zipfile never unpacks a member beyond the size its entry declares, so the sum of those bounds everything."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise _corrupt() from None
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.inflated_bytes or len(entries) > MAX_MEMBERS:
        raise Quarantined(
            "bomb",
            f"What is packed into this document unpacks to {unpacked // (1 << 20)} MB in {len(entries)} parts. "
            "It is damaged, or made to overload whoever opens it.",
        )


class _Body:
    """Walks block-level elements in order."""

    def __init__(self, document: Any, builder: Builder) -> None:
        self._builder = builder
        self._levels = {style.style_id: level for style in document.styles if (level := _style_level(style))}
        self._lists = {style.style_id for style in document.styles if _is_list(style)}

    def run(self, element: Any) -> None:
        for child in element:
            if child.tag == qn("w:p"):
                self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                self._table(child)
            elif child.tag == qn("w:sdt"):
                for content in child.iterchildren(qn("w:sdtContent")):
                    self.run(content)
            elif child.tag in (qn("w:ins"), qn("w:moveTo"), qn("w:customXml"), qn("w:smartTag")):
                self.run(child)

    def _paragraph(self, element: Any) -> None:
        text = paragraph(spoken(element))
        style = _value(element.find(f"{qn('w:pPr')}/{qn('w:pStyle')}"))
        outline = _value(element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}"))
        level = self._levels.get(style or "")
        if outline is not None and outline.isdigit() and int(outline) < 9:
            level = float(outline) + 1
        if level is not None:
            self._builder.add(one_line(text), "heading", level=level)
        elif style in self._lists or element.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None:
            self._builder.add(text, "list")
        else:
            self._builder.add(text)
        for inner in paragraphs_inside(element):  # text boxes stand behind the paragraph they hang on
            self._builder.add(paragraph(spoken(inner)))

    def _table(self, table: Any) -> None:
        rows = [[one_line(cell) for cell in _cells(row)] for row in _rows(table)]
        width = max((len(row) for row in rows), default=0)
        if width == 1 or len(rows) == 1:  # a frame around text, not a table
            for row in _rows(table):
                for cell in row.iter(qn("w:tc")):
                    self.run(cell)
            return
        self._builder.add(markdown_table(rows), "table")


def _rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside it; rows may hide in content controls."""
    for child in table:
        if child.tag == qn("w:tr"):
            yield child
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")):
            yield from _rows(child)


def _cells(row: Any) -> Iterator[str]:
    """The text of each cell; a cell that spans columns is followed by empty ones, so that columns stay in line."""
    for child in row:
        if child.tag == qn("w:tc"):
            yield " ".join(
                part for inner in child.iter(qn("w:p")) if (part := one_line(spoken(inner)))
            )
            span = _value(child.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}"))
            yield from [""] * (min(int(span), 64) - 1 if span and span.isdigit() else 0)
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")):
            yield from _cells(child)


def _style_level(style: Any) -> float | None:
    """1 to 9 for heading styles and what is based on them, 0.5 for titles."""
    seen = 0
    while style is not None and seen < 20:
        name = (style.name or "").lower()
        if match := HEADING_STYLE.match(name):
            return float(match.group(1))
        if name in TITLE_STYLES:
            return 0.5
        outline = _value(style.element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}"))
        if outline is not None and outline.isdigit() and int(outline) < 9:
            return float(outline) + 1
        style, seen = getattr(style, "base_style", None), seen + 1
    return None


def _is_list(style: Any) -> bool:
    return (style.name or "").lower().startswith(("list bullet", "list number", "list paragraph"))


def _value(element: Any) -> str | None:
    return None if element is None else element.get(qn("w:val"))


def _look_at_parts(path: Path, builder: Builder) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            part = "/" + name
            if name.endswith("/") or SILENT_PARTS.fullmatch(part):
                continue
            for pattern, code, detail, only_with_text in KNOWN_PARTS:
                if re.fullmatch(pattern, part):
                    if not only_with_text or _has_text(archive, name):
                        builder.miss(code, detail)
                    break
            else:
                builder.miss("unknown_part", "This document has parts that are not known here; they were not read.")
        if "word/settings.xml" in archive.namelist() and b"<w:docVar " in archive.read("word/settings.xml"):
            builder.miss("hidden_data", "There is hidden data behind this document; it was not read.")


def _has_text(archive: zipfile.ZipFile, name: str) -> bool:
    """Words anywhere in the part; one that does not parse counts as having some."""
    try:
        root = etree.fromstring(archive.read(name), etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, zipfile.BadZipFile, ValueError):
        return True
    if "comments" in name or "notes" in name:
        return any((text.text or "").strip() for text in root.iter(qn("w:t"), qn("w:delText")))
    return bool("".join(root.itertext()).strip())


def _properties(document: Any, path: Path) -> str:
    """Title, subject and the like: they travel with the original, so they are text like any other."""
    core = document.core_properties
    said = [
        (label, one_line(value)[:500])
        for label, value in (
            ("Title", core.title),
            ("Subject", core.subject),
            ("Author", core.author),
            ("Keywords", core.keywords),
            ("Comments", core.comments),
            ("Category", core.category),
        )
        if value and value.lower() not in ("python-docx", "generated by python-docx", "word document")
    ]
    with zipfile.ZipFile(path) as archive:
        if "docProps/custom.xml" in archive.namelist():
            try:
                parser = etree.XMLParser(resolve_entities=False, no_network=True)
                root = etree.fromstring(archive.read("docProps/custom.xml"), parser)
            except etree.XMLSyntaxError:
                return "; ".join(f"{label}: {text}" for label, text in said)
            for entry in root:
                name, text = entry.get("name") or "", one_line(" ".join(entry.itertext()))[:500]
                if text and not name.startswith("MSIP_Label_"):
                    said.append((name, text))
    return "; ".join(f"{label}: {text}" for label, text in said)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
