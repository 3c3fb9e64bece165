"""PowerPoint presentations of 2003 and earlier ([MS-PPT]): each slide a page with its title as heading, then its notes.

A presentation is a tree of records. Each time that it was saved, what had changed was written behind the rest: the
newest directory says where each slide begins now. What an earlier one left in the file is swept (`ole.find_runs`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.eyes import Eyes
from ingestion.extract.ole import Compound
from ingestion.extract.package_parts import record_miss
from ingestion.extract.remainder import list_texts_in_bytes
from ingestion.sandbox.limits import Limits, Quarantined, Report

DECK = "presentation"
STREAM = "PowerPoint Document"
DAMAGE = (struct.error, IndexError, KeyError, ValueError, RecursionError)
HEAD = struct.Struct("<HHI")
ENCRYPTED_TOKEN = 0xF3D1C4DF
# Types of records.
SLIDE_LIST, SLIDE_PLACE, TEXT_KIND, WIDE_TEXT, NARROW_TEXT, OUTLINE = 0xFF0, 0x3F3, 0xF9F, 0xFA0, 0xFA8, 0xF9E
USER_EDIT, TAGS, COMMENT, STRING, NOTES_ATOM = 0xFF5, 0x138B, 0x2EE0, 0xFBA, 0x3F1
RECORDED = {0x7E6: "media", 0x1006: "media", 0x1010: "media", 0xFCC: "embedded_object", 0xFEE: "embedded_object"}
SLIDES, NOTES = 0, 2  # instances of SLIDE_LIST
TITLES = (0, 6)
NOTE_TITLE, COMMENT_TITLE = "Speaker notes", "Comments"
MOST_RECORDS = 2_000_000
DEEPEST = 64


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    instance: int
    start: int  # of its content
    end: int
    holds: bool  # other records


@dataclass(frozen=True, slots=True)
class _Words:
    """A text and what it is for: TITLES, …"""

    text: str
    role: int


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: corrupt, encrypted, empty, too_many_pages."""
    report("reading")
    compound = Compound(path)
    builder = Builder()
    try:
        deck = _Deck(compound, builder)
        slides = deck.slides()
        if len(slides) > limits.pages:
            detail = f"This presentation has {len(slides)} slides; up to {limits.pages} can be read. Split it."
            raise Quarantined("too_many_pages", detail)
        for number, (place, outline) in enumerate(slides, 1):
            report("reading", number, len(slides))
            deck.add_slide(number, place, outline)
        report("finishing")
        deck.finish()
    except DAMAGE:
        raise compound.corrupt() from None
    if compound.read("Pictures"):
        record_miss(builder, "image", DECK)
    builder.add_properties(compound.properties())
    builder.add_remainder(list_texts_in_bytes(compound.read("Pictures")))
    builder.add_remainder(compound.list_texts_in(name for name in compound.names if name != ("Pictures",)))
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text on these slides. Check that you chose the right file.")
    return builder.build_extraction(sniff.PPT, len(slides) or None, "layout")


class _Deck:
    def __init__(self, compound: Compound, builder: Builder) -> None:
        self._builder = builder
        self.stream = compound.read(STREAM)
        user = compound.read("Current User")
        _, token, edit = struct.unpack_from("<III", user, HEAD.size)
        if token == ENCRYPTED_TOKEN:
            detail = "This presentation is protected by a password. Save it without one and upload it."
            raise Quarantined("encrypted", detail)
        self._places, document = self._read_directory(edit)
        self._document = self._read_record(self._places[document])
        self._lists = {
            record.instance: record for record in self._iter_within(self._document) if record.kind == SLIDE_LIST
        }

    def slides(self) -> list[tuple[int, list[_Words]]]:
        """Where each slide begins, and the texts of its outline."""
        return list(self._iter_listed(SLIDES))

    def add_slide(self, number: int, place: int, outline: list[_Words]) -> None:
        record = self._read_record(place)
        found = list(self._iter_words(record, outline))
        title = next((clean_line(words.text) for words in found if words.role in TITLES and words.text.strip()), "")
        path = (title,) if title else ()
        if title:
            self._builder.add(title, "heading", level=1.0, page=number)
        for words in found:
            for line in words.text.split("\r"):
                text = clean_paragraph(line.replace("\x0b", "\n"))
                if not (words.role in TITLES and clean_line(words.text) == title):
                    self._builder.add(text, "text" if words.role in TITLES else "list", page=number, path=path)
        self._add_comments(record, number)
        self._look_at(record, number)

    def finish(self) -> None:
        """Notes, each under the slide that it belongs to where it says so, and what masters put on every slide."""
        identifiers = self._read_identifiers()
        slides = {identifiers.get(place, 0): number for number, (place, _) in enumerate(self._iter_listed(SLIDES), 1)}
        for place, outline in self._iter_listed(NOTES):
            record = self._read_record(place)
            atom = next((one for one in self._iter_within(record) if one.kind == NOTES_ATOM), None)
            slide = struct.unpack_from("<I", self.stream, atom.start)[0] if atom else 0
            texts = [words.text for words in self._iter_words(record, outline) if words.text.strip(" \r*")]
            page = slides.get(slide)
            self._builder.add(clean_paragraph("\n".join(texts).replace("\r", "\n")), page=page, path=(NOTE_TITLE,))
        self._look_at(self._document, None)

    def _read_directory(self, edit: int) -> tuple[dict[int, int], int]:
        """Where each part begins by its number, the newest place of each, and the number of the document."""
        found: dict[int, int] = {}
        document = 0
        seen: set[int] = set()
        while edit and edit not in seen:
            seen.add(edit)
            record = self._read_record(edit)
            if record.kind != USER_EDIT:
                break
            before, directory, number = struct.unpack_from("<III", self.stream, record.start + 8)
            document = document or number
            for key, place in self._iter_entries(self._read_record(directory)):
                found.setdefault(key, place)
            edit = before
        return found, document

    def _iter_entries(self, directory: _Record) -> Iterator[tuple[int, int]]:
        place = directory.start
        while place + 4 <= directory.end:
            packed = struct.unpack_from("<I", self.stream, place)[0]
            first, count = packed & 0xFFFFF, packed >> 20
            for step in range(count):
                yield first + step, struct.unpack_from("<I", self.stream, place + 4 + 4 * step)[0]
            place += 4 + 4 * count

    def _iter_listed(self, instance: int) -> Iterator[tuple[int, list[_Words]]]:
        place, outline, role = 0, list[_Words](), 0
        if instance not in self._lists:
            return
        for record in self._iter_within(self._lists[instance], deep=False):
            if record.kind == SLIDE_PLACE:
                if place:
                    yield place, outline
                number = struct.unpack_from("<I", self.stream, record.start)[0]
                place, outline = self._places[number], []
            elif record.kind == TEXT_KIND:
                role = struct.unpack_from("<I", self.stream, record.start)[0]
                outline.append(_Words("", role))
            elif record.kind in (WIDE_TEXT, NARROW_TEXT) and outline:
                outline[-1] = _Words(self._read_text(record), role)
        if place:
            yield place, outline

    def _read_identifiers(self) -> dict[int, int]:
        """By the place of a slide the number by which notes name it, which stands in the list of slides."""
        found: dict[int, int] = {}
        for record in self._iter_within(self._lists[SLIDES], deep=False) if SLIDES in self._lists else ():
            if record.kind == SLIDE_PLACE:
                number = struct.unpack_from("<I", self.stream, record.start)[0]
                found.setdefault(self._places[number], struct.unpack_from("<I", self.stream, record.start + 12)[0])
        return found

    def _iter_words(self, slide: _Record, outline: list[_Words]) -> Iterator[_Words]:
        """The texts of a slide in the order of its shapes, then those of its outline that no shape shows."""
        role, placed = 4, set[int]()
        for record in self._iter_within(slide):
            if record.kind == TEXT_KIND:
                role = struct.unpack_from("<I", self.stream, record.start)[0]
            elif record.kind in (WIDE_TEXT, NARROW_TEXT):
                yield _Words(self._read_text(record), role)
            elif record.kind == OUTLINE:
                number = struct.unpack_from("<I", self.stream, record.start)[0]
                if number < len(outline) and number not in placed:
                    placed.add(number)
                    yield outline[number]
        yield from (words for number, words in enumerate(outline) if number not in placed)

    def _add_comments(self, slide: _Record, number: int) -> None:
        """They stand in tags, which programs may fill with anything."""
        for tags in self._iter_within(slide):
            try:
                found = list(self._iter_within(tags)) if tags.kind == TAGS else []
            except DAMAGE:
                continue
            for comment in found:
                if comment.kind == COMMENT:
                    texts = [self._read_text(one) for one in self._iter_within(comment) if one.kind == STRING]
                    self._builder.add(clean_paragraph(": ".join(texts[:2])), page=number, path=(COMMENT_TITLE,))

    def _look_at(self, part: _Record, page: int | None) -> None:
        for record in self._iter_within(part):
            if record.kind in RECORDED:
                record_miss(self._builder, RECORDED[record.kind], DECK, page)

    def _read_text(self, record: _Record) -> str:
        content = self.stream[record.start : record.end]
        return content.decode("latin-1" if record.kind == NARROW_TEXT else "utf-16-le", "replace")

    def _read_record(self, place: int) -> _Record:
        head, kind, size = HEAD.unpack_from(self.stream, place)
        start = place + HEAD.size
        if start + size > len(self.stream):
            raise ValueError("a record that does not end")
        return _Record(kind, head >> 4, start, start + size, head & 15 == 15)

    def _iter_within(self, record: _Record, deep: bool = True) -> Iterator[_Record]:
        """The records in one, in order; deep: also those in them."""
        waiting = [(record.start, record.end)]
        count = 0
        while waiting:
            place, end = waiting.pop()
            while place + HEAD.size <= end:
                inner = self._read_record(place)
                count += 1
                if inner.end > end or count > MOST_RECORDS or len(waiting) > DEEPEST:
                    raise ValueError("records that do not fit into each other")
                yield inner
                place = inner.end
                if inner.holds and deep:
                    waiting.append((place, end))
                    place, end = inner.start, inner.end
