"""Ink on a PDF page that nothing explains: no word that was read, no picture that was looked at, no rule or fill.

A page as cleared shows only what is explained (docs/adr/0043): what a reader of the page would see and extraction did
not read may be a secret. The page is drawn small, its edges are found, and those of everything that is explained are
wiped out. Letters leave many edges close together, whatever made them: patterns, masks, tiles of pictures, outlines.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as c
from PIL import ImageChops, ImageDraw

from ingestion.extract.pdf_letters import bind
from ingestion.extract.pdf_words import Mapping, PageContent
from ingestion.seen import Region

SCALE, MAX_PIXELS = 0.5, 1_000  # pixels a point; of the longer side
CONTRAST = 32  # shades of grey between neighbours that make an edge
CELL = (12, 6)  # pixels: about four letters of a usual size
MIN_EDGES = 12  # pixels of a cell that are edges
DENSE = [255 * (shade * CELL[0] * CELL[1] >= MIN_EDGES * 255) for shade in range(256)]
AROUND_WORD, AROUND_PICTURE, AROUND_LINE = 2.0, 2.0, 3  # points, and pixels around what is explained
MAX_SEGMENTS = 6  # of a path that is a line or a rectangle
SHORT, MAX_SHORT_LINES = 24.0, 4  # points: shorter lines are parts of letters where more of them stand together
MAX_DEPTH = 8  # of forms in each other
SENTENCE = "This page shows something that was not read; copies of parts of the page leave it out."
_P, _I = ctypes.c_void_p, ctypes.c_int
_object = bind(c.FPDFPage_GetObject, _P)
_inner_object = bind(c.FPDFFormObj_GetObject, _P, _P, ctypes.c_ulong)
_count_objects = bind(c.FPDFFormObj_CountObjects, _I, _P)
_type = bind(c.FPDFPageObj_GetType, _I, _P)
_matrix = bind(c.FPDFPageObj_GetMatrix, _I, _P, _P)
_count_segments = bind(c.FPDFPath_CountSegments, _I, _P)
_segment = bind(c.FPDFPath_GetPathSegment, _P, _P, _I)
_segment_type = bind(c.FPDFPathSegment_GetType, _I, _P)
_point = bind(c.FPDFPathSegment_GetPoint, _I, _P, _P, _P)
_stroke_width = bind(c.FPDFPageObj_GetStrokeWidth, _I, _P, _P)
_room = (ctypes.c_float * 6)()
_refs = [ctypes.addressof(_room) + 4 * place for place in range(6)]
Boxes = Iterable[tuple[float, float, float, float]]


class Ink:
    """The edges of an open page, without those of its rules and fills."""

    def __init__(self, page: pdfium.PdfPage, content: PageContent) -> None:
        self._scale = min(SCALE, MAX_PIXELS / max(content.width, content.height, 1.0))
        grey = page.render(scale=self._scale, grayscale=True, may_draw_forms=False, draw_annots=False).to_pil()
        grey = grey.convert("L")
        width, height = grey.size  # neighbours to the left and above; of the outermost pixels nothing is looked at
        across = ImageChops.difference(grey, grey.crop((-1, 0, width - 1, height)))
        down = ImageChops.difference(grey, grey.crop((0, -1, width, height - 1)))
        self._edges = ImageChops.lighter(across, down).point([0] * CONTRAST + [255] * (256 - CONTRAST))
        draw = ImageDraw.Draw(self._edges)
        draw.rectangle((0, 0, width - 1, height - 1), outline=0, width=2)
        for points, thick in _drop_letter_strokes(_list_lines(page, content)):
            scaled = [(x * self._scale, y * self._scale) for x, y in points]
            draw.line(scaled, fill=0, width=AROUND_LINE + round(thick * self._scale))

    def unexplained(self, words: Boxes, pictures: Boxes, edges_of: Boxes = ()) -> Region | None:
        """Where there is ink that these do not explain, in points; None where there is none. edges_of: of pictures, of
        which only the edges are explained."""
        edges = self._edges.copy()
        draw = ImageDraw.Draw(edges)
        wipe = draw.draw.draw_rectangle  # a colour for each of thousands of boxes would be looked up anew
        for boxes, around in ((words, AROUND_WORD), (pictures, AROUND_PICTURE)):
            for corners in self._scale_boxes(boxes, around):
                wipe(corners, 0, 1)
        for corners in self._scale_boxes(edges_of, 0.0):
            draw.rectangle(corners, outline=0, width=2)
        for shift in ((0, 0), (CELL[0] // 2, CELL[1] // 2)):
            moved = ImageChops.offset(edges, *shift) if any(shift) else edges
            dense = moved.reduce(CELL).point(DENSE).getbbox()
            if dense is not None:
                x0, y0, x1, y1 = (
                    (edge * CELL[place % 2] - shift[place % 2]) / self._scale for place, edge in enumerate(dense)
                )
                return x0, y0, x1, y1
        return None

    def _scale_boxes(self, boxes: Boxes, around: float) -> Iterator[tuple[float, float, float, float]]:
        """In pixels, without those that lie outside the page: cut to it, they end before they begin."""
        scale = self._scale
        for x0, y0, x1, y1 in boxes:
            left, top, right, bottom = (
                (x0 - around) * scale,
                (y0 - around) * scale,
                (x1 + around) * scale,
                (y1 + around) * scale,
            )
            if left <= right and top <= bottom:
                yield left, top, right, bottom


Line = tuple[list[tuple[float, float]], float]


def _drop_letter_strokes(lines: Iterable[Line]) -> Iterator[Line]:
    """Without short lines that stand close together: those make letters."""
    short: dict[tuple[int, int], list[Line]] = {}
    for points, width in lines:
        xs, ys = zip(*points, strict=True)
        if max(max(xs) - min(xs), max(ys) - min(ys)) < SHORT:
            short.setdefault((int(xs[0] // (2 * SHORT)), int(ys[0] // SHORT)), []).append((points, width))
        else:
            yield points, width
    for group in short.values():
        yield from group if len(group) <= MAX_SHORT_LINES else ()


def _list_lines(page: pdfium.PdfPage, content: PageContent) -> Iterator[Line]:
    """Lines and rectangles of a page, as points on it and the width of their stroke."""
    handle, affine = ctypes.byref(page.raw.contents), _build_affine(content.mapping)
    for index in content.others:
        yield from _walk_lines(_object(handle, index), affine, 0)


Affine = tuple[float, float, float, float, float, float]


def _build_affine(mapping: Mapping) -> Affine:
    return mapping.xx, mapping.xy, mapping.yx, mapping.yy, mapping.ox, mapping.oy


def _walk_lines(piece: int, outer: Affine, depth: int) -> Iterator[Line]:
    kind = _type(piece)
    if kind not in (c.FPDF_PAGEOBJ_FORM, c.FPDF_PAGEOBJ_PATH):
        return
    count = _count_segments(piece) if kind == c.FPDF_PAGEOBJ_PATH else 0
    if kind == c.FPDF_PAGEOBJ_PATH and not 2 <= count <= MAX_SEGMENTS:
        return
    a, b, x, y, e, f = tuple(_room) if _matrix(piece, _refs[0]) else (1, 0, 0, 1, 0, 0)
    inner = outer if (a, b, x, y, e, f) == (1, 0, 0, 1, 0, 0) else _combine_affine((a, b, x, y, e, f), outer)
    if kind == c.FPDF_PAGEOBJ_FORM:
        for index in range(_count_objects(piece) if depth < MAX_DEPTH else 0):
            yield from _walk_lines(_inner_object(piece, index), inner, depth + 1)
        return
    points = []
    for index in range(count):
        segment = _segment(piece, index)
        if _segment_type(segment) == c.FPDF_SEGMENT_BEZIERTO:
            return
        _point(segment, _refs[0], _refs[1])
        points.append(_apply_affine(_room[0], _room[1], inner))
    _room[0] = 0
    _stroke_width(piece, _refs[0])
    yield [*points, points[0]], _room[0]


def _combine_affine(inner: Affine, outer: Affine) -> Affine:
    a, b, x, y, e, f = inner
    place = _apply_affine(e, f, outer)
    right, up = _apply_affine(a, b, (*outer[:4], 0, 0)), _apply_affine(x, y, (*outer[:4], 0, 0))
    return *right, *up, *place


def _apply_affine(x: float, y: float, by: Affine) -> tuple[float, float]:
    return by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5]
