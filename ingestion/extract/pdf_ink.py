"""Ink on a PDF page that nothing explains: no word that was read, no picture that was looked at, no rule or fill.

A page as cleared shows only what is explained (docs/adr/0043): what a reader of the page would see and extraction did
not read may be a secret. The page is drawn small, its edges are found, and those of everything that is explained are
wiped out. Letters leave many edges close together, whatever made them: patterns, masks, tiles of pictures, outlines.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as c
from PIL import ImageChops, ImageDraw

from ingestion.extract.pdf_letters import bind
from ingestion.extract.pdf_pictures import clip_to_page
from ingestion.extract.pdf_seen import is_ornament
from ingestion.extract.pdf_words import Mapping, PageContent, PdfPicture, read_page
from ingestion.picture_reading import Region

SCALE, MAX_PIXELS = 0.5, 1_000  # pixels a point; of the longer side
CONTRAST = 32  # shades of grey between neighbours that make an edge
CELL = (12, 6)  # pixels: about four letters of a usual size
MIN_EDGES = 12  # pixels of a cell that are edges
DENSE = [255 * (shade * CELL[0] * CELL[1] >= MIN_EDGES * 255) for shade in range(256)]
AROUND_WORD, AROUND_PICTURE, AROUND_LINE = 2.0, 2.0, 3  # points, and pixels around what is explained
MIN_PICTURE = 16.0  # points: of smaller ones, tiles of a larger one, the edges may be letters
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
    """The edges of an open page, without those of its rules and fills. undrawn: places of pictures that are left out,
    for unpacking them takes longer than all else: `unexplained` is true of a page only where all those are explained.
    """

    def __init__(self, page: pdfium.PdfPage, content: PageContent, undrawn: Sequence[int] = ()) -> None:
        self.undrawn: list[PdfPicture] = [content.pictures[place] for place in undrawn]
        for place in undrawn:
            c.FPDFPageObj_SetIsActive(content.handles[place], False)
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


class DocumentInk:
    """Of the pages of one document. A picture that is explained where its page is added, for it is read there or goes
    on record, need not be drawn. That is not known before, so a page whose pictures turn out otherwise is drawn again.
    """

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document
        self._met: set[tuple[int, int, int, str]] = set()  # keys of pictures on the pages before

    def find(self, page: pdfium.PdfPage, content: PageContent) -> Ink:
        """Of an open page. Left out are pictures that were not met before, but for ornaments."""
        here = Counter(picture.key for picture in content.pictures)
        first = {key for key, count in here.items() if count == 1} - self._met
        self._met.update(here)
        return Ink(page, content, [n for n, p in enumerate(content.pictures) if p.key in first and not is_ornament(p)])

    def is_unexplained(self, number: int, content: PageContent, ink: Ink, words: Boxes, pictures: list[Region]) -> bool:
        """Whether there is ink on a page that neither its words explain nor the pictures that were read or are on
        record."""
        if not {clip_to_page(picture, content) for picture in ink.undrawn} <= {*pictures}:
            ink = self._draw_all(number)
        large = (p for p in content.pictures if min(p.x1 - p.x0, p.y1 - p.y0) >= MIN_PICTURE)
        return ink.unexplained(words, pictures, [(p.x0, p.y0, p.x1, p.y1) for p in large]) is not None

    def _draw_all(self, number: int) -> Ink:
        page = self._document[number - 1]
        try:
            return Ink(page, read_page(page, tables=False))
        finally:
            page.close()


Line = tuple[list[tuple[float, float]], float]


def _drop_letter_strokes(lines: Iterable[Line]) -> Iterator[Line]:
    """Without short lines that stand close together: those make letters."""
    short: dict[tuple[int, int], list[Line]] = {}
    for line in lines:
        xs, ys = zip(*line[0], strict=True)
        if max(xs) - min(xs) < SHORT and max(ys) - min(ys) < SHORT:
            short.setdefault((int(xs[0] // (2 * SHORT)), int(ys[0] // SHORT)), []).append(line)
        else:
            yield line
    for group in short.values():
        yield from group if len(group) <= MAX_SHORT_LINES else ()


def _list_lines(page: pdfium.PdfPage, content: PageContent) -> list[Line]:
    """Lines and rectangles of a page, as points on it and the width of their stroke."""
    handle, affine = ctypes.byref(page.raw.contents), _build_affine(content.mapping)
    found: list[Line] = []
    for index in content.others:
        _collect_lines(_object(handle, index), affine, 0, found)
    return found


Affine = tuple[float, float, float, float, float, float]
UNMOVED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _build_affine(mapping: Mapping) -> Affine:
    return mapping.xx, mapping.xy, mapping.yx, mapping.yy, mapping.ox, mapping.oy


def _collect_lines(piece: int, outer: Affine, depth: int, found: list[Line]) -> None:
    kind = _type(piece)
    if kind == c.FPDF_PAGEOBJ_FORM:
        count = _count_objects(piece) if depth < MAX_DEPTH else 0
    elif kind != c.FPDF_PAGEOBJ_PATH or not 2 <= (count := _count_segments(piece)) <= MAX_SEGMENTS:
        return
    inner = outer
    if _matrix(piece, _refs[0]) and (matrix := tuple(_room)) != UNMOVED:
        inner = _combine_affine(matrix, outer)
    if kind == c.FPDF_PAGEOBJ_FORM:
        for index in range(count):
            _collect_lines(_inner_object(piece, index), inner, depth + 1, found)
        return
    a, b, x, y, e, f = inner
    points = []
    for index in range(count):
        segment = _segment(piece, index)
        if _segment_type(segment) == c.FPDF_SEGMENT_BEZIERTO:
            return
        _point(segment, _refs[0], _refs[1])
        across, up = _room[0], _room[1]
        points.append((a * across + x * up + e, b * across + y * up + f))
    _room[0] = 0
    _stroke_width(piece, _refs[0])
    points.append(points[0])
    found.append((points, _room[0]))


def _combine_affine(inner: Affine, outer: Affine) -> Affine:
    a, b, x, y, e, f = inner
    place = _apply_affine(e, f, outer)
    right, up = _apply_affine(a, b, (*outer[:4], 0, 0)), _apply_affine(x, y, (*outer[:4], 0, 0))
    return *right, *up, *place


def _apply_affine(x: float, y: float, by: Affine) -> tuple[float, float]:
    return by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5]
