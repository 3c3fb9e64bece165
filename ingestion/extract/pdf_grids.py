"""Grids of ruling lines: the straight edges of what is drawn on a page, and the cells that they enclose.

Edges that nearly meet are one, a point is where two cross, and a cell is the smallest rectangle of four points whose
sides are drawn (the way of Nurminen, Algorithmic Extraction of Data in Tables in PDF Documents, 2013, 5.3).
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as c

from ingestion.extract.pdf_letters import bind

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Mapping

NEAR = 3.0  # points between edges that are one, and between edges that meet
MIN_EDGE = 3.0  # points
THIN = 2.0  # points: what is no wider is an edge itself
MANY_SEGMENTS = 40  # of a path
MAX_SEGMENTS = 20_000  # of a page: more are a map or a drawing
MAX_EDGES = 1_000  # in either direction, once joined

Edge = tuple[float, float, float]
"""Where an edge lies across its direction, where it begins and where it ends."""
Cell = tuple[float, float, float, float]
Point = tuple[float, float]
Grid = list[list[Cell | None]]
"""Rows of cells; None where a cell of a row above or to the left reaches here."""

_segment = bind(c.FPDFPath_GetPathSegment, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_point = bind(c.FPDFPathSegment_GetPoint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_kind = bind(c.FPDFPathSegment_GetType, ctypes.c_int, ctypes.c_void_p)
_closes = bind(c.FPDFPathSegment_GetClose, ctypes.c_int, ctypes.c_void_p)
LINE, MOVE = c.FPDF_SEGMENT_LINETO, c.FPDF_SEGMENT_MOVETO
_x, _y = ctypes.c_float(), ctypes.c_float()
_x_ref, _y_ref = ctypes.addressof(_x), ctypes.addressof(_y)


def extract_edges(paths: Sequence[tuple[Any, Cell, Mapping]]) -> tuple[list[Edge], list[Edge]]:
    """The horizontal and the vertical edges of what is drawn on an open page. paths: each with its box on the page as
    it is shown, and the mapping from the space around it. None where there are too many."""
    across: list[Edge] = []
    down: list[Edge] = []
    left = MAX_SEGMENTS
    for path, (x0, y0, x1, y1), mapping in paths:
        if max(x1 - x0, y1 - y0) < MIN_EDGE:
            continue
        if y1 - y0 < THIN:
            across.append(((y0 + y1) / 2, x0 + (y1 - y0) / 2, x1 - (y1 - y0) / 2))
            continue
        if x1 - x0 < THIN:
            down.append(((x0 + x1) / 2, y0 + (x1 - x0) / 2, y1 - (x1 - x0) / 2))
            continue
        count = c.FPDFPath_CountSegments(path)
        left -= count
        if left < 0:
            return [], []
        for (x0, y0), (x1, y1) in _list_strokes(path, count, mapping.within(path)):
            if abs(y0 - y1) < 0.5 < abs(x0 - x1):
                across.append(((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
            elif abs(x0 - x1) < 0.5 < abs(y0 - y1):
                down.append(((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
    return across, down


def _list_strokes(path: Any, count: int, mapping: Mapping) -> Iterator[tuple[Point, Point]]:
    """The straight strokes of a path; none of one with many curves, for those are letters or a drawing."""
    handle = ctypes.cast(path, ctypes.c_void_p).value
    begin = last = (0.0, 0.0)
    ox, xx, yx, oy, xy, yy = mapping.ox, mapping.xx, mapping.yx, mapping.oy, mapping.xy, mapping.yy
    for index in range(count):
        segment = _segment(handle, index)
        if not segment or not _point(segment, _x_ref, _y_ref):
            continue
        x, y, kind = _x.value, _y.value, _kind(segment)
        point = ox + xx * x + yx * y, oy + xy * x + yy * y
        if kind == LINE:
            yield last, point
        elif kind == MOVE:
            begin = point
        elif count > MANY_SEGMENTS:
            return
        last = point
        if _closes(segment):
            yield last, begin


def find_grids(across: Iterable[Edge], down: Iterable[Edge]) -> list[Grid]:
    """From top to bottom."""
    rows, columns = join_edges(across), join_edges(down)
    if max(len(rows), len(columns)) > MAX_EDGES:
        return []
    grids = [_arrange_rows(cells) for cells in _group_connected(_find_cells(rows, columns))]
    return sorted(grids, key=lambda grid: min(cell[1] for cell in grid[0] if cell is not None))


def join_edges(edges: Iterable[Edge]) -> list[Edge]:
    """Edges that lie near each other drawn to their middle, and those that go on in each other put together."""
    groups: list[list[Edge]] = []
    for edge in sorted(edges):
        if groups and edge[0] - groups[-1][-1][0] <= NEAR:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    found: list[Edge] = []
    for group in groups:
        place = sum(edge[0] for edge in group) / len(group)
        begin, end = 0.0, float("-inf")
        for start, stop in sorted((start, stop) for _, start, stop in group):
            if start > end + NEAR:
                found.append((place, begin, end))
                begin = start
            end = max(end, stop)
        found.append((place, begin, end))
    return [edge for edge in found if edge[2] - edge[1] >= MIN_EDGE]


def _find_cells(rows: Sequence[Edge], columns: Sequence[Edge]) -> list[Cell]:
    """crossed[r]: a bit for every column that row r meets; met[c]: the rows that column c meets, downwards."""
    heights = [y for y, _, _ in rows]
    crossed = [0] * len(rows)
    met: list[list[int]] = []
    for number, (x, top, bottom) in enumerate(columns):
        first = bisect_left(heights, top - NEAR)
        hits = []
        for row in range(first, len(rows)):
            y, left, right = rows[row]
            if y > bottom + NEAR:
                break
            if left - NEAR <= x <= right + NEAR:
                crossed[row] |= 1 << number
                hits.append(row)
        met.append(hits)
    places = [x for x, _, _ in columns]
    found: dict[Cell, None] = {}
    for number, (x, _, _) in enumerate(columns):
        after = bisect_right(places, x)
        for place, row in enumerate(met[number]):
            beyond = crossed[row] >> after
            for below in met[number][place + 1 :] if beyond else ():
                corners = beyond & (crossed[below] >> after)
                if corners and rows[below][0] > rows[row][0]:
                    right = after + (corners & -corners).bit_length() - 1
                    found[x, rows[row][0], places[right], rows[below][0]] = None
                    break
    return list(found)


def _group_connected(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells that share corners, together."""
    above: dict[tuple[float, float], tuple[float, float]] = {}

    def find(corner: tuple[float, float]) -> tuple[float, float]:
        while (higher := above.setdefault(corner, corner)) != corner:
            above[corner] = above[higher]
            corner = higher
        return corner

    for x0, y0, x1, y1 in cells:
        for corner in ((x1, y0), (x0, y1), (x1, y1)):
            above[find(corner)] = find((x0, y0))
    groups: dict[tuple[float, float], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[find(cell[:2])].append(cell)
    return list(groups.values())


def _arrange_rows(cells: Sequence[Cell]) -> Grid:
    lefts = sorted({cell[0] for cell in cells})
    rows: dict[float, dict[float, Cell]] = defaultdict(dict)
    for top, row in groupby(sorted(cells, key=lambda cell: cell[1]), key=lambda cell: cell[1]):
        rows[top] = {cell[0]: cell for cell in row}
    return [[row.get(left) for left in lefts] for row in rows.values()]
