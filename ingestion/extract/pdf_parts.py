"""Columns, and parts of a page that they do not run through: a heading across all columns ends those above it and
begins those below, however short it is; small print at the foot comes after all columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.extract.pdf_lines import Line

LARGER, SMALLER = 1.15, 0.87  # than the usual type of the page
CLEAR = 0.4  # of its own size: so much room a line has above and below, on the whole width
BESIDE = 0.2  # of the page: what begins so far to the right stands in another column


def split_parts(runs: Sequence[Line], width: float) -> list[list[Line]]:
    """From top to bottom; all runs, each once. A page without columns may be parted too, which changes nothing."""
    sizes = [run.size for run in runs if run.table is None for _ in run.words]
    if not sizes:
        return [list(runs)]
    usual = median(sizes)
    parts: list[list[Line]] = [[]]
    across = False
    for run in sorted(runs, key=lambda line: (line.y0 + line.y1) / 2):
        if _is_across(run, runs, usual, width):
            if not across:
                parts.append([])
            across = True
        elif across:
            parts.append([])
            across = False
        parts[-1].append(run)
    return [part for part in parts if part]


def _is_across(run: Line, runs: Sequence[Line], usual: float, width: float) -> bool:
    if run.table is not None or SMALLER * usual < run.size < LARGER * usual:
        return False
    room = CLEAR * run.size
    top, bottom = run.y0 - room, run.y1 + room
    right = [other for other in runs if other.x0 > run.x0 + BESIDE * width]
    above, below = any(other.y1 <= run.y0 for other in right), any(other.y0 >= run.y1 for other in right)
    if not above or below != (run.size > usual):
        return False
    return not any(other.y0 < bottom and other.y1 > top for other in runs if not _is_alike(other, run))


def _is_alike(other: Line, run: Line) -> bool:
    """Another line of the same heading or note."""
    return other.table is None and abs(other.size - run.size) < 0.5 and abs(other.x0 - run.x0) < 3 * run.size


def is_filled(runs: Sequence[Line], columns: int) -> bool:
    """Whether most lines are as wide as what they stand in: one column, or up to so many beside each other."""
    left = min(run.x0 for run in runs)
    extent = max(run.x1 for run in runs) - left
    if median(run.x1 - run.x0 for run in runs) >= 0.5 * extent:
        return True
    edges = Counter(round(run.x0 / 3) for run in runs if run.x0 > left + 0.1 * extent)
    if columns < 2 or not edges:
        return False
    edge = 3 * edges.most_common(1)[0][0] - 2
    sides = [run for run in runs if run.x0 < edge], [run for run in runs if run.x0 >= edge]
    return all(len(side) > 1 and is_filled(side, columns - 1) for side in sides) and all(
        run.x1 <= edge + 2 for run in sides[0]
    )
