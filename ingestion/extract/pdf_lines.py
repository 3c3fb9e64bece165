"""From words to lines in reading order: simple columns are told from simple tables, and read one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from ingestion.extract.pdf_flow import split_as_written
from ingestion.extract.pdf_paired_blocks import split_paired_blocks
from ingestion.extract.pdf_parts import is_filled, split_parts
from ingestion.extract.pdf_words import Word
from ingestion.extract.right_to_left import RIGHT_TO_LEFT, order_words

if TYPE_CHECKING:
    from ingestion.extract.pdf_tables import PdfTable

SAME_LINE = 0.4  # of the font size
WORD_GAP = 1.3  # of the font size: a larger gap may be a gutter or a tab
EDGE = 3.0  # points between left edges that are one
MIN_GUTTER_LINES = 8
MIN_COLUMN_LINES = 3
MIN_COLUMN_WIDTH = 0.18  # of the page
MIN_COLUMN_WORDS = 3
MOST_COLUMNS = 3


@dataclass(slots=True)
class Line:
    """Words on one base line, left to right; or a whole table standing among lines."""

    words: list[Word]
    x0: float = field(init=False)
    y0: float = field(init=False)
    x1: float = field(init=False)
    y1: float = field(init=False)
    base: float = field(init=False)
    size: float = field(init=False)
    bold: bool = field(init=False)
    text: str = field(init=False)
    seen: bool = field(init=False)
    table: PdfTable | None = None

    def __post_init__(self) -> None:
        self.measure()

    def measure(self) -> None:
        if self.table is not None:
            self.x0, self.y0, self.x1, self.y1 = self.table.box
            self.base, self.size, self.bold, self.text, self.seen = self.y0, 0.0, False, "", False
            return
        if len(self.words) == 1:  # as most entries and labels are
            text, self.x0, self.y0, self.x1, self.y1, self.base, self.size, bold, _, _, _, one_seen = self.words[0]
            self.bold, self.text, self.seen = bold, text, one_seen
            return
        texts, x0, y0, x1, y1, bases, sizes, bolds, _, _, _, seen = zip(*self.words, strict=True)
        self.x0, self.x1, self.y0, self.y1 = min(x0), max(x1), min(y0), max(y1)
        self.size, self.base = max(sizes), bases[0]
        if bases.count(self.base) < len(bases):  # that of the longest of the largest words
            lengths = [len(text) if size == self.size else 0 for text, size in zip(texts, sizes, strict=True)]
            self.base = bases[lengths.index(max(lengths))]
        self.bold, self.seen = all(bolds), any(seen)
        self.text = " ".join(texts)
        if not self.text.isascii() and RIGHT_TO_LEFT.search(self.text):
            self.text = " ".join(word.text for word in order_words(self.words))


def split_segments(words: Iterable[Word], *, whole_page: bool = False) -> list[Line]:
    """Runs of words with no gap wider than a wide blank; a line of two columns gives two, and of a whole page also
    where there is less room between them."""
    row = list(words)
    if not row:
        return []
    _, x0, _, x1, _, bases, sizes, _, _, _, splits, _ = zip(*row, strict=True)
    pairs = zip(x1, x0[1:], bases, bases[1:], sizes, sizes[1:], splits, strict=False)
    runs: list[Line] = []
    begin = 0
    for place, (end, start, base, next_base, size, next_size, split) in enumerate(pairs):
        if not split:
            if base == next_base and size == next_size:  # nearly always alike, and quickly told
                if size < 1.0:
                    size = 1.0
                if -0.5 * size < start - end < WORD_GAP * size:
                    continue
            elif _follows(row[place], row[place + 1]):
                continue
        runs.append(Line(row[begin : place + 1]))
        begin = place + 1
    runs.append(Line(row[begin:]))
    return _join_runs(runs, WORD_GAP, _narrow_gutters(runs) if whole_page else frozenset())


def _narrow_gutters(runs: list[Line]) -> frozenset[int]:
    """Left edges, in steps of EDGE points, at which many runs begin away from the margin while next to none goes
    through: columns, however little room there is between them. Words of one line come one after the other."""
    if len(runs) < 2 * MIN_GUTTER_LINES:
        return frozenset()
    margin = min(run.x0 for run in runs) / EDGE + 10
    begins = Counter(round(run.x0 / EDGE) for run in runs)
    found: set[int] = set()
    for edge, count in begins.items():
        if count < MIN_GUTTER_LINES or edge < margin:
            continue
        x = edge * EDGE
        if sum(run.x0 < x - EDGE and run.x1 > x + EDGE for run in runs) < 0.2 * count:
            found |= {edge - 1, edge, edge + 1}
    return frozenset(found)


def _follows(last: Word, word: Word) -> bool:
    size = max(last.size, word.size, 1.0)
    return (
        _is_same_line(last.base, last.size, word.base, word.size) and -0.5 * size < word.x0 - last.x1 < WORD_GAP * size
    )


def _is_same_line(base: float, size: float, other_base: float, other_size: float) -> bool:
    """Small raised and lowered letters belong to the line of the large ones."""
    if base == other_base:
        return True
    largest = max(size, other_size, 1.0)
    reach = SAME_LINE if abs(size - other_size) < 0.15 * largest else 0.6
    return abs(base - other_base) <= reach * largest


def _join_runs(runs: list[Line], gap: float | None, gutters: frozenset[int] = frozenset()) -> list[Line]:
    """Runs on one base line put together where the gap between them is less than `gap` font sizes (None: any gap).
    gutters: left edges of columns, to which nothing is joined."""
    rows: list[list[Line]] = []
    farthest = 0.6 * max((run.size for run in runs), default=1.0) + 0.6  # more than the largest of them reaches
    for run in sorted(runs, key=lambda line: (line.base, line.x0)):
        found = None
        if run.table is None:
            for row in reversed(rows[-6:]):
                first = row[0]
                if run.base - first.base > farthest:
                    break
                if first.table is None and _is_same_line(first.base, first.size, run.base, run.size):
                    found = row
                    break
        if found is None:
            rows.append([run])
        else:
            found.append(run)
    out: list[Line] = []
    for row in rows:
        if len(row) == 1:
            out += row
            continue
        row.sort(key=lambda line: line.x0)
        current = row[0]
        for run in row[1:]:
            room = run.x0 - current.x1
            near = gap is None or -0.5 * current.size < room < gap * max(current.size, run.size, 1.0)
            if near and not (gutters and room > 0 and round(run.x0 / EDGE) in gutters):
                current.words = current.words + run.words
                current.measure()
            else:
                out.append(current)
                current = run
        out.append(current)
    return out


def group_in_reading_order(runs: list[Line], width: float, written: Sequence[Word] = ()) -> list[list[Line]]:
    """Groups of whole lines, each from top to bottom; a group is the page, a part of it, or a column. written: the
    words in the order of the page's content, where it has one."""
    found = split_as_written(runs, written) if written else None
    blocks, may_hold_columns = found or ([runs], True)
    if not may_hold_columns:
        return [join_whole_lines(part) for block in blocks for part in split_paired_blocks(block)]
    parts = (part for block in blocks for part in split_parts(block, width))
    return [group for part in parts for group in _split_columns(part, width)]


def _split_columns(runs: list[Line], width: float) -> list[list[Line]]:
    gutter = _find_gutter(runs, width)
    if gutter is None:
        return [join_whole_lines(part) for part in split_paired_blocks(runs)]
    groups: list[list[Line]] = []
    plain: list[Line] = []
    for band in _split_bands(sorted(runs, key=_get_middle), gutter):
        left, right = _split_sides(band, gutter)
        if not _are_columns(left, right, width):
            plain += band
            continue
        if plain:
            groups.append(join_whole_lines(plain))
            plain = []
        groups += group_in_reading_order(left, width) + group_in_reading_order(right, width)
    if plain:
        groups.append(join_whole_lines(plain))
    return groups


def join_whole_lines(runs: Sequence[Line]) -> list[Line]:
    """Runs on the same base line as one line each, from top to bottom."""
    return sorted(_join_runs(list(runs), None), key=lambda line: (line.base, line.x0))


def _find_gutter(runs: list[Line], width: float) -> float | None:
    """The left edge of a right column that parts most lines, or None."""
    edges = Counter(round(run.x0 / 3) for run in runs)
    left = min((run.x0 for run in runs), default=0.0)
    candidates = sorted(
        (3.0 * edge for edge, count in edges.items() if count >= MIN_COLUMN_LINES and 3.0 * edge > left + 0.1 * width),
        key=lambda x: -edges[round(x / 3)],
    )[:8]
    best, most = None, 0
    if candidates:
        runs = sorted(runs, key=_get_middle)
    for x in candidates:
        lines = 0
        for band in _split_bands(runs, x):
            sides = _split_sides(band, x)
            if _are_columns(*sides, width):
                lines += min(len(sides[0]), len(sides[1]))
        if lines > most:
            best, most = x, lines
    return best


def _split_sides(band: list[Line], gutter: float) -> tuple[list[Line], list[Line]]:
    return [r for r in band if r.x1 <= gutter], [r for r in band if r.x1 > gutter]


def _split_bands(runs: list[Line], gutter: float) -> list[list[Line]]:
    """Runs from top to bottom: those that keep clear of the gutter together, and those that cross it together."""
    bands: list[list[Line]] = []
    crossed: bool | None = None
    for run in runs:
        crosses = run.x0 < gutter - 3 < run.x1
        if crosses != crossed:
            bands.append([])
            crossed = crosses
        bands[-1].append(run)
    return bands


def _are_columns(left: list[Line], right: list[Line], width: float) -> bool:
    """Prose beside prose; short entries beside each other are a table or a form, and are read line by line."""
    for side in (left, right):
        if len(side) < MIN_COLUMN_LINES:
            return False
        extent = max(run.x1 for run in side) - min(run.x0 for run in side)
        if extent < MIN_COLUMN_WIDTH * width:
            return False
        if not is_filled(side, MOST_COLUMNS - 1):
            return False
        if median(len(run.words) for run in side) < MIN_COLUMN_WORDS:
            return False
    top, bottom = max(_get_top(left), _get_top(right)), min(_get_bottom(left), _get_bottom(right))
    shorter = min(_get_bottom(left) - _get_top(left), _get_bottom(right) - _get_top(right))
    return bottom - top > 0.5 * shorter


def _get_middle(run: Line) -> float:
    return (run.y0 + run.y1) / 2


def _get_top(runs: list[Line]) -> float:
    return min(run.y0 for run in runs)


def _get_bottom(runs: list[Line]) -> float:
    return max(run.y1 for run in runs)
