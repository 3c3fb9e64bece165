"""The words of a PDF page with their places, and what else stands on the page, through pdfium.

All places are in points on the page as it is shown (after rotation, relative to the crop box), origin top left.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as c

from ingestion.extract.pdf_covers import LEAST, Cover, get_clip, intersect, is_cut, paints
from ingestion.extract.pdf_grids import Edge, extract_edges
from ingestion.extract.pdf_letters import HALVES, HYPHEN, Columns, Letters, bind, find_other_objects, list_styles
from ingestion.extract.pdf_shapes import Shape, build_shape, extract_rules, find_drawings, find_unknown_letters
from ingestion.extract.pdf_spacing import drop_second_prints, order_columns, unite_letters
from ingestion.extract.right_to_left import RIGHT_TO_LEFT, order_letters
from ingestion.picture_reading import Region

PRECISION = 64  # device units a point, for mapping page space to the shown page
MIN_HORIZONTAL, MIN_VERTICAL = 3, 3
_type = bind(c.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
_bounds = bind(c.FPDFPageObj_GetBounds, ctypes.c_int, *[ctypes.c_void_p] * 5)
_corners = (ctypes.c_float * 4)()
_corner_refs = [ctypes.addressof(_corners) + 4 * place for place in range(4)]


class Word(NamedTuple):
    """One word. base: y of the base line. size: font size in points. split: the word goes on in the next one, which
    stands on another line, and `text` ends with the hyphen that was printed. seen: read off a picture.

    A tuple, because a page has hundreds: they are made, filtered and measured column by column."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    bold: bool
    slanted: bool
    invisible: bool
    split: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True)
class PdfPicture:
    """An image on the page; key: what is the same for the same image on another page. cut: part of it lies outside of
    its clip or of the page. mirrored: it is stored the other way round."""

    x0: float
    y0: float
    x1: float
    y1: float
    key: tuple[int, int, int, str]
    cut: bool = False
    mirrored: bool = False


@dataclass(slots=True)
class PageContent:
    """width, height: points. words: what there is to read. written: all words, in the order of the page's content.
    rules: thin straight strokes (x0, y0, x1, y1). marks: number of drawn objects that are not text. unmapped:
    characters whose font does not say what letter they are. covers: what was painted where pictures might lie.
    drawings: where letters may stand that are no text. edges: horizontal and vertical ones, where a table was looked
    for. others: numbers of the page's own objects that are no text. handles: of the pictures in pdfium, which are good
    until the page is closed."""

    mapping: Mapping
    width: float
    height: float
    words: list[Word]
    written: list[Word]
    characters: int
    unmapped: int
    marks: int = 0
    pictures: list[PdfPicture] = field(default_factory=list)
    rules: list[Region] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    drawings: list[PdfPicture] = field(default_factory=list)
    edges: tuple[Sequence[Edge], Sequence[Edge]] = ((), ())
    others: Sequence[int] = ()
    handles: list[Any] = field(default_factory=list)


class Mapping:
    """Page space to the shown page: an affine map, found by asking pdfium for three points."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self.width, self.height = page.get_size()
        size = (round(self.width * PRECISION), round(self.height * PRECISION))
        origin, right, up = (self._ask(page, size, x, y) for x, y in ((0, 0), (1000, 0), (0, 1000)))
        self.ox, self.oy = origin
        self.xx, self.xy = (right[0] - origin[0]) / 1000, (right[1] - origin[1]) / 1000
        self.yx, self.yy = (up[0] - origin[0]) / 1000, (up[1] - origin[1]) / 1000

    @staticmethod
    def _ask(page: pdfium.PdfPage, size: tuple[int, int], x: float, y: float) -> tuple[float, float]:
        dx, dy = ctypes.c_int(), ctypes.c_int()
        c.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, dx, dy)
        return dx.value / PRECISION, dy.value / PRECISION

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.ox + self.xx * x + self.yx * y, self.oy + self.xy * x + self.yy * y

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        ax, ay = self.point(left, bottom)
        bx, by = self.point(right, top)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def boxes(self, left: list[float], bottom: list[float], right: list[float], top: list[float]) -> Columns:
        """Many boxes, column by column: x0, y0, x1, y1. A page is shown turned by quarters: corners stay corners."""
        ox, oy, xx, xy, yx, yy = self.ox, self.oy, self.xx, self.xy, self.yx, self.yy
        if not xy and not yx:
            unmoved = not ox and xx == 1
            xs = (left, right) if unmoved else ([ox + xx * x for x in left], [ox + xx * x for x in right])
            ys = [oy + yy * y for y in bottom], [oy + yy * y for y in top]
        else:
            ends = list(zip(left, bottom, strict=True)), list(zip(right, top, strict=True))
            xs = [ox + xx * x + yx * y for x, y in ends[0]], [ox + xx * x + yx * y for x, y in ends[1]]
            ys = [oy + xy * x + yy * y for x, y in ends[0]], [oy + xy * x + yy * y for x, y in ends[1]]
        x0, x1 = xs if xx + yx >= 0 else reversed(xs)
        y0, y1 = ys if xy + yy >= 0 else reversed(ys)
        return x0, y0, x1, y1

    def within(self, piece: Any) -> Mapping:
        """The mapping for what lies inside a form or a path, whose own matrix comes first."""
        matrix = c.FS_MATRIX()
        if not c.FPDFPageObj_GetMatrix(piece, matrix):
            return self
        if (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f) == (1, 0, 0, 1, 0, 0):
            return self
        inner = object.__new__(Mapping)
        inner.width, inner.height = self.width, self.height
        inner.ox, inner.oy = self.point(matrix.e, matrix.f)
        inner.xx = self.xx * matrix.a + self.yx * matrix.b
        inner.xy = self.xy * matrix.a + self.yy * matrix.b
        inner.yx = self.xx * matrix.c + self.yx * matrix.d
        inner.yy = self.xy * matrix.c + self.yy * matrix.d
        return inner

    def runs_along(self, a: float, b: float) -> bool:
        """Whether the direction (a, b) of page space points to the right on the shown page, within ten degrees."""
        dx, dy = self.xx * a + self.yx * b, self.xy * a + self.yy * b
        return dx > 0 and abs(dy) < 0.18 * dx


def extract_words(letters: Letters, mapping: Mapping) -> list[Word]:
    """In the order of pdfium's text page, which is mostly that of the content stream."""
    if not letters.words:
        return []
    base, size, bold, slanted, invisible = zip(*list_styles(letters, mapping), strict=True)
    texts = letters.texts
    parted: Iterable[bool] = repeat(False)
    if HYPHEN in letters.text:
        parted = [text[-1] == HYPHEN for text in texts]
        texts = [text[:-1] + "-" if text[-1] == HYPHEN else text for text in texts]
    if not letters.text.isascii():
        if HALVES.search(letters.text):
            texts = list(map(_join_halves, texts))
        if RIGHT_TO_LEFT.search(letters.text):
            texts = [
                order_letters(text, letters.places(*word, mapping)) if RIGHT_TO_LEFT.search(text) else text
                for text, word in zip(texts, letters.words, strict=True)
            ]
    box = mapping.boxes(*letters.boxes())
    rows = zip(texts, *box, base, size, bold, slanted, invisible, parted, repeat(False), strict=False)
    return list(map(partial(tuple.__new__, Word), rows))


def _join_halves(text: str) -> str:
    """Characters beyond the basic plane can arrive as two halves."""
    if HALVES.search(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def read_page(page: pdfium.PdfPage, tables: bool | None = None) -> PageContent:
    """Everything of one page. tables: whether edges are wanted; None: horizontal ones, and all where strokes suggest a
    grid. Raises pypdfium2.PdfiumError where pdfium cannot make a text page."""
    mapping = Mapping(page)
    text = page.get_textpage()
    try:
        letters = Letters(text.raw)
        words, guessed = extract_words(letters, mapping), letters.list_guessed()
        drawn = order_columns(drop_second_prints(unite_letters(words)))
    finally:
        text.close()
    content = PageContent(mapping, mapping.width, mapping.height, drawn, drawn, letters.count, letters.unmapped)
    shapes: list[Shape] = []
    paths: list[tuple[Any, Region, Mapping]] = []
    content.others = find_other_objects(page)
    _look_at_objects((c.FPDFPage_GetObject(page, i) for i in content.others), mapping, content, shapes, paths)
    if tables or (tables is None and _has_grid_strokes(content.rules)):
        content.edges = extract_edges(paths)
    elif tables is None:
        content.edges = [((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in content.rules if x1 - x0 > y1 - y0], ()
    content.drawings = find_drawings(shapes)
    if letters.unmapped or any(guessed):
        content.drawings += find_unknown_letters(words, guessed)
    return content


def _has_grid_strokes(rules: list[Region]) -> bool:
    """Enough strokes in both directions for a grid of two columns and two rows."""
    horizontal = {round(y0 / 2) for x0, y0, x1, y1 in rules if x1 - x0 > y1 - y0}
    vertical = {round(x0 / 2) for x0, y0, x1, y1 in rules if y1 - y0 >= x1 - x0}
    return len(horizontal) >= MIN_HORIZONTAL and len(vertical) >= MIN_VERTICAL


def _look_at_objects(
    objects: Iterator[Any],
    mapping: Mapping,
    content: PageContent,
    shapes: list[Shape],
    paths: list[tuple[Any, Region, Mapping]],
    depth: int = 0,
    shown: Region | None = None,
) -> None:
    """shapes: gets what may be letters. paths: gets lines and areas.
    shown: what the clips of forms around these objects let through."""
    for piece in objects:
        kind = _type(piece)
        if kind == c.FPDF_PAGEOBJ_TEXT:
            continue
        if kind == c.FPDF_PAGEOBJ_FORM and depth < 8:
            count = c.FPDFFormObj_CountObjects(piece)
            inner = (c.FPDFFormObj_GetObject(piece, i) for i in range(count))
            clip, _ = get_clip(piece, mapping)
            within = intersect(shown, clip) if shown and clip else clip or shown
            _look_at_objects(inner, mapping.within(piece), content, shapes, paths, depth + 1, within)
            continue
        content.marks += 1
        if kind not in (c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_PATH, c.FPDF_PAGEOBJ_SHADING):
            continue
        if not _bounds(piece, *_corner_refs):
            continue
        box = mapping.box(*_corners)
        if content.pictures and min(box[2] - box[0], box[3] - box[1]) > LEAST and paints(piece, kind):
            content.covers.append((len(content.pictures), box, kind == c.FPDF_PAGEOBJ_IMAGE))
        if kind == c.FPDF_PAGEOBJ_IMAGE:
            content.pictures.append(_build_picture(piece, box, mapping, shown))
            content.handles.append(piece)
        elif kind == c.FPDF_PAGEOBJ_PATH:
            paths.append((piece, box, mapping))
            if len(content.rules) < 4_000:
                content.rules.extend(extract_rules(piece, box))
            if (shape := build_shape(piece, box)) is not None:
                shapes.append(shape)


def _build_picture(piece: Any, box: Region, mapping: Mapping, shown: Region | None) -> PdfPicture:
    clip, whole = get_clip(piece, mapping)
    seen = (0.0, 0.0, mapping.width, mapping.height)
    for within in (shown, clip):
        seen = intersect(seen, within) if within is not None else seen
    matrix = c.FS_MATRIX()
    known = c.FPDFPageObj_GetMatrix(piece, matrix)
    turned = (matrix.a * matrix.d - matrix.b * matrix.c) * (mapping.xx * mapping.yy - mapping.xy * mapping.yx)
    return PdfPicture(*box, _compute_image_key(piece), not whole or is_cut(box, seen), bool(known) and turned > 0)


def _compute_image_key(piece: Any) -> tuple[int, int, int, str]:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    c.FPDFImageObj_GetImagePixelSize(piece, width, height)
    size = c.FPDFImageObj_GetImageDataRaw(piece, None, 0)
    content = ctypes.create_string_buffer(size)
    c.FPDFImageObj_GetImageDataRaw(piece, content, size)
    return width.value, height.value, size, hashlib.blake2b(content, digest_size=16).hexdigest()
