"""Where a cut page is hatched: one bar of one height for each gap that hidden paragraphs leave (docs/adr/0057).

Which gap a bar stands in is told, between which cleared words of a line and how far down; nothing of how long the
hidden text is, how many paragraphs it has, or where its line begins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ingestion.boxes import Box

HEIGHT = 8.0  # points, as are all below
LONGEST = 96.0
SHORTEST = 10.0
MARGIN = 36.0  # from the left, on a page with no cleared word
SPACE = 3.0  # to a cleared word
STEP = 4.0  # to which the middle of a hidden line is rounded: how high its letters are shows in it otherwise


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
    width: float


def place_bars(cleared: Sequence[Rectangle], hidden: Iterable[Sequence[Box]]) -> tuple[Bar, ...]:
    """cleared: the words that the page shows. hidden: the boxes on it, paragraph by paragraph."""
    # A box without a slice says that the paragraph stands somewhere within.
    paragraphs = [words for boxes in hidden if (words := [box for box in boxes if box.start < box.end])]
    paragraphs.sort(key=lambda words: (_middle(words[0]), words[0].x0))
    bars: list[Bar] = []
    before: Sequence[Box] = ()
    for words in paragraphs:
        if not before or _parts(cleared, before, words):
            bars += _place_bar(cleared, words[0])
        before = words
    return tuple(bars)


def _parts(cleared: Sequence[Rectangle], above: Sequence[Box], below: Sequence[Box]) -> bool:
    """Whether a cleared word stands between two hidden paragraphs, which have one bar otherwise."""
    left, right = min(box.x0 for box in (*above, *below)), max(box.x1 for box in (*above, *below))
    top, bottom = _middle(above[0]), _middle(below[0])
    if bottom - top < HEIGHT / 2:  # of one line
        left, right = sorted((above[0].x0, below[0].x0))
        top, bottom = top - HEIGHT / 2, bottom + HEIGHT / 2
    return any(top < _middle(word) < bottom and word.x1 > left and word.x0 < right for word in cleared)


def _place_bar(cleared: Sequence[Rectangle], first: Box) -> list[Bar]:
    """In the gap of the line in which the hidden paragraph begins. None where cleared words leave no room."""
    top = round(_middle(first) / STEP) * STEP - HEIGHT / 2
    line = [word for word in cleared if word.y0 < top + HEIGHT and word.y1 > top]
    margin = min((word.x0 for word in cleared), default=MARGIN)
    left = max([margin, *(word.x1 + SPACE for word in line if word.x0 < first.x0)])
    right = min([left + LONGEST, *(word.x0 - SPACE for word in line if word.x0 >= first.x0)])
    return [Bar(left, top, right - left)] if right - left >= SHORTEST else []


def _middle(box: Rectangle) -> float:
    return (box.y0 + box.y1) / 2
