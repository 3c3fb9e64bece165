"""Collecting paragraphs in reading order: heading path, language, length and span are worked out here, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingestion.boxes import Box, Boxes
from ingestion.documents import (
    JOIN,
    LONGEST_TARGET,
    LONGEST_WORDS,
    MOST_LINKS,
    Extraction,
    Kind,
    Link,
    ParagraphText,
    ReadBy,
    UnreadContent,
)
from ingestion.extract import language
from ingestion.extract.clean import clean_line
from ingestion.extract.flowing import find_running_margins, renumber_paragraphs
from ingestion.extract.long_texts import LONGEST, cut_boxes, split_slices
from ingestion.extract.remainder import TOO_LARGE, bound_texts, cut_packed, is_formal, pad_words, select_unshown
from ingestion.pieces import measure_table_header

LONGEST_HEADING = 300
PROPERTIES = "Document properties"
ORNAMENTS = frozenset({"thumbnail", "font"})
PICTURE = ("/9j/", "iVBORw0KGgo", "R0lGOD")  # how pictures begin that were made letters


@dataclass(frozen=True, slots=True)
class _Raw:
    text: str
    kind: Kind
    page: int | None
    boxes: Boxes
    heading_path: tuple[str, ...]
    read_by: ReadBy


class Builder:
    """Takes cleaned text. `level` makes a heading: 1.0 is the outermost, larger numbers lie deeper. page, read_by: of
    paragraphs that say nothing else."""

    page: int | None = None
    read_by: ReadBy = ""

    def __init__(self) -> None:
        self._rows: list[_Raw] = []
        self._path: list[tuple[float, str]] = []
        self._unaccounted: dict[tuple[str, int | None], UnreadContent] = {}
        self._remainder: dict[str, None] = {}
        self._words: dict[str, str] = {}  # by paragraph, as `pad_words` gives them
        self.links: list[Link] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        text: str,
        kind: Kind = "text",
        *,
        page: int | None = None,
        boxes: Sequence[Box] = (),
        level: float | None = None,
        path: tuple[str, ...] | None = None,
        links: Sequence[tuple[str, str]] = (),
        read_by: ReadBy = "",
    ) -> int | None:
        """Appends a paragraph and returns its number, None for blank text. `boxes` must carry slices of `text`; `path`
        replaces the path the headings gave. links: (target, words) in the order of the text; a target that does not
        stand in it is left out, for nobody would have classified it."""
        if not text.strip():
            return None
        if kind == "heading" and (level is None or len(text) > LONGEST_HEADING):
            kind = "text"
        if kind == "heading" and level is not None:
            while self._path and self._path[-1][0] >= level:
                self._path.pop()
        above = path if path is not None else tuple(heading for _, heading in self._path)
        first = len(self._rows)
        header = measure_table_header(text) if kind == "table" else 0
        if header > LONGEST // 2:  # repeated, it would be most of every part
            header = 0
        slices = split_slices(text, kind)
        self._add_links(text, slices, links)
        for start, end in slices:
            part, moved = text[start:end], cut_boxes(boxes, start, end)
            if header and start:  # a long table: its header stands on every part
                part = text[:header] + part
                moved = Boxes(replace(box, start=box.start + header, end=box.end + header) for box in moved)
            self._rows.append(_Raw(part, kind, page or self.page, moved, above, read_by or self.read_by))
        if kind == "heading" and level is not None:
            self._path.append((level, text))
        return first

    def link_since(self, first: int, links: Sequence[tuple[str, str]]) -> None:
        """Links of paragraphs from `first` on that were added without them: each belongs to the next one that holds its
        target."""
        number = first
        for target, words in links:
            place = next((n for n in range(number, len(self._rows)) if target in self._rows[n].text), None)
            if place is not None and 0 < len(target) <= LONGEST_TARGET and len(self.links) < MOST_LINKS:
                number = place
                said = clean_line(words)[:LONGEST_WORDS]
                self.links.append(Link(place, target, said if said in self._rows[place].text else ""))

    def _add_links(self, text: str, slices: Sequence[tuple[int, int]], links: Sequence[tuple[str, str]]) -> None:
        """Each link belongs to the part of a long text that holds its target whole; words from another part, which may
        get another label, are not told with it."""
        first, place = len(self._rows), 0
        for target, words in links:
            found, words = text.find(target, place), clean_line(words)[:LONGEST_WORDS]
            if found < 0 or not target or len(target) > LONGEST_TARGET or len(self.links) >= MOST_LINKS:
                continue
            for number, (start, end) in enumerate(slices):
                if start <= found and found + len(target) <= end:
                    whole = len(slices) == 1 or words in text[start:end]
                    self.links.append(Link(first + number, target, words if whole else ""))
            place = found + len(target)

    def add_boxes(self, number: int, boxes: Sequence[Box]) -> None:
        """The same paragraph stands in other places too."""
        row = self._rows[number]
        self._rows[number] = replace(row, boxes=Boxes((*row.boxes, *boxes)))

    def describe_block(
        self, texts: Iterable[str], first: int, *, page: int | None = None, path: tuple[str, ...] | None = None
    ) -> None:
        """What describes a block whose paragraphs begin at this number, as far as the block does not say it."""
        for text in self.find_missing_texts(texts, first):
            self.add_to_block(text, first, page=page, path=path)

    def add_to_block(
        self, text: str, first: int, *, page: int | None = None, path: tuple[str, ...] | None = None
    ) -> None:
        """What belongs to a block whose paragraphs begin at this number: to its last paragraph, so that it has the
        label of that, or as a paragraph of its own where there is none but a heading or both are too long for one."""
        last = len(self._rows) - 1
        alone = last < first or self._rows[last].kind in ("heading", "code")
        if alone or len(self._rows[last].text) + len(text) > LONGEST:
            self.add(text, page=page, path=path)
            return
        row = self._rows[last]
        line = f"| {clean_line(text).replace('|', chr(92) + '|')} |" if row.kind == "table" else text
        self._rows[last] = replace(row, text=f"{row.text}\n{line}")

    def extend_table(self, number: int, text: str, boxes: Sequence[Box]) -> None:
        """A paragraph goes on: its text with what is new at its end, and the boxes of that."""
        self._rows[number] = replace(self._rows[number], text=text)
        self.add_boxes(number, boxes)

    def list_tables_on(self, page: int) -> list[tuple[int, tuple[float, float, float, float]]]:
        """Of the tables that stand on a page, their numbers and where their words are."""
        tables = []
        for number, row in enumerate(self._rows):
            corners = row.boxes.list_corners_on(page) if row.kind == "table" and row.page == page else []
            if corners:
                left, top, right, bottom = zip(*corners, strict=True)
                tables.append((number, (min(left), min(top), max(right), max(bottom))))
        return tables

    def miss(self, code: str, detail: str, page: int | None = None) -> None:
        """Records what could not be read; once for each code and page."""
        self._unaccounted.setdefault((code, page), UnreadContent(code, detail, page))

    def take_misses(self, other: Builder) -> None:
        """What another builder recorded is recorded here too."""
        for item in other._unaccounted.values():
            self.miss(item.code, item.detail, item.page)
        self.add_remainder(other._remainder)

    def add_remainder(self, texts: Iterable[str], packed: bool = False) -> None:
        """Records strings of the file, each once. What the paragraphs say too is taken out at the end. packed: bytes
        may stand among them as letters."""
        for text in texts:
            said = clean_line(text)
            if said in self._remainder or is_formal(said):
                continue
            rest, runs = cut_packed(said) if packed else (said, [])
            for run in runs:
                if run.startswith(PICTURE):
                    self.miss("thumbnail", "There is a picture among the text of this file; it was not read.")
                else:
                    self.miss("packed_data", "There is packed data in the text of this file; it was not read.")
            if not runs or not is_formal(rest := clean_line(rest)):
                self._remainder[rest] = None

    def _list_rest(self) -> tuple[str, ...]:
        texts, more = bound_texts(select_unshown(self._remainder, self._pad_from(0)) if self._remainder else ())
        if more:
            self.miss("remainder_too_large", TOO_LARGE)
        return tuple(texts)

    def has_gaps(self) -> bool:
        """Whether anything could not be read that may be what the file is about."""
        return any(code not in ORNAMENTS for code, _ in self._unaccounted)

    def add_properties(self, said: Mapping[str, str]) -> None:
        """What a document says of itself (title, subject …), as one paragraph, unless its text says the same."""
        new = self.find_missing_texts(said.values())
        self.add("; ".join(f"{name}: {text}" for name, text in said.items() if text in new), path=(PROPERTIES,))

    def add_unsaid(self, texts: Iterable[str], heading: str) -> None:
        """What stands beside the text, one a line, unless the text says it in the same words."""
        self.add("\n".join(self.find_missing_texts(texts)), "list", path=(heading,))

    def find_missing_texts(self, texts: Iterable[str], first: int = 0) -> list[str]:
        """Those whose words do not stand one after the other in the paragraphs from this number on."""
        known = ""
        new = []
        for text in texts:
            words = pad_words(text)
            known = known or self._pad_from(first)
            if words.strip() and words not in known:
                new.append(text)
        return new

    def _pad_from(self, first: int) -> str:
        """The words of the paragraphs from this number on, each between blanks; those of a paragraph are found once."""
        texts = self.list_from(first)
        self._words.update((text, pad_words(text).strip()) for text in texts if text not in self._words)
        return f" {' '.join(filter(None, map(self._words.__getitem__, texts)))} "

    def text(self) -> str:
        """Everything so far."""
        return self.join_from(0)

    def join_from(self, first: int) -> str:
        """Everything from the paragraph with this number on."""
        return JOIN.join(self.list_from(first))

    def list_boxes_on(self, page: int, first: int) -> list[tuple[float, float, float, float]]:
        """Where the paragraphs from this number on stand on a page."""
        return [corners for row in self._rows[first:] for corners in row.boxes.list_corners_on(page)]

    def list_from(self, first: int) -> list[str]:
        """The paragraphs from this number on."""
        return [row.text for row in self._rows[first:]]

    def drop_margins(self) -> None:
        """Takes out page numbers and running lines that stand in the flow of the text; one of equal lines stays, and
        has the places of the others."""
        found = find_running_margins([row.text for row in self._rows], [row.kind for row in self._rows])
        if not found:
            return
        firsts = {first for first in found.values() if first is not None}
        over = {self._rows[place].text for place in {*found, *firsts} if self._rows[place].kind == "heading"}
        for place, first in found.items():
            if first is not None:
                longest = len(self._rows[first].text)
                boxes = (
                    replace(b, start=min(b.start, longest), end=min(b.end, longest)) for b in self._rows[place].boxes
                )
                self.add_boxes(first, list(boxes))
        numbers = renumber_paragraphs(len(self._rows), found)
        rows = [
            replace(row, kind="text") if place in firsts else row
            for place, row in enumerate(self._rows)
            if place in numbers
        ]
        self._rows = [
            replace(row, heading_path=tuple(heading for heading in row.heading_path if heading not in over))
            if over & {*row.heading_path}
            else row
            for row in rows
        ]
        self.links = [
            replace(link, paragraph=numbers[link.paragraph]) for link in self.links if link.paragraph in numbers
        ]

    def build_extraction(self, media_type: str, pages: int | None, strategy: str = "text") -> Extraction:
        remainder = self._list_rest()
        whole = language.guess_language(" ".join(row.text for row in self._rows[:200]))
        paragraphs: list[ParagraphText] = []
        start = 0
        for row in self._rows:
            lang = language.guess_language(row.text, whole)
            end = start + len(row.text)
            paragraphs.append(
                ParagraphText(row.text, row.kind, row.page, row.boxes, row.heading_path, lang, start, end, row.read_by)
            )
            start = end + len(JOIN)
        return Extraction(
            media_type,
            pages,
            tuple(paragraphs),
            tuple(self._unaccounted.values()),
            strategy,
            links=tuple(self.links),
            remainder=remainder,
        )
