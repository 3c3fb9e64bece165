"""What the reader's page shows: a part of a long document, with tables, chips and marks ready for the template."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from entities.api.lists import chips_of, chips_of_atoms
from ingestion.reader import Block, Placeholder, TextBlock
from ingestion.tables import Table, read_table

PART = 250
"""Blocks on one page of the reader."""


@dataclass(frozen=True)
class Part:
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
class Shown:
    """A block as the template prints it. pieces: (text, whether it is marked). new_page: the page begins here. read_by:
    who read it off a picture, where the block before was not read so."""

    block: Block
    new_page: int | None
    chips: Sequence[Any] | None = ()
    requires: Sequence[Any] = ()
    pieces: Sequence[tuple[str, bool]] = ()
    table: Table | None = None
    items: Sequence[str] = ()
    read_by: str = ""

    @property
    def is_text(self) -> bool:
        return isinstance(self.block, TextBlock)


def part_of(blocks: Sequence[Block], asked: str) -> Part:
    """The part that was asked for, else the one with the cited passage, else the first."""
    count = max(1, -(-len(blocks) // PART))
    places = [n for n, block in enumerate(blocks) if isinstance(block, TextBlock) and block.cited]
    number = places[0] // PART + 1 if places else 1
    if asked.isascii() and asked.isdigit() and len(asked) < 7:
        number = min(max(1, int(asked)), count)
    chosen = blocks[(number - 1) * PART : number * PART]
    cited = blocks[places[0]] if places else None
    texts = [block.passage for block in blocks if isinstance(block, TextBlock)]
    before = after = None
    if isinstance(cited, TextBlock):
        place = texts.index(cited.passage)
        last = texts.index(blocks[places[-1]].passage)  # type: ignore[union-attr]
        before = texts[place - 1] if place else None
        after = texts[last + 1] if last + 1 < len(texts) else None
    return Part(chosen, number, count, cited if isinstance(cited, TextBlock) else None, before, after)


def sections(blocks: Sequence[Block]) -> list[Shown]:
    """Blocks with what a page needs to print them."""
    shown: list[Shown] = []
    page: int | None = None
    reader = ""
    for block in blocks:
        turned = block.page if block.page is not None and block.page != page else None
        page = block.page if block.page is not None else page
        if isinstance(block, Placeholder):
            shown.append(Shown(block, turned, requires=chips_of_atoms(block.requires)))
            continue
        table = read_table(block.text) if block.kind == "table" else None
        changed = block.read_by if block.read_by != reader or turned else ""
        reader = block.read_by
        shown.append(Shown(block, turned, chips_of(block.label), pieces=pieces(block), table=table, read_by=changed))
    return shown


def pieces(block: TextBlock) -> list[tuple[str, bool]]:
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
