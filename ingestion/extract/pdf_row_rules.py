"""Tables whose rows alone are ruled, as of parties at the head of a contract: the columns are where no word stands.

Rules also stand below the answers of a form, between the sections of a page and between the entries of a list. So a
table begins with a short label, not with the sign of a list; it has type of one size in a row, no cell with a heading,
and no word beside it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ingestion.extract.pdf_grids import NEAR, Edge, Grid

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Word

MIN_ROWS, MIN_RULES = 3, 3
MIN_HEIGHT, MAX_HEIGHT = 6.0, 90.0  # points of a row
GAP = 1.0  # font sizes between columns
FILLED = 0.75  # share of the rows that have something in two columns or more
MAX_FIRST_CHARACTERS, MAX_CHARACTERS = 60, 300  # of a cell in the first column, and in another: more is prose
MAX_RULES = 400  # of a page
SAME_WIDTH = 0.9  # share of the width of rules
MAX_LINE_STEP = 1.8  # font sizes between the lines of a label
SAME_SIZE = 0.9  # share of the largest type in a row, signs of a note aside
LIST_SIGN = re.compile(r"\W*(?:\d{1,3}(?:\.\d{1,2})*|[ivx]+|[a-z])?\W*", re.IGNORECASE)

Band = tuple[float, float]
"""Top and bottom of a row."""


def find_row_grids(across: Sequence[Edge], words: Sequence[Word]) -> list[Grid]:
    """across: joined horizontal edges. words: those that no table has yet."""
    if not MIN_RULES <= len(across) <= MAX_RULES:
        return []
    grids: list[Grid] = []
    groups = _group_rules(across)
    for rules in groups:
        _, begin, end = rules[0]
        inside = [word for word in words if not word.slanted and begin - NEAR <= (word.x0 + word.x1) / 2 <= end + NEAR]
        if any(word.y0 + 1 < y < word.y1 - 1 for word in inside for y, _, _ in rules):  # a scale of a chart
            continue
        if _has_parted_rules(rules, across):
            continue
        bands = list(pairwise(y for y, _, _ in rules))
        height = median(bottom - top for top, bottom in bands)
        top, bottom = bands[0][0], bands[-1][1]
        ends = [(top - height, top), (bottom, bottom + height)]
        bands = sorted([*bands, *(band for band in ends if _is_row(band, bands, inside))])
        columns = _find_columns(_list_words(bands, inside))
        if len(bands) < MIN_ROWS or len(columns) < 2 or _has_words_outside(bands, groups, words):
            continue
        if _is_table(bands, columns, inside):
            lefts = [begin - NEAR, *(start - 1 for start, _ in columns[1:])]
            rights = [*lefts[1:], end + NEAR]
            grids.append([[(x0, y0, x1, y1) for x0, x1 in zip(lefts, rights, strict=True)] for y0, y1 in bands])
    return grids


def _group_rules(across: Iterable[Edge]) -> list[list[Edge]]:
    """Rules of one width, each a row's height below the last."""
    of_width: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in sorted(across):
        of_width[round(edge[1] / NEAR), round(edge[2] / NEAR)].append(edge)
    groups: list[list[Edge]] = []
    for edges in of_width.values():
        group: list[Edge] = []
        for edge in edges:
            if group and not MIN_HEIGHT <= edge[0] - group[-1][0] <= MAX_HEIGHT:
                groups.append(group)
                group = []
            group.append(edge)
        groups.append(group)
    return [group for group in groups if len(group) >= MIN_RULES]


def _has_parted_rules(rules: Sequence[Edge], across: Iterable[Edge]) -> bool:
    """Whether shorter ones stand side by side between these rules: lines of a footer or of other tables."""
    top, begin, end = rules[0]
    bottom = rules[-1][0]
    shorter = [
        y
        for y, x0, x1 in across
        if top < y < bottom and begin - NEAR <= x0 and x1 <= end + NEAR and x1 - x0 < SAME_WIDTH * (end - begin)
    ]
    return any(below - above < 1 for above, below in pairwise(sorted(shorter)))


def _has_words_outside(bands: Sequence[Band], groups: Iterable[Sequence[Edge]], words: Iterable[Word]) -> bool:
    """Whether a word stands at the height of the rows and between no rules, as the label of an answer does."""
    top, bottom = bands[0][0], bands[-1][1]
    spans = {rules[0][1:] for rules in groups if rules[0][0] < bottom and rules[-1][0] > top}
    widest = sorted(spans, key=lambda span: span[0] - span[1])
    centres = [(word.x0 + word.x1) / 2 for word in _list_words(bands, words) if not word.slanted]
    return any(not any(begin - NEAR <= x <= end + NEAR for begin, end in widest) for x in centres)


def _is_row(band: Band, bands: Sequence[Band], words: Sequence[Word]) -> bool:
    """Whether one line stands in `band`, in the columns of the rows: a head above the first rule, a last row."""
    here = _list_words([band], words)
    if any(word.y0 < edge < word.y1 for word in words for edge in band):
        return False
    if not here or max(word.base for word in here) - min(word.base for word in here) >= here[0].size:
        return False
    columns = _find_columns(_list_words(bands, words))
    with_it = _find_columns(_list_words([*bands, band], words))
    return len(columns) == len(with_it) and len(_find_columns(here)) == _count_filled(here, with_it) > 1


def _list_words(bands: Sequence[Band], words: Iterable[Word]) -> list[Word]:
    return [word for word in words if any(top <= (word.y0 + word.y1) / 2 <= bottom for top, bottom in bands)]


def _find_columns(words: Iterable[Word]) -> list[Band]:
    """Left and right edges of what stands below each other, with no word in between."""
    columns: list[Band] = []
    for word in sorted(words, key=lambda word: word.x0):
        if columns and word.x0 - columns[-1][1] < GAP * max(word.size, 1.0):
            columns[-1] = columns[-1][0], max(columns[-1][1], word.x1)
        else:
            columns.append((word.x0, word.x1))
    return columns


def _count_filled(words: Sequence[Word], columns: Sequence[Band]) -> int:
    return sum(any(left <= word.x0 <= right for word in words) for left, right in columns)


def _is_table(bands: Sequence[Band], columns: Sequence[Band], words: Sequence[Word]) -> bool:
    filled = 0
    labels: list[list[Word]] = []
    for band in bands:
        here = _list_words([band], words)
        filled += _count_filled(here, columns) > 1
        sizes = [word.size for word in here if len(word.text) > 2]
        if sizes and min(sizes) < SAME_SIZE * max(sizes):
            return False
        for place, (left, right) in enumerate(columns):
            cell = [word for word in here if left <= word.x0 <= right]
            if sum(len(word.text) + 1 for word in cell) > (MAX_CHARACTERS if place else MAX_FIRST_CHARACTERS):
                return False
            if cell and not place:
                labels.append(cell)
    if not labels or LIST_SIGN.fullmatch(" ".join(word.text for word in labels[0])) or any(map(_is_split, labels)):
        return False
    return filled >= max(MIN_ROWS, FILLED * len(bands))


def _is_split(label: Sequence[Word]) -> bool:
    """Whether its first line is a heading, bold above others that are not, or its lines stand so far apart that the
    answer above a rule and the label below the rule before are taken for one."""
    bases = sorted(word.base for word in label)
    if any(below - above > MAX_LINE_STEP * label[0].size for above, below in pairwise(bases)):
        return True
    first = [word.bold for word in label if word.base < bases[0] + word.size / 2]
    return all(first) and not all(word.bold for word in label)
