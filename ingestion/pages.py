"""What the reader's page shows: a part of a long document, with tables, chips and marks ready for the template."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from entities.api.lists import list_atom_chips, list_chips
from ingestion.reader import Block, Placeholder, TextBlock
from ingestion.tables import MarkdownTable, read_table

MAX_PART_BLOCKS = 120
"""Blocks on one page of the reader, also where none of them is long."""
MAX_PART_CHARACTERS = 16_000
"""Of the text on one page of the reader: some six pages of paper."""
MAX_HITS = 200
"""Hits of a word that are listed beside the text; all of them are marked."""


@dataclass(frozen=True)
class PagePart:
    """number: from 1. before, after: the passages beside the cited one, for its links."""

    blocks: Sequence[Block]
    number: int
    count: int
    cited: TextBlock | None = None
    before: UUID | None = None
    after: UUID | None = None

    @property
    def previous(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.count else None


@dataclass(frozen=True)
class ShownBlock:
    """A block as the template prints it. pieces: (text, whether it is marked). new_page: the page begins here. read_by:
    who read it off a picture, where the block before was not read so."""

    block: Block
    new_page: int | None
    chips: Sequence[Any] | None = ()
    requires: Sequence[Any] = ()
    pieces: Sequence[tuple[str, bool]] = ()
    table: MarkdownTable | None = None
    items: Sequence[str] = ()
    read_by: str = ""

    @property
    def is_text(self) -> bool:
        return isinstance(self.block, TextBlock)


def cut_parts(blocks: Sequence[Block]) -> list[int]:
    """Where each part begins, from 0: what a reader scrolls through at once."""
    starts, characters = [0], 0
    for place, block in enumerate(blocks):
        length = len(block.text) if isinstance(block, TextBlock) else 0
        if place > starts[-1] and (place - starts[-1] >= MAX_PART_BLOCKS or characters + length > MAX_PART_CHARACTERS):
            starts.append(place)
            characters = 0
        characters += length
    return starts


def select_part(blocks: Sequence[Block], asked: str) -> PagePart:
    """The part that was asked for, else the one with the cited passage, else the first."""
    starts = cut_parts(blocks)
    count = len(starts)
    places = [n for n, block in enumerate(blocks) if isinstance(block, TextBlock) and block.cited]
    number = bisect_right(starts, places[0]) if places else 1
    if asked.isascii() and asked.isdigit() and len(asked) < 7:
        number = min(max(1, int(asked)), count)
    chosen = blocks[starts[number - 1] : [*starts, len(blocks)][number]]
    cited = blocks[places[0]] if places else None
    texts = [block.passage for block in blocks if isinstance(block, TextBlock)]
    before = after = None
    if isinstance(cited, TextBlock):
        place = texts.index(cited.passage)
        last = texts.index(blocks[places[-1]].passage)  # type: ignore[union-attr]
        before = texts[place - 1] if place else None
        after = texts[last + 1] if last + 1 < len(texts) else None
    return PagePart(chosen, number, count, cited if isinstance(cited, TextBlock) else None, before, after)


def build_sections(blocks: Sequence[Block]) -> list[ShownBlock]:
    """Blocks with what a page needs to print them."""
    shown: list[ShownBlock] = []
    page: int | None = None
    reader = ""
    for block in blocks:
        turned = block.page if block.page is not None and block.page != page else None
        page = block.page if block.page is not None else page
        if isinstance(block, Placeholder):
            shown.append(ShownBlock(block, turned, requires=list_atom_chips(block.requires)))
            continue
        table = read_table(block.text) if block.kind == "table" else None
        changed = block.read_by if block.read_by != reader or turned else ""
        reader = block.read_by
        shown.append(
            ShownBlock(
                block, turned, list_chips(block.label), pieces=split_at_marks(block), table=table, read_by=changed
            )
        )
    return shown


def split_at_marks(block: TextBlock) -> list[tuple[str, bool]]:
    """The text cut at its marks."""
    result: list[tuple[str, bool]] = []
    place = 0
    for start, end in sorted(block.marks):
        if start > place:
            result.append((block.text[place:start], False))
        result.append((block.text[max(start, place) : end], True))
        place = max(place, end)
    if block.text[place:]:
        result.append((block.text[place:], False))
    return [(text, marked) for text, marked in result if text]


# Finding one's way


@dataclass(frozen=True)
class Stop:
    """A place that a document can be opened at: a heading, or a paragraph with a hit. part: in which part it stands."""

    passage: UUID
    text: str
    part: int
    level: int = 1
    page: int | None = None


def list_headings(blocks: Sequence[Block]) -> list[Stop]:
    """The outline, of the headings that the caller may read."""
    starts = cut_parts(blocks)
    return [
        Stop(block.passage, block.text, bisect_right(starts, place), min(block.level, 4), block.page)
        for place, block in enumerate(blocks)
        if isinstance(block, TextBlock) and block.kind == "heading"
    ]


def find_words(blocks: Sequence[Block], words: str) -> tuple[list[Block], list[Stop]]:
    """(blocks with `words` marked wherever they stand, in any case and white space; the paragraphs that hold them)"""
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words.split()), re.IGNORECASE)
    starts = cut_parts(blocks)
    found, hits = list(blocks), []
    for place, block in enumerate(blocks):
        if not isinstance(block, TextBlock):
            continue
        marks = tuple(match.span() for match in pattern.finditer(block.text))
        if marks:
            found[place] = replace(block, marks=marks)
            first = max(0, marks[0][0] - 40)
            cut = " ".join(block.text[first : marks[0][1] + 60].replace("|", " ").split())
            hits.append(Stop(block.passage, cut, bisect_right(starts, place), page=block.page))
    return found, hits


def find_page(blocks: Sequence[Block], page: int) -> tuple[int, int] | None:
    """(part, page) of the page that was asked for, else of the next that the caller knows of; None after the last."""
    starts = cut_parts(blocks)
    for place, block in enumerate(blocks):
        if block.page is not None and block.page >= page:
            return bisect_right(starts, place), block.page
    return None
