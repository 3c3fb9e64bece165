"""What a PDF says beside its pages, in words: properties, bookmarks, descriptions of pictures, names of layers.

All of it travels with the original, so it is text like any other: labelled, and shown to who is cleared for it. What
programs note for programs is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pikepdf

from ingestion.extract import pdf_unused, xmp
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.eyes import MORE
from ingestion.extract.picture_marks import marks_of

SOFTWARE_PROPERTIES = frozenset({"/Producer", "/Creator", "/CreationDate", "/ModDate", "/Trapped"})
PLACEHOLDERS = frozenset(
    {"", "untitled", "anonymous", "unspecified", "(unspecified)", "(anonymous)", "python-docx", "unknown"}
)
PURVIEW = "/MSIP_Label_"  # technical fields of a sensitivity label, no text
BOOKMARKS, DESCRIPTIONS = "Bookmarks", "Descriptions"
MOST_BOOKMARKS = 50_000
LONGEST = 100_000  # characters of one property
LARGEST = 4 << 20  # bytes of a packet of metadata
PRIVATE = 200  # characters of a string in a program's own data that are a text, and no name or date
NAMED_BY_PROGRAM = re.compile(
    r"(?:layer|ebene|calque|capa|livello|camada)?\W*\d*|background|watermark|headers?/footers?|page", re.I
)
# What Office writes by itself of what it sees on a picture: kinds of things, no names or numbers.
GUESSED = re.compile(r"[A-Z][a-z ,-]{0,80}[. ]Description automatically generated\.?")
DAMAGED = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)


@dataclass(slots=True)
class Said:
    """properties: texts by name. bookmarks, descriptions: texts in their order, each once."""

    builder: Builder
    properties: dict[str, list[str]] = field(default_factory=dict)
    bookmarks: dict[str, None] = field(default_factory=dict)
    descriptions: dict[str, None] = field(default_factory=dict)

    def look(self, pdf: pikepdf.Pdf) -> None:
        """At what the document as a whole says."""
        for part in (self._look_at_properties, self._look_at_bookmarks, self._look_at_names):
            try:
                part(pdf)
            except DAMAGED:
                self.builder.miss("damaged", "What this PDF says beside its pages is damaged; parts may be missing.")
        metadata = pdf.Root.get("/Metadata")
        if isinstance(metadata, pikepdf.Stream):
            self.look_at_metadata(metadata)
        if "/PieceInfo" in pdf.Root:
            self.look_at_private(pdf.Root)

    def look_at_part(self, part: Any) -> None:
        """At an object of the structure of a document that is made for reading aloud."""
        for name in ("/Alt", "/ActualText", "/E"):
            if name in part:
                self.describe(part.get(name))

    def describe(self, text: Any) -> None:
        if isinstance(text, pikepdf.String) and (said := one_line(str(text))) and not GUESSED.fullmatch(said):
            self.descriptions[said] = None

    def look_at_metadata(self, stream: pikepdf.Stream) -> None:
        """At a packet of metadata: of the document, of a page or of a picture."""
        try:
            packet = stream.read_bytes() if int(stream.get("/Length", 0)) <= LARGEST else b" " * (LARGEST + 1)
            if len(packet) > LARGEST:
                raise xmp.Unreadable
            for name, text in xmp.said_by(packet).items():
                self._keep(name, text)
        except (xmp.Unreadable, *DAMAGED):
            self.builder.miss("hidden_data", "The metadata of this PDF (XMP) are damaged and were not read.")

    def look_at_picture(self, content: bytes) -> None:
        """At the file of a picture, which lies in the document as it is."""
        marks = marks_of(content)
        for name, text in marks.said.items():
            self._keep(name, text)
        if marks.more:
            self.builder.miss("image", MORE)

    def look_at_unused(self, pdf: pikepdf.Pdf, places: set[pdf_unused.Place]) -> None:
        """At objects that nothing refers to."""
        try:
            for text in pdf_unused.texts_of(pdf, places):
                self._keep("Left over", text)
        except DAMAGED:
            self.builder.miss("hidden_data", "This PDF keeps data that nothing in it refers to; they were not read.")

    def look_at_private(self, owner: Any, page: int | None = None) -> None:
        """At what programs keep for themselves: dates and numbers say nothing, a whole document of theirs does."""
        try:
            held = any(map(_is_text, _all_of(owner.get("/PieceInfo"))))
        except DAMAGED:
            held = True
        if held:
            self.builder.miss("hidden_data", "A program keeps data of its own in this PDF, which were not read.", page)

    def add(self) -> None:
        """To the paragraphs, without what they say in the same words."""
        self.builder.add_properties({name: "; ".join(texts) for name, texts in self.properties.items()})
        self.builder.add_unsaid(self.bookmarks, BOOKMARKS)
        self.builder.add_unsaid(self.descriptions, DESCRIPTIONS)

    def _keep(self, name: str, text: str) -> None:
        if text.lower() in PLACEHOLDERS:
            return
        if len(text) > LONGEST:
            self.builder.miss("hidden_data", "What this PDF says of itself is too long; not all of it was read.")
        texts = self.properties.setdefault(name[:200], [])
        if text[:LONGEST] not in texts:
            texts.append(text[:LONGEST])

    def _look_at_properties(self, pdf: pikepdf.Pdf) -> None:
        for key, value in pdf.docinfo.items():
            if key not in SOFTWARE_PROPERTIES and not key.startswith(PURVIEW):
                if isinstance(value, (pikepdf.Dictionary, pikepdf.Array, pikepdf.Stream)):
                    self.builder.miss("hidden_data", "A property of this PDF is no text; it was not read.")
                elif value is not None:
                    self._keep(one_line(key.lstrip("/")), one_line(str(value)))

    def _look_at_bookmarks(self, pdf: pikepdf.Pdf) -> None:
        outlines = pdf.Root.get("/Outlines")
        left = [outlines.get("/First")] if isinstance(outlines, pikepdf.Dictionary) else []
        met: set[tuple[int, int]] = set()
        count = 0
        while left:
            item = left.pop()
            if not isinstance(item, pikepdf.Dictionary) or item.objgen in met:
                continue
            if item.is_indirect:
                met.add(item.objgen)
            count += 1
            if count > MOST_BOOKMARKS:
                self.builder.miss("hidden_data", "This PDF has too many bookmarks; not all of them were read.")
                return
            action = item.get("/A")
            if isinstance(action, pikepdf.Dictionary) and str(action.get("/S")) in ("/JavaScript", "/Launch"):
                self.builder.miss("javascript", "A bookmark of this PDF is a program; it was neither run nor read.")
            address = action.get("/URI") if isinstance(action, pikepdf.Dictionary) else None
            for text in (item.get("/Title"), address):
                if isinstance(text, pikepdf.String) and (said := one_line(str(text))):
                    self.bookmarks[said] = None
            left += [item.get("/Next"), item.get("/First")]

    def _look_at_names(self, pdf: pikepdf.Pdf) -> None:
        """Of layers, and what stands before the numbers of pages."""
        known: Any = pdf.Root.get("/OCProperties", pikepdf.Dictionary())
        layers: Any = known.get("/OCGs", [])
        for name in dict.fromkeys(one_line(str(layer.get("/Name", ""))) for layer in layers if layer is not None):
            if not NAMED_BY_PROGRAM.fullmatch(name):
                self._keep("Layers", name)
        for labels in _all_of(pdf.Root.get("/PageLabels")):
            if isinstance(labels, pikepdf.Dictionary) and len(prefix := one_line(str(labels.get("/P", "")))) > 3:
                self._keep("Page labels", prefix)


def _all_of(root: Any, most: int = 20_000) -> Iterator[Any]:
    """An object and what lies in it, each once. Raises ValueError where that is too much."""
    left, met = [root], set()
    while left:
        item = left.pop()
        if not isinstance(item, (pikepdf.Dictionary, pikepdf.Array, pikepdf.Stream, pikepdf.String)):
            continue
        if item.is_indirect:
            if item.objgen in met:
                continue
            met.add(item.objgen)
        yield item
        most -= 1
        if most < 0:
            raise ValueError("too much")
        if isinstance(item, pikepdf.Dictionary):
            left += [value for key, value in item.items() if key not in ("/Parent", "/P")]
        elif isinstance(item, pikepdf.Array):
            left += list(item)


def _is_text(item: Any) -> bool:
    return isinstance(item, pikepdf.Stream) or (isinstance(item, pikepdf.String) and len(str(item)) > PRIVATE)
