"""Blocks that stand beside each other and have the same labels: two addresses for notices, two signatures.

A person reads one block and then the other. Written row by row they look like a table, but no row of a table has the
same label twice: "Attention: Pirkko … Attention: Laurent …".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.extract.pdf_lines import Line

LABEL = re.compile(r"[^\W\d_][^:]{0,30}:")
MIN_PAIRED_ROWS = 2  # rows that have the same label in both blocks
EDGE = 3.0  # points between left edges that are one
MAX_STEP, NEXT_STEP = 5.0, 1.5  # font sizes to the next row of both blocks, and to the next line of an entry
MAX_LINES, MAX_BLOCKS, MAX_PLACES = 2_000, 4, 40  # of a page; beside each other; below each other


def split_paired_blocks(runs: Sequence[Line], blocks: int = MAX_BLOCKS) -> list[list[Line]]:
    """Runs from top to bottom: those above such blocks, each block from left to right, and those below. blocks: that
    may stand beside each other."""
    parts: list[list[Line]] = []
    rows = _group_rows(runs) if blocks > 1 and len(runs) <= MAX_LINES else []
    for _ in range(MAX_PLACES):
        edge = _find_edge(rows)
        if edge is None:
            break
        first, behind = _find_extent(rows, edge)
        inside = _join_rows(rows[first:behind])
        right = [run for run in inside if run.x0 >= edge]
        parts += [
            _join_rows(rows[:first]),
            [run for run in inside if run.x0 < edge],
            *split_paired_blocks(right, blocks - 1),
        ]
        rows = rows[behind:]
    parts.append(_join_rows(rows) if parts else list(runs))
    return [part for part in parts if part]


def _join_rows(rows: Sequence[Sequence[Line]]) -> list[Line]:
    return [run for row in rows for run in row]


def _group_rows(runs: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for run in sorted(runs, key=lambda line: line.base):
        if rows and run.table is None and run.base - rows[-1][0].base < 0.4 * max(run.size, 1.0):
            rows[-1].append(run)
        else:
            rows.append([run])
    for row in rows:
        row.sort(key=lambda line: line.x0)
    return rows


def _find_edge(rows: Sequence[Sequence[Line]]) -> float | None:
    """Where the second of two blocks begins."""
    edges: Counter[int] = Counter()
    for row in rows:
        edges.update({round(run.x0 / EDGE) for run in _list_repeated_labels(row)})
    step, count = min(edges.items(), key=lambda item: (-item[1], item[0]), default=(0, 0))
    return step * EDGE - EDGE if count >= MIN_PAIRED_ROWS else None


def _find_extent(rows: Sequence[Sequence[Line]], edge: float) -> tuple[int, int]:
    """The first row of the blocks, and the one behind their last: from where both have something to where the second
    ends, and what follows closely in the first."""
    both = [place for place, row in enumerate(rows) if _has_start_at(row, edge) and row[0].x0 < edge]
    first = behind = next(place for place in both if _has_start_at(_list_repeated_labels(rows[place]), edge))
    while first and _is_followed_by(rows[first - 1], rows[first], edge) and _has_start_at(rows[first - 1], edge):
        first -= 1
    for place in range(behind + 1, len(rows)):
        if not _is_followed_by(rows[place - 1], rows[place], edge):
            break
        if _has_start_at(rows[place], edge):
            behind = place
    for last, row in pairwise(rows[behind:]):
        step = MAX_STEP if LABEL.match(row[0].text) else NEXT_STEP
        if _is_crossed(row, edge) or row[0].base - last[0].base > step * max(row[0].size, 1.0):
            break
        behind += 1
    return first, behind + 1


def _list_repeated_labels(row: Sequence[Line]) -> list[Line]:
    """Runs with the label that the row begins with, and not printed upon it. Labels that come again behind the name of
    a row are those of a table."""
    label = LABEL.match(row[0].text)
    if label is None:
        return []
    return [
        run
        for run in row[1:]
        if run.x0 > row[0].x0 + 2 * EDGE and run.text[: label.end()].casefold() == label[0].casefold()
    ]


def _is_followed_by(above: Sequence[Line], below: Sequence[Line], edge: float) -> bool:
    if _is_crossed(above, edge) or _is_crossed(below, edge):
        return False
    return below[0].base - above[0].base < MAX_STEP * max(above[0].size, below[0].size, 1.0)


def _has_start_at(row: Sequence[Line], edge: float) -> bool:
    return any(edge <= run.x0 <= edge + 2 * EDGE for run in row)


def _is_crossed(row: Sequence[Line], edge: float) -> bool:
    return any(run.table is not None or run.x0 < edge < run.x1 for run in row)
