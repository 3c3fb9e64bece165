"""The words of a PDF page with their places, and what else stands on the page, through pdfium.

All places are in points on the page as it is shown (after rotation, relative to the crop box), origin top left.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as c

from ingestion.extract.right_to_left import RIGHT_TO_LEFT, letters_in_order

PRECISION = 64  # device units a point, for mapping page space to the shown page
SPACE = 0x20
BLANKS = frozenset(code for code in range(SPACE + 1) if code == 0 or chr(code).isspace())
HYPHEN = 0x02  # pdfium's mark for a hyphen at the end of a line
INVISIBLE = c.FPDF_TEXTRENDERMODE_INVISIBLE
BOLD = ("bold", "black", "heavy", "semibold", "demi")
MIN_RULE = 12.0  # points: shorter strokes are underlines and ornaments
MAX_RULE_THICKNESS = 3.0


@dataclass(slots=True)
class Word:
    """One word. base: y of the base line. size: font size in points. split: the word goes on in the next one, which
    stands on another line, and `text` ends with the hyphen that was printed. seen: read off a picture."""

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
class Picture:
    """An image on the page; key: what is the same for the same image on another page."""

    x0: float
    y0: float
    x1: float
    y1: float
    key: tuple[int, int, int, str]


@dataclass(slots=True)
class PageContent:
    """width, height: points. rules: thin straight strokes (x0, y0, x1, y1). marks: number of drawn objects that are
    not text. unmapped: characters whose font does not say what letter they are."""

    width: float
    height: float
    words: list[Word]
    pictures: list[Picture]
    rules: list[tuple[float, float, float, float]]
    marks: int
    characters: int
    unmapped: int


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

    def runs_along(self, a: float, b: float) -> bool:
        """Whether the direction (a, b) of page space points to the right on the shown page, within ten degrees."""
        dx, dy = self.xx * a + self.yx * b, self.xy * a + self.yy * b
        return dx > 0 and abs(dy) < 0.18 * dx


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    slanted: bool
    invisible: bool


@dataclass(slots=True)
class _Reader:
    page: pdfium.PdfPage
    text: pdfium.PdfTextPage
    mapping: Mapping
    styles: dict[int, _Style] = field(default_factory=dict)

    def words(self) -> Iterator[Word]:
        """In the order of pdfium's text page, which is mostly that of the content stream."""
        run: list[int] = []
        letters: list[str] = []
        # Looked up once: this is done for every character of a file.
        handle, unicode = self.text.raw, c.FPDFText_GetUnicode
        for index in range(c.FPDFText_CountChars(handle)):
            code = unicode(handle, index)
            if code == HYPHEN:
                run.append(index)
                yield self._word(run, "".join(letters) + "-", split=True)
                run, letters = [], []
            elif code <= SPACE and code in BLANKS or code > SPACE and chr(code).isspace():
                if run:
                    yield self._word(run, "".join(letters))
                    run, letters = [], []
            else:
                run.append(index)
                letters.append(chr(code))
        if run:
            yield self._word(run, "".join(letters))

    def _word(self, run: list[int], text: str, *, split: bool = False) -> Word:
        left = bottom = math.inf
        right = top = -math.inf
        handle, measure = self.text.raw, c.FPDFText_GetCharBox
        x0, x1, y0, y1 = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_double()
        for index in run:
            if measure(handle, index, x0, x1, y0, y1):
                if x0.value < left:
                    left = x0.value
                if x1.value > right:
                    right = x1.value
                if y0.value < bottom:
                    bottom = y0.value
                if y1.value > top:
                    top = y1.value
        c.FPDFText_GetCharOrigin(handle, run[0], x0, y0)
        if left > right:
            left = right = x0.value
            bottom = top = y0.value
        box = self.mapping.box(left, bottom, right, top)
        _, base = self.mapping.point(x0.value, y0.value)
        style = self._style(run[0])
        text = _whole(text)
        if RIGHT_TO_LEFT.search(text):
            text = letters_in_order(text, self._places(run))
        return Word(text, *box, base, style.size, style.bold, style.slanted, style.invisible, split)

    def _places(self, run: list[int]) -> list[float]:
        """Where each letter stands, along the line."""
        x, y = ctypes.c_double(), ctypes.c_double()
        places = []
        for index in run:
            c.FPDFText_GetCharOrigin(self.text.raw, index, x, y)
            places.append(self.mapping.point(x.value, y.value)[0])
        return places

    def _style(self, index: int) -> _Style:
        piece = c.FPDFText_GetTextObject(self.text.raw, index)
        address = ctypes.cast(piece, ctypes.c_void_p).value
        if not address:
            return _Style(0.0, False, False, False)
        known = self.styles.get(address)
        if known is None:
            known = self.styles[address] = self._read_style(piece, index)
        return known

    def _read_style(self, piece: Any, index: int) -> _Style:
        matrix, size, loose = c.FS_MATRIX(), ctypes.c_float(), c.FS_RECTF()
        c.FPDFPageObj_GetMatrix(piece, matrix)
        c.FPDFTextObj_GetFontSize(piece, size)
        points = abs(size.value) * math.hypot(matrix.c, matrix.d)
        if c.FPDFText_GetLooseCharBox(self.text, index, loose):
            # A text inside a scaled form does not know its scale; its line height on the page does.
            _, y0, _, y1 = self.mapping.box(loose.left, loose.bottom, loose.right, loose.top)
            if y1 > y0 and not 0.6 * points < y1 - y0 < 2.5 * points:
                points = (y1 - y0) / 1.17
        font = c.FPDFTextObj_GetFont(piece)
        name = ctypes.create_string_buffer(128)
        c.FPDFFont_GetBaseFontName(font, name, len(name))
        face = name.value.decode("latin-1").lower()
        bold = c.FPDFFont_GetWeight(font) >= 600 or any(word in face for word in BOLD)
        slanted = not self.mapping.runs_along(matrix.a, matrix.b)
        return _Style(round(points, 1), bold, slanted, c.FPDFTextObj_GetTextRenderMode(piece) == INVISIBLE)


def _whole(text: str) -> str:
    """Characters beyond the basic plane can arrive as two halves."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def read_page(page: pdfium.PdfPage) -> PageContent:
    """Everything of one page. Raises pypdfium2.PdfiumError where pdfium cannot make a text page."""
    mapping = Mapping(page)
    text = page.get_textpage()
    try:
        words = list(_Reader(page, text, mapping).words())
    finally:
        text.close()
    content = PageContent(mapping.width, mapping.height, words, [], [], 0, 0, 0)
    for word in words:
        content.characters += len(word.text)
        content.unmapped += sum(_unmapped(letter) for letter in word.text)
    count = c.FPDFPage_CountObjects(page)
    _look_at_objects((c.FPDFPage_GetObject(page, i) for i in range(count)), mapping, content, depth=0)
    return content


def _unmapped(letter: str) -> bool:
    return letter in "\ufffd\ufffe\uffff" or "\ue000" <= letter <= "\uf8ff" or letter < " "


def _look_at_objects(objects: Iterator[Any], mapping: Mapping, content: PageContent, depth: int) -> None:
    left, bottom, right, top = ctypes.c_float(), ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    for piece in objects:
        kind = c.FPDFPageObj_GetType(piece)
        if kind == c.FPDF_PAGEOBJ_TEXT:
            continue
        if kind == c.FPDF_PAGEOBJ_FORM and depth < 8:
            count = c.FPDFFormObj_CountObjects(piece)
            inner = (c.FPDFFormObj_GetObject(piece, i) for i in range(count))
            _look_at_objects(inner, _within(piece, mapping), content, depth + 1)
            continue
        content.marks += 1
        if kind not in (c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_PATH):
            continue
        if not c.FPDFPageObj_GetBounds(piece, left, bottom, right, top):
            continue
        box = mapping.box(left.value, bottom.value, right.value, top.value)
        if kind == c.FPDF_PAGEOBJ_IMAGE:
            content.pictures.append(Picture(*box, _image_key(piece)))
        elif len(content.rules) < 4_000:
            content.rules.extend(_rules_of(piece, box))


def _within(form: Any, outer: Mapping) -> Mapping:
    """The mapping for objects inside a form, whose own matrix comes first."""
    matrix = c.FS_MATRIX()
    if not c.FPDFPageObj_GetMatrix(form, matrix):
        return outer
    inner = object.__new__(Mapping)
    inner.width, inner.height = outer.width, outer.height
    inner.ox, inner.oy = outer.point(matrix.e, matrix.f)
    inner.xx = outer.xx * matrix.a + outer.yx * matrix.b
    inner.xy = outer.xy * matrix.a + outer.yy * matrix.b
    inner.yx = outer.xx * matrix.c + outer.yx * matrix.d
    inner.yy = outer.xy * matrix.c + outer.yy * matrix.d
    return inner


def _image_key(piece: Any) -> tuple[int, int, int, str]:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    c.FPDFImageObj_GetImagePixelSize(piece, width, height)
    size = c.FPDFImageObj_GetImageDataRaw(piece, None, 0)
    content = ctypes.create_string_buffer(size)
    c.FPDFImageObj_GetImageDataRaw(piece, content, size)
    return width.value, height.value, size, hashlib.blake2b(content, digest_size=16).hexdigest()


def _rules_of(piece: Any, box: tuple[float, float, float, float]) -> Iterator[tuple[float, float, float, float]]:
    """Straight strokes of a path: itself when it is thin, or the four sides of a rectangle that is stroked."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if min(width, height) <= MAX_RULE_THICKNESS:
        if max(width, height) >= MIN_RULE:
            yield box
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    c.FPDFPath_GetDrawMode(piece, fill, stroke)
    segments = c.FPDFPath_CountSegments(piece)
    if not stroke.value or segments > 400:
        return
    if segments <= 6:
        yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))
    else:  # many strokes in one path: a whole grid, most likely
        yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)) * 2
