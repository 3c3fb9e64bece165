"""What a PDF says beside its pages to people: its title, bookmarks, descriptions of pictures, comments. All other
strings of it are of the remainder (pdf_sweep.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pikepdf

from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line

PROPERTIES = ("/Title", "/Subject", "/Author", "/Keywords")
PLACEHOLDERS = frozenset(
    {"", "untitled", "anonymous", "unspecified", "(unspecified)", "(anonymous)", "python-docx", "unknown"}
)
BOOKMARKS, DESCRIPTIONS, COMMENTS = "Bookmarks", "Descriptions", "Comments"
MAX_BOOKMARKS = 50_000
MAX_CHARACTERS = 100_000  # of one property
# What Office writes by itself of what it sees on a picture: kinds of things, no names or numbers.
GUESSED = re.compile(r"[A-Z][a-z ,-]{0,80}[. ]Description automatically generated\.?")
DAMAGED = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)


@dataclass(slots=True)
class DocumentTexts:
    """properties: texts by name. bookmarks, descriptions: texts in their order, each once. comments: with pages."""

    builder: Builder
    properties: dict[str, str] = field(default_factory=dict)
    bookmarks: dict[str, None] = field(default_factory=dict)
    descriptions: dict[str, None] = field(default_factory=dict)
    comments: dict[tuple[str, int], None] = field(default_factory=dict)

    def look(self, pdf: pikepdf.Pdf) -> None:
        """At what the document as a whole says."""
        for part in (self._look_at_properties, self._look_at_bookmarks):
            try:
                part(pdf)
            except DAMAGED:
                self.builder.miss(
                    "damaged", "The data that this PDF has besides its pages are damaged; parts may be missing."
                )

    def look_at_part(self, part: Any) -> None:
        """At an object of the structure of a document that is made for reading aloud."""
        for name in ("/Alt", "/ActualText", "/E"):
            if name in part:
                self.describe(part.get(name))

    def describe(self, text: Any) -> None:
        if isinstance(text, pikepdf.String) and (said := clean_line(str(text))) and not GUESSED.fullmatch(said):
            self.descriptions[said] = None

    def comment(self, text: Any, page: int) -> None:
        if isinstance(text, pikepdf.String) and (said := clean_line(str(text))):
            self.comments[said, page] = None

    def add(self) -> None:
        """To the paragraphs, without what they say in the same words."""
        for said, page in self.comments:
            self.builder.add(said, page=page, path=(COMMENTS,))
        self.builder.add_properties(self.properties)
        self.builder.add_unsaid(self.bookmarks, BOOKMARKS)
        self.builder.add_unsaid(self.descriptions, DESCRIPTIONS)

    def _look_at_properties(self, pdf: pikepdf.Pdf) -> None:
        for key in PROPERTIES:
            value = pdf.docinfo.get(key)
            said = clean_line(str(value))[:MAX_CHARACTERS] if isinstance(value, pikepdf.String) else ""
            if said.lower() not in PLACEHOLDERS:
                self.properties[key.lstrip("/")] = said

    def _look_at_bookmarks(self, pdf: pikepdf.Pdf) -> None:
        outlines = pdf.Root.get("/Outlines")
        left = [outlines.get("/First")] if isinstance(outlines, pikepdf.Dictionary) else []
        met: set[tuple[int, int]] = set()
        while left and len(met) < MAX_BOOKMARKS:
            item = left.pop()
            if not isinstance(item, pikepdf.Dictionary) or item.objgen in met:
                continue
            met.add(item.objgen if item.is_indirect else (-len(met) - 1, 0))
            title = item.get("/Title")
            if isinstance(title, pikepdf.String) and (said := clean_line(str(title))):
                self.bookmarks[said] = None
            left += [item.get("/Next"), item.get("/First")]
