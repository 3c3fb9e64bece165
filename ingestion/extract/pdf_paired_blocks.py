"""Blocks that stand beside each other and have the same labels: two addresses for notices, two signatures.

A person reads one block and then the other. Written row by row they look like a table, but no row of a table has the
same label twice: "Attention: Pirkko … Attention: Laurent …". Hours, prices and programmes do: "Monday: 8-12 Monday:
13-17". So labels are those of persons and addresses, and two of them are told apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.extract.pdf_lines import Line

LABEL = re.compile(r"[^\W\d_][^:]{0,30}:")
# The first words of labels, in small letters and without hyphens.
PERSONAL = re.compile(
    "address|adresse|an|anschrift|attention|attn|by|cc|copy|date|datum|email|facsimile|fax|faxnummer|for|from|funktion|"
    "für|if|its|mail|name|ort|phone|position|print|printed|role|signature|signed|tel|telefax|telefon|telephone|titel|"
    "title|to|unterschrift|von|with"
)
MIN_PAIRED_LABELS = 2  # that both blocks have, each on one row
EDGE = 3.0  # points between left edges that are one
MAX_STEP, NEXT_STEP = 5.0, 1.5  # font sizes to the next row of both blocks, and to the next line of an entry
OTHER_STEP = 3.0  # font sizes to other blocks with the same labels
MAX_LINES, MAX_BLOCKS, MAX_PLACES = 2_000, 4, 40  # of a page; beside each other; below each other


def split_paired_blocks(runs: Sequence[Line], blocks: int = MAX_BLOCKS) -> list[list[Line]]:
    """Runs from top to bottom: those above such blocks, each block from left to right, and those below. blocks: that
    may stand beside each other."""
    parts: list[list[Line]] = []
    rows = _group_rows(runs) if blocks > 1 and len(runs) <= MAX_LINES else []
    start = 0
    for _ in range(MAX_PLACES):
        edge = _find_edge(rows[start:])
        if edge is None:
            break
        first, behind = (start + place for place in _find_extent(rows[start:], edge))
        if _count_labels(rows[first:behind], edge) < MIN_PAIRED_LABELS:
            start = behind
            continue
        inside = _join_rows(rows[first:behind])
        right = [run for run in inside if run.x0 >= edge]
        parts += [
            _join_rows(rows[:first]),
            [run for run in inside if run.x0 < edge],
            *split_paired_blocks(right, blocks - 1),
        ]
        rows, start = rows[behind:], 0
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
    labels: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        for run in _list_repeated_labels(row):
            labels[round(run.x0 / EDGE)].add(_name_label(row[0]))
    step, found = min(labels.items(), key=lambda item: (-len(item[1]), item[0]), default=(0, set()))
    return step * EDGE - EDGE if len(found) >= MIN_PAIRED_LABELS else None


def _count_labels(rows: Sequence[Sequence[Line]], edge: float) -> int:
    return len({_name_label(row[0]) for row in rows if _has_start_at(_list_repeated_labels(row), edge)})


def _find_extent(rows: Sequence[Sequence[Line]], edge: float) -> tuple[int, int]:
    """The first row of the blocks, and the one behind their last: from where both have something to where the second
    ends or other blocks begin, and what follows closely in the first: its last entry, and labels of the second."""
    both = [place for place, row in enumerate(rows) if _has_start_at(row, edge) and row[0].x0 < edge]
    first = behind = next(place for place in both if _has_start_at(_list_repeated_labels(rows[place]), edge))
    while first and _is_followed_by(rows[first - 1], rows[first], edge) and _has_start_at(rows[first - 1], edge):
        first -= 1
    labels = {_name_label(rows[behind][0])}
    labelled = behind
    for place in range(behind + 1, len(rows)):
        row = rows[place]
        if not _is_followed_by(rows[place - 1], row, edge):
            break
        label = _name_label(row[0])
        if label in labels and _has_start_at(_list_repeated_labels(row), edge):
            widest = max(range(labelled + 1, place + 1), key=lambda n: _measure_step(rows[n - 1], rows[n]))
            if _measure_step(rows[widest - 1], rows[widest]) > OTHER_STEP:
                return first, widest
        if label:
            labels.add(label)
            labelled = place
        if _has_start_at(row, edge):
            behind = place
    of_second = {_name_label(run) for row in rows[first : behind + 1] for run in row if run.x0 >= edge}
    of_first = {_name_label(row[0]) for row in rows[first : behind + 1] if row[0].x0 < edge}
    for last, row in pairwise(rows[behind:]):
        label = _name_label(row[0])
        step = MAX_STEP if label in of_second - of_first else 0 if label else NEXT_STEP
        if _is_crossed(row, edge) or _measure_step(last, row) > step:
            break
        of_first.add(label)
        behind += 1
    return first, behind + 1


def _measure_step(above: Sequence[Line], below: Sequence[Line]) -> float:
    """Font sizes from one row to the next."""
    return (below[0].base - above[0].base) / max(below[0].size, 1.0)


def _name_label(run: Line) -> str:
    """The first word of its label, as in PERSONAL; empty where it has none."""
    label = LABEL.match(run.text)
    return re.split(r"[^\w]+", label[0].replace("-", "").casefold())[0] if label else ""


def _list_repeated_labels(row: Sequence[Line]) -> list[Line]:
    """Runs with the label that the row begins with, and not printed upon it. Labels that come again behind the name of
    a row are those of a table."""
    label = LABEL.match(row[0].text)
    if label is None or not PERSONAL.fullmatch(_name_label(row[0])):
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
