"""XML of any kind: text in the order of the file, each element with its name, and what stands in attributes.

An element with text between its elements is a paragraph; one with nothing but text is a line, under its name. Documents
that Word writes as XML are read by their paragraphs. Entities and document types are refused by the parser, which
fetches nothing; what does not parse is read as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.decode import decode_text
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import SAFE, get_local_name
from ingestion.extract.package_parts import record_miss
from ingestion.extract.source import add_code
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "file"
WORD_ROOTS = frozenset(["wordDocument", "package"])
_PROPERTIES = "Title Subject Author Keywords Description Manager Company title subject creator keywords"
PROPERTIES = frozenset(_PROPERTIES.split())
LINES = 40  # of one paragraph, at most
NAMELESS = frozenset(["p", "para", "text", "t", "li", "td", "th", "title", "span", "div", "h1", "h2", "h3"])


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, empty, too_large."""
    largest = limits.memory_bytes // 16
    if path.stat().st_size > largest:
        raise Quarantined("too_large", f"XML of up to {largest // (1 << 20)} MB can be read. Split it.")
    report("reading")
    builder = Builder()
    data = path.read_bytes()
    try:
        root = etree.fromstring(data.lstrip(b"\xef\xbb\xbf \r\n\t"), etree.XMLParser(**SAFE))
    except (etree.LxmlError, ValueError):
        root = None
    if root is None or root.getroottree().docinfo.internalDTD is not None:
        text = decode_text(data)
        if text is None:
            raise Quarantined("corrupt", "This file is named as XML, but holds characters no text has. Save it again.")
        add_code(builder, text)
    elif get_local_name(root) in WORD_ROOTS:
        _add_word(builder, root)
    else:
        _Elements(builder).run(root)
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this file. Check that you chose the right one.")
    return builder.build_extraction(sniff.XML, None)


def _add_word(builder: Builder, root: Any) -> None:
    """Paragraphs of a document that Word wrote as one XML file."""
    for element in root.iter("{*}p"):
        runs = (run for run in element.iter("{*}t", "{*}br", "{*}tab", "{*}delText"))
        text = "".join((run.text or "") if get_local_name(run) in ("t", "delText") else "\n" for run in runs)
        builder.add(clean_paragraph(text))
    if next(root.iter("{*}binData", "{*}binaryData"), None) is not None:
        record_miss(builder, "image", WHAT)
    for holder in root.iter("{*}DocumentProperties", "{*}coreProperties"):
        found = ((get_local_name(one), clean_line(one.text or "")) for one in holder)
        builder.add_properties({name.capitalize(): text for name, text in found if name in PROPERTIES and text})
    known = {clean_line(value) for value in builder.list_from(0)}
    attributes = (value for element in root.iter() for value in element.attrib.values())
    others = (
        (element.text or "") for element in root.iter() if get_local_name(element) not in ("t", "binData", "binaryData")
    )
    builder.add_remainder({text for one in (*attributes, *others) if " " in (text := clean_line(one))} - known)


class _Elements:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._lines: list[str] = []

    def run(self, root: Any) -> None:
        walker = etree.iterwalk(root, events=("start", "comment", "pi"))
        parent = None
        for event, element in walker:
            if event != "start":
                self._add_line(clean_line(element.text or ""), "")
                continue
            if element.getparent() is not parent and len(element):
                self._close_block()
                parent = element.getparent()
            for name, value in element.attrib.items():
                self._add_line(clean_line(value), f"{get_local_name(element)} {name.rpartition('}')[2]}")
            if _is_mixed(element):
                self._close_block()
                self._builder.add(clean_paragraph("".join(_list_texts(element))))
                for inner in element.iterdescendants():
                    for name, value in inner.attrib.items() if isinstance(inner.tag, str) else ():
                        self._add_line(clean_line(value), f"{get_local_name(inner)} {name.rpartition('}')[2]}")
                walker.skip_subtree()
            elif not len(element):
                self._add_line(clean_line(element.text or ""), get_local_name(element))
        self._close_block()

    def _add_line(self, text: str, name: str) -> None:
        if text:
            self._lines.append(f"{name}: {text}" if name and name not in NAMELESS else text)
            if len(self._lines) >= LINES:
                self._close_block()

    def _close_block(self) -> None:
        self._builder.add("\n".join(self._lines), "list")
        self._lines = []


def _is_mixed(element: Any) -> bool:
    """Whether words stand between its elements."""
    return len(element) > 0 and bool(
        (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    )


def _list_texts(element: Any) -> Iterator[str]:
    for text in element.itertext():
        yield text if len(text) < 2 or not text.isspace() else " "
