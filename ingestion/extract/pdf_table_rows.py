"""Rows of a page of a PDF: what stands on one base line, and which of it are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ingestion.extract.entry_kinds import NOTHING, name_kind
from ingestion.extract.pdf_lines import Line

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Word

MAX_NUMBER_WORDS = 5
MAX_CHARACTERS = 70  # of an entry: a longer one is prose
MAX_STEP = 2.7  # font sizes from one row to the next
SAME_LINE = 0.4  # font sizes between the base lines of one row
ENTRY_GAP = 0.7  # font sizes: words that stand closer are of one entry


class TableRow(NamedTuple):
    """What stands on one base line, or on those of one wrapped row, from left to right."""

    runs: tuple[Line, ...]
    words: tuple[Word, ...]
    base: float
    size: float
    y0: float
    y1: float

    def is_data(self) -> bool:
        return len(self.runs) > 1 and any(name_kind(run.text) for run in self.runs[1:])

    def is_number_less(self) -> bool:
        return not any(name_kind(run.text) or NOTHING.fullmatch(run.text) for run in self.runs)

    def is_of_years(self) -> bool:
        """Whether its numbers may name columns."""
        kinds = {name_kind(run.text) for run in self.runs} - {""}
        return bool(kinds) and kinds <= {"year", "date"}

    def is_label(self) -> bool:
        """Whether it may name a part of a table."""
        return len(self.runs) == 1 and self.is_number_less()

    def matches_style(self, other: TableRow) -> bool:
        own, its = ((all(run.bold for run in row.runs), round(row.size)) for row in (self, other))
        return own == its


def split_row_blocks(runs: Sequence[Line]) -> Iterator[list[TableRow]]:
    """Rows that follow each other closely, without a line of prose, where there may be a table."""
    entries = [entry for run in runs for entry in _split_entries(run)]
    if not _has_numbers(entries):
        return
    block: list[TableRow] = []
    for row in _group_rows(entries):
        is_prose = any(len(run.text) > MAX_CHARACTERS for run in row.runs)
        if block and (is_prose or row.base - block[-1].base > MAX_STEP * max(block[-1].size, row.size)):
            yield block
            block = []
        if not is_prose:
            block.append(row)
    yield block


def _has_numbers(entries: Sequence[Line]) -> bool:
    """Whether numbers stand by themselves: quickly told, because most pages have none."""
    return any(len(entry.words) <= MAX_NUMBER_WORDS and name_kind(entry.text) for entry in entries)


def _split_entries(run: Line) -> Iterator[Line]:
    """Numbers of two columns may stand closer than the columns of a page."""
    begin = 0
    for place, (word, following) in enumerate(pairwise(run.words), 1):
        if following.x0 - word.x1 >= ENTRY_GAP * max(word.size, 1.0):
            yield Line(run.words[begin:place])
            begin = place
    yield run if not begin else Line(run.words[begin:])


def _group_rows(runs: Sequence[Line]) -> list[TableRow]:
    rows: list[list[Line]] = []
    for run in sorted(runs, key=lambda line: line.base):
        if rows and run.base - rows[-1][0].base < SAME_LINE * max(run.size, 1.0):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [build_row(row, row[0].base) for row in rows]


def build_row(runs: Sequence[Line], base: float) -> TableRow:
    ordered = tuple(sorted(runs, key=lambda run: run.x0))
    size = max(1.0, *(run.size for run in runs))
    words = tuple(sorted((word for run in ordered for word in run.words), key=lambda word: word.x0))
    return TableRow(ordered, words, base, size, min(run.y0 for run in runs), max(run.y1 for run in runs))
