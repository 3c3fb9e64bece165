"""Word documents of 2003 and earlier ([MS-DOC]): paragraphs, headings and tables in the order of the text; then notes,
comments, margins and text boxes, each under a name of its own.

The text stands in pieces somewhere in the stream (`doc_pieces`). What is formatted as hidden or was deleted as a
tracked change is read as any other text. Pictures, objects and macros are recorded.
"""

from __future__ import annotations

import re
from pathlib import Path

from ingestion.documents import Extraction, Kind
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.doc_pieces import Story, Text, read_stories
from ingestion.extract.eyes import Eyes
from ingestion.extract.fields import find_field_target
from ingestion.extract.ole import Compound
from ingestion.extract.package_parts import record_miss
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.extract.rows import format_markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

WHAT = "document"
CELL, LINE, PAGE, PARAGRAPH = "\x07", "\x0b", "\x0c", "\r"
FIELD_BEGIN, FIELD_SEPARATOR, FIELD_END = "\x13", "\x14", "\x15"
PICTURE, DRAWN = "\x01", "\x08"
FIELD = re.compile(f"[{FIELD_BEGIN}{FIELD_SEPARATOR}{FIELD_END}]")
SPECIAL = str.maketrans({LINE: "\n", PAGE: "\n", "\x0e": "\n", "\x1e": "-", "\x1f": None, "\xa0": " ", "\t": " "})
PACKED = ("data", "objectpool", "macros")  # streams of bytes that are not all text, which are recorded
HEADINGS = range(1, 10)  # numbers of the styles "Heading 1" to "Heading 9" in every document


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, encrypted, empty."""
    report("reading")
    compound = Compound(path)
    builder = Builder()
    reader = _Reader(builder)
    for story in read_stories(compound):
        report("reading")
        reader.read_story(story)
    builder.add_remainder(reader.instructions)
    storages = {name[0].lower() for name in compound.names}
    for storage, code in (("macros", "macros"), ("objectpool", "embedded_object")):
        if storage in storages:
            record_miss(builder, code, WHAT)
    builder.add_properties(compound.properties())
    for name in compound.names:
        if name[0].lower() in PACKED:
            builder.add_remainder(list_texts_in_bytes(compound.read(*name)))
        else:
            builder.add_remainder(compound.list_texts_in([name]))
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text in this document. Check that you chose the right file.")
    return builder.build_extraction(sniff.DOC, None)


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._rows: list[list[str]] = []
        self._row: list[str] = []
        self._cell: list[str] = []
        self._links: list[tuple[str, str]] = []
        self._fields: list[str] = []  # instructions of the fields that are open
        self._added: set[str] = set()  # margins, which each section repeats
        self.instructions: list[str] = []

    def read_story(self, story: Story) -> None:
        path = (story.title,) if story.title else None
        for text in story.paragraphs:
            if text.in_table:
                self._take_cell(text, self._read_visible(text.text))
            else:
                self._close_table(path)
                self._add_paragraph(text, self._read_visible(text.text), path)
        self._close_table(path)

    def _add_paragraph(self, text: Text, spoken: str, path: tuple[str, ...] | None) -> None:
        links, self._links = self._links, []
        if path is not None:
            if spoken in self._added:
                return
            self._added.add(spoken)
        if text.style in HEADINGS and path is None:
            self._builder.add(clean_line(spoken), "heading", level=float(text.style), links=links)
        else:
            kind: Kind = "list" if text.listed else "text"
            self._builder.add(clean_paragraph(spoken), kind, path=path, links=links)

    def _take_cell(self, text: Text, spoken: str) -> None:
        """A cell has several paragraphs, of which the last one ends it; the end of a row is one of its own."""
        if text.ends_row:
            self._rows.append(self._row)
            self._row = []
            return
        self._cell.append(clean_line(spoken))
        if text.text.endswith(CELL):
            self._row.append(" ".join(filter(None, self._cell)))
            self._cell = []

    def _close_table(self, path: tuple[str, ...] | None) -> None:
        left = [*self._row, *filter(None, self._cell)]
        rows = [*self._rows, left] if left else self._rows
        self._rows, self._row, self._cell = [], [], []
        links, self._links = self._links, []
        if len(rows) > 1 and max(map(len, rows)) > 1:
            self._builder.add(format_markdown_table(rows), "table", path=path, links=links)
            return
        for row in rows:  # a frame around text
            self._builder.add("\n".join(filter(None, row)), path=path, links=links)

    def _read_visible(self, text: str) -> str:
        """What shows of fields is their result; what they say besides is of the remainder."""
        spoken: list[str] = []
        place = 0
        for mark in [*FIELD.finditer(text), None]:
            run = text[place : mark.start() if mark else len(text)]
            place = mark.end() if mark else place
            if self._fields and not self._fields[-1].endswith(FIELD_SEPARATOR):
                self._fields[-1] += run
            else:
                spoken.append(run)
            if mark is None:
                break
            if mark.group() == FIELD_BEGIN:
                self._fields.append("")
            elif self._fields and mark.group() == FIELD_SEPARATOR:
                self._fields[-1] += FIELD_SEPARATOR
            elif self._fields:
                spoken.append(self._end_field(self._fields.pop().rstrip(FIELD_SEPARATOR), "".join(spoken)))
        whole = "".join(spoken)
        if PICTURE in whole:
            record_miss(self._builder, "image", WHAT)
        if DRAWN in whole:
            record_miss(self._builder, "drawing", WHAT)
        return whole.translate(SPECIAL)

    def _end_field(self, instruction: str, spoken: str) -> str:
        """The target of a link, behind its words."""
        target = clean_line(find_field_target(instruction.strip()))
        if target:
            self._links.append((target, ""))
            return "" if target in spoken else f" ({target})"
        self.instructions.append(clean_line(instruction))
        return ""
