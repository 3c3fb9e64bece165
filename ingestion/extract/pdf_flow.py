"""The order in which a page was written, where that is the order in which people read it.

Most programs write columns, boxes and marginal notes one after the other. That is believed where it reads like a text:
line after line goes downwards in its column, and only some lines begin elsewhere. A page that was written row by row,
or in no order, says nothing that its places do not say better (`pdf_lines.group_in_reading_order`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ingestion.extract.pdf_frames import list_frames_as_written

if TYPE_CHECKING:
    from ingestion.extract.pdf_lines import Line
    from ingestion.extract.pdf_words import Word

MIN_LINES = 12
MIN_WORDS = 3  # of the usual line: fewer are entries of a table or a form
MIN_DOWNWARDS = 0.7  # share of lines that go on below the one before
MAX_ROWS = 0.15  # share of lines that go on to the right of the one before
MIN_BESIDE = 0.2  # share of lines that have another one beside them: else there are no columns
STEP = 3.0  # font sizes to the next line of a column


def split_as_written(runs: Sequence[Line], written: Sequence[Word]) -> tuple[list[list[Line]], bool] | None:
    """Lines that were written one below the other, together, and whether they may hold columns: frames may
    (pdf_frames.py). None where the order says nothing. written: the words in the order of the page's content."""
    if len(runs) < MIN_LINES or _count_adjacent(runs) < MIN_BESIDE * len(runs):
        return None
    lines = _sort_as_written(runs, written)
    blocks = list(_split_blocks(lines))
    if _is_a_text(lines):
        return blocks, False
    frames = list_frames_as_written(blocks)
    return (frames, True) if frames is not None else None


def _is_a_text(lines: Sequence[Line]) -> bool:
    texts = [line for line in lines if line.table is None]
    if len(texts) < MIN_LINES or median(len(line.words) for line in texts) < MIN_WORDS:
        return False
    pairs = list(pairwise(texts))
    downwards = sum(_goes_down(a, b) for a, b in pairs)
    rows = sum(_goes_right(a, b) for a, b in pairs)
    return downwards >= MIN_DOWNWARDS * len(pairs) and rows <= MAX_ROWS * len(pairs)


def _sort_as_written(runs: Sequence[Line], written: Sequence[Word]) -> list[Line]:
    places = {id(word): place for place, word in enumerate(written)}
    return sorted(runs, key=lambda run: _find_first_place(run, places))


def _find_first_place(run: Line, places: Mapping[int, int]) -> int:
    words = run.words if run.table is None else [word for row in run.table.rows for cell in row for word in cell]
    return min((places.get(id(word), 0) for word in words), default=0)


def _split_blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    block = list(lines[:1])
    for last, line in pairwise(lines):
        if last.table is not None or line.table is not None or not (_goes_down(last, line) or _goes_right(last, line)):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _goes_down(last: Line, line: Line) -> bool:
    size = max(last.size, line.size, 1.0)
    return 0.3 * size < line.base - last.base < STEP * size and min(last.x1, line.x1) > max(last.x0, line.x0)


def _goes_right(last: Line, line: Line) -> bool:
    return abs(line.base - last.base) <= 0.4 * max(last.size, line.size, 1.0) and line.x0 >= last.x1 - 1


def _count_adjacent(lines: Sequence[Line]) -> int:
    """How many lines have another one at their height."""
    ordered = sorted(lines, key=lambda line: line.base)
    return sum(b.base - a.base <= 0.6 * max(a.size, 1.0) and (b.x0 > a.x1 or a.x0 > b.x1) for a, b in pairwise(ordered))
