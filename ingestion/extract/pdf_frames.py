"""Frames of a page: boxes of a drawing, side bars and short columns, which were written one after the other.

A frame is read as a whole, however near another one stands beside it. Which of two frames comes first, their places say
where one stands above the other, and the order of writing where they stand beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from math import inf
from typing import TYPE_CHECKING

from ingestion.extract.pdf_spacing import WITHOUT_BLANKS

if TYPE_CHECKING:
    from ingestion.extract.pdf_lines import Line

MAX_FRAMES, MAX_LINES = 200, 2_000
SAME_ROW = 2.0  # points between base lines that are one
UPWARDS = 1.0  # font sizes; each frame but the first begins so far above the end of another
MIN_ROWS = 3  # of each of two frames that stand beside each other
SHARED = 0.1  # of the narrower or lower one: so far frames may reach into each other
ALIGNED = 0.8  # share of rows that stand at the height of a row of the other: entries of a table
ENTRY, LABEL = 3, 1.5  # words a row; fewer may be entries of a table, and fewer than that always are
MIN_COLUMN, FILLED = 8, 0.75  # rows of a narrow column, and the share of its width that they fill
MAX_GAP = 2.0  # font sizes between the parts of a frame
MAX_ASIDE = 20.0  # font sizes between the entries of a row, unless those of one frame are values
MIN_LABELS = 8  # frames of a drawing
MIN_UPWARDS, MAX_UPWARDS = 0.25, 0.7  # share of them that were written back upwards; more is a page from its end
MIN_EDGES, MAX_ALIGNED = 1 / 3, 0.5  # left edges by frame, and share of frames that stand on one line with another
EDGE = 3.0  # points between left edges that are one
MIN_ALONE = 0.6  # share of frames that are left where rows are joined: of a form with labels and values it is half
LABEL_WORDS = 5  # on a line of a drawing, at most
FLUSH = 1.0  # points between right ends that are one


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """lines: in the order of writing. rows: heights of its base lines, from the top. entries: whether its rows hold
    next to nothing and end where they like, which lines of a narrow column do not. values: whether they are single
    words or set flush right, as amounts are and addresses are not."""

    lines: list[Line]
    x0: float
    y0: float
    x1: float
    y1: float
    rows: tuple[float, ...]
    entries: bool
    values: bool

    @classmethod
    def from_lines(cls, lines: list[Line]) -> Frame:
        x0, y0 = min(line.x0 for line in lines), min(line.y0 for line in lines)
        x1, y1 = max(line.x1 for line in lines), max(line.y1 for line in lines)
        rows: list[float] = []
        for base in sorted(line.base for line in lines):
            if not rows or base - rows[-1] > SAME_ROW:
                rows.append(base)
        words = sum(map(_count_words, lines))
        entries = words < ENTRY * len(rows) and (
            len(rows) < MIN_COLUMN
            or words < LABEL * len(rows)
            or sum(line.x1 - line.x0 for line in lines) < FILLED * len(rows) * (x1 - x0)
        )
        flush = x1 - min(line.x1 for line in lines) < FLUSH < max(line.x0 for line in lines) - x0
        values = entries and (words < LABEL * len(rows) or flush)
        return cls(lines, x0, y0, x1, y1, tuple(rows), entries, values)


def list_frames_as_written(blocks: Sequence[list[Line]]) -> list[list[Line]] | None:
    """The lines of each frame, from the first one to be read to the last; None where no frames stand beside each
    other. blocks: lines that were written one below the other, in the order of writing."""
    if not 2 <= len(blocks) <= MAX_FRAMES or sum(map(len, blocks)) > MAX_LINES:
        return None
    if not any(block[0].y1 + UPWARDS * block[0].size < last[-1].y0 for last, block in pairwise(blocks)):
        return None
    written = _merge_stacked([Frame.from_lines(block) for block in blocks])
    frames = _merge_overlapping(written, _are_rows)
    if len(frames) >= MIN_ALONE * len(written) and _is_drawing(frames):
        places = {id(line): place for place, line in enumerate(chain.from_iterable(blocks))}
        frames = _merge_overlapping(written, _are_labelled_rows)
        return [f.lines for f in sorted(frames, key=lambda frame: min(places[id(line)] for line in frame.lines))]
    if not _has_neighbours(frames):
        return None
    return [frame.lines for frame in _sort_frames(frames)]


def _merge_stacked(frames: Sequence[Frame]) -> list[Frame]:
    """A frame goes on with the next one that was written where that stands just below, and nothing else between."""
    found: list[Frame] = []
    for number, frame in enumerate(frames):
        last = found[-1] if found else None
        if last is not None and _goes_on(last, frame):
            both = Frame.from_lines(last.lines + frame.lines)
            others = chain(islice(found, len(found) - 1), islice(frames, number + 1, None))
            if not any(_reach(both, f) and not _reach(last, f) and not _reach(frame, f) for f in others):
                found[-1] = both
                continue
        found.append(frame)
    return found


def _goes_on(last: Frame, frame: Frame) -> bool:
    size = max(last.lines[-1].size, frame.lines[0].size, 1.0)
    across = min(last.x1, frame.x1) - max(last.x0, frame.x0)
    return across > 0 and -0.3 * size < frame.y0 - last.y1 < MAX_GAP * size


def _merge_overlapping(frames: Sequence[Frame], are_rows: Callable[[Frame, Frame], bool]) -> list[Frame]:
    """Frames that reach into each other, and columns of a table, together. are_rows: tells the latter."""
    found: list[Frame] = []
    for frame in frames:
        while (other := next((f for f in found if _reach(f, frame) or are_rows(f, frame)), None)) is not None:
            found.remove(other)
            frame = Frame.from_lines(other.lines + frame.lines)
        found.append(frame)
    return found


def _reach(a: Frame, b: Frame) -> bool:
    if a.x0 >= b.x1 or b.x0 >= a.x1 or a.y0 >= b.y1 or b.y0 >= a.y1:
        return False
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    down = min(a.y1, b.y1) - max(a.y0, b.y0)
    narrower, lower = min(a.x1 - a.x0, b.x1 - b.x0), min(a.y1 - a.y0, b.y1 - b.y0)
    return across > SHARED * narrower and down > SHARED * lower


def _are_rows(a: Frame, b: Frame) -> bool:
    """Whether the frames stand beside each other and have the same rows, of which those of one are entries."""
    if min(a.y1, b.y1) <= max(a.y0, b.y0) or not (a.entries or b.entries):
        return False
    few, many = sorted((a.rows, b.rows), key=len)
    size = max(a.lines[0].size, b.lines[0].size, 1.0)
    apart = max(a.x0, b.x0) - min(a.x1, b.x1) > MAX_ASIDE * size and not (a.values or b.values)
    if len(few) < ALIGNED * len(many) or apart:
        return False
    aligned = sum(any(abs(base - other) < 0.3 * size for other in many) for base in few)
    return aligned >= ALIGNED * len(few)


def _are_labelled_rows(a: Frame, b: Frame) -> bool:
    """The same in a drawing, where only signs of a list and labels with a colon belong to what stands beside them."""
    left, right = sorted((a, b), key=lambda frame: frame.x0)
    size = max(left.lines[0].size, right.lines[0].size, 1.0)
    labels = sum(line.text.endswith(":") for line in left.lines)
    return (right.x0 - left.x1 < size or 2 * labels > len(left.lines)) and _are_rows(a, b)


def _is_drawing(frames: Sequence[Frame]) -> bool:
    """Whether the frames are labels of a drawing, a map or a diagram, which no height puts in order: most words stand
    on short lines, and the order of writing goes back up again and again. That of a form or a table does so once or
    twice, unless it was written in any order: its frames stand in rows and columns."""
    if len(frames) < MIN_LABELS or _is_grid(frames):
        return False
    upwards = sum(_begins_above(last, frame) for last, frame in pairwise(frames))
    if not MIN_UPWARDS * len(frames) <= upwards <= MAX_UPWARDS * len(frames):
        return False
    words = [_count_words(line) for frame in frames for line in frame.lines]
    return 2 * sum(n for n in words if n > LABEL_WORDS) < sum(words)


def _is_grid(frames: Sequence[Frame]) -> bool:
    """Whether the frames have few left edges, or most of them stand on one line with another."""
    lefts = sorted(frame.x0 for frame in frames)
    if 1 + sum(right - left > EDGE for left, right in pairwise(lefts)) <= MIN_EDGES * len(frames):
        return True
    bases = [-inf, *sorted(frame.rows[0] for frame in frames), inf]
    alone = sum(b - a > SAME_ROW < c - b for a, b, c in zip(bases, bases[1:], bases[2:], strict=False))
    return len(frames) - alone > MAX_ALIGNED * len(frames)


def _begins_above(last: Frame, frame: Frame) -> bool:
    return frame.y1 + UPWARDS * frame.lines[0].size < last.y0


def _has_neighbours(frames: Sequence[Frame]) -> bool:
    large = [frame for frame in frames if len(frame.rows) >= MIN_ROWS]
    return any(
        min(a.y1, b.y1) - max(a.y0, b.y0) > 0.3 * min(a.y1 - a.y0, b.y1 - b.y0)
        for number, a in enumerate(large)
        for b in large[number + 1 :]
    )


def _sort_frames(frames: Sequence[Frame]) -> list[Frame]:
    """In the order of writing, but none before one that stands above it, or above all that are left."""
    above = [{n for n, other in enumerate(frames) if _is_above(other, frame)} for frame in frames]
    left = list(range(len(frames)))
    found: list[Frame] = []
    while left:
        number, *others = sorted(left, key=lambda n: frames[n].y0)
        if any(frames[n].y0 < frames[number].y1 for n in others):
            number = next((n for n in left if not above[n]), number)
        left.remove(number)
        for numbers in above:
            numbers.discard(number)
        found.append(frames[number])
    return found


def _is_above(a: Frame, b: Frame) -> bool:
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    return across > SHARED * min(a.x1 - a.x0, b.x1 - b.x0) and a.y0 + a.y1 < b.y0 + b.y1


def _count_words(line: Line) -> float:
    """Of signs that are set without blanks, two are a word."""
    return sum(len(word.text) / 2 if WITHOUT_BLANKS.match(word.text) else 1 for word in line.words)
