"""Columns of rows: where no word stands between entries, and which of them hold numbers below each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ingestion.extract.entry_kinds import NOTHING, name_kind
from ingestion.extract.pdf_table_rows import ENTRY_GAP, TableRow

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Word

SLACK = 0.5  # points, for rounding
ALIGNED_POINTS = 4.0  # between the edges of numbers that stand below each other
ALIGNED, ONE_KIND = 0.75, 0.75  # share of the numbers of a column
SIGN = re.compile(r"[-–+]?[$€£¥(]|[)%€]|\)%")

Column = tuple[float, float]
"""Left and right edge of what stands below each other."""


def find_columns(head: TableRow, rows: Sequence[TableRow]) -> list[Column]:
    """Of the rows with as many entries as most have or more, widened by the words of the head; a sign of a currency or
    a bracket is of its number."""
    usual = Counter(len(row.runs) for row in rows).most_common(1)[0][0] if rows else 0
    full = [row for row in rows if len(row.runs) >= usual]
    columns: list[Column] = []
    for word in sorted((word for row in full for word in row.words), key=lambda word: word.x0):
        _add_word(columns, word, ENTRY_GAP * max(word.size, 1.0))
    for word in head.words:
        _add_word(columns, word, 0.0 if _is_in_one(columns, word) else ENTRY_GAP * max(word.size, 1.0))
    return _join_signs(columns, full)


def _add_word(columns: list[Column], word: Word, room: float) -> None:
    """Adds a word to the columns that it stands in or close to; one of its own where there is none."""
    touched = [column for column in columns if word.x0 - column[1] < room and column[0] - word.x1 < room]
    for column in touched:
        columns.remove(column)
    columns.append((min([word.x0, *(c[0] for c in touched)]), max([word.x1, *(c[1] for c in touched)])))
    columns.sort()


def _is_in_one(columns: Sequence[Column], word: Word) -> bool:
    return sum(word.x0 < right and left < word.x1 for left, right in columns) == 1


def _join_signs(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    joined: list[Column] = []
    pending: float | None = None
    for column in columns:
        texts = [text for row in rows if (text := read_cell(row, column))]
        left = column[0] if pending is None else pending
        pending = None
        if texts and all(SIGN.fullmatch(text) for text in texts):
            if texts[0][0] in ")%€" and joined:
                joined[-1] = joined[-1][0], column[1]
                continue
            pending = left
            continue
        joined.append((left, column[1]))
    return joined


def read_cell(row: TableRow, column: Column) -> str:
    return " ".join(word.text for word in _list_words(row, column))


def _list_words(row: TableRow, column: Column) -> list[Word]:
    """Those whose middle stands in the column."""
    return [word for word in row.words if column[0] - SLACK <= (word.x0 + word.x1) / 2 <= column[1] + SLACK]


def find_kinds(rows: Sequence[TableRow], columns: Sequence[Column]) -> list[str]:
    """The kind of the numbers of each column but the first; empty where they are of none, or stand anywhere."""
    found = [""]
    for column in columns[1:]:
        texts = [text for row in rows if (text := read_cell(row, column)) and not NOTHING.fullmatch(text)]
        kind, count = Counter(map(name_kind, texts)).most_common(1)[0] if texts else ("", 0)
        if kind and count >= ONE_KIND * len(texts) and _is_aligned(rows, column):
            found.append(kind)
        else:
            found.append("")
    return found


def _is_aligned(rows: Sequence[TableRow], column: Column) -> bool:
    cells = [_list_words(row, column) for row in rows]
    spans = [(min(w.x0 for w in cell), max(w.x1 for w in cell)) for cell in cells if cell]
    for edges in ([a for a, _ in spans], [b for _, b in spans], [(a + b) / 2 for a, b in spans]):
        at = sorted(edges)[len(edges) // 2]
        if sum(abs(edge - at) <= ALIGNED_POINTS for edge in edges) >= ALIGNED * len(edges):
            return True
    return False


def list_edges(columns: Sequence[Column]) -> list[float]:
    return [(left[1] + right[0]) / 2 for left, right in pairwise(columns)]


def is_crossed(row: TableRow, edge: float) -> bool:
    """Whether an entry runs through the middle between two columns."""
    words = row.words
    if any(word.x0 < edge < word.x1 for word in words):
        return True
    return any(
        left.x1 <= edge <= right.x0 and right.x0 - left.x1 < ENTRY_GAP * max(left.size, 1.0)
        for left, right in pairwise(words)
    )
