"""Where a cut page is hatched: one bar of one size in each gap that hidden text leaves (docs/adr/0057).

A gap is white that goes across the whole page between two rows of cleared words, above the first or below the last. A
bar's place is that of its gap. So all that bars tell is which gaps hold hidden text: nothing of how long that is, how
many paragraphs it has, or where its lines begin.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ingestion.boxes import Box

HEIGHT = 8.0  # points, as are all below
WIDTH = 96.0
MARGIN = 36.0  # from the left and from the top, on a page with no cleared word
SPACE = 4.0  # to a cleared row, where the gap has the room


class Rectangle(Protocol):
    """In points from the top left of the page."""

    @property
    def x0(self) -> float: ...
    @property
    def y0(self) -> float: ...
    @property
    def x1(self) -> float: ...
    @property
    def y1(self) -> float: ...


@dataclass(frozen=True)
class Bar:
    """x, y: of its top left corner, in points from the top left of the page."""

    x: float
    y: float
    width: float = WIDTH


def place_bars(cleared: Iterable[Rectangle], hidden: Iterable[Sequence[Box]]) -> tuple[Bar, ...]:
    """cleared: the words that the page shows. hidden: the boxes on it, paragraph by paragraph."""
    words = sorted(cleared, key=lambda word: word.y0)
    # A box without a slice says that the paragraph stands somewhere within.
    heights = [(box.y0 + box.y1) / 2 for boxes in hidden for box in boxes if box.start < box.end]
    if not words:
        return (Bar(MARGIN, MARGIN),) if heights else ()
    left = min(word.x0 for word in words)
    rows = _list_rows(words)
    tops, gaps = [top for top, _ in rows], set()
    for height in heights:
        gap = bisect_right(tops, height)  # the number of rows that begin above it
        if gap == 0 or height > rows[gap - 1][1]:
            gaps.add(gap)
    return tuple(Bar(left, top) for gap in sorted(gaps) if (top := _find_top(rows, gap)) is not None)


def _list_rows(words: Sequence[Rectangle]) -> list[tuple[float, float]]:
    """Top and bottom of each row of words, which come by their tops; words that overlap in height are of one row."""
    rows: list[tuple[float, float]] = []
    for word in words:
        if rows and word.y0 <= rows[-1][1]:
            rows[-1] = (rows[-1][0], max(rows[-1][1], word.y1))
        else:
            rows.append((word.y0, word.y1))
    return rows


def _find_top(rows: Sequence[tuple[float, float]], gap: int) -> float | None:
    """Of the bar in the gap behind so many rows; None where a bar has no room."""
    if gap == 0:
        top = rows[0][0] - SPACE - HEIGHT
        return top if top >= 0 else None
    above = rows[gap - 1][1]
    if gap == len(rows):
        return above + SPACE
    room = rows[gap][0] - above - HEIGHT
    return above + min(SPACE, room / 2) if room >= 0 else None
