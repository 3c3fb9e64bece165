"""The words of a page as pdfium tells them: the one place that is asked something for every word of a file.

So it is asked by word and not by letter, the functions are bound once, and what they answer is collected in one buffer
and read column by column (docs/adr/0038). They are bound without a hand-over of the interpreter's lock, for a call
takes less time than that; nothing else runs in the limited process. Where all that is handed over is small numbers and
places that `ctypes.byref` made beforehand, there is nothing to convert, and a call takes a quarter of the time.
"""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as c

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Mapping

WORD = re.compile("[^\\s\0\2]+\2?|\2")
HYPHEN = "\2"  # pdfium's mark for a hyphen at the end of a line
MARKED = "\ufffe"  # how the text of a page writes it
HALVES = re.compile("[\ud800-\udfff]")
UNMAPPED = re.compile("[\1\3-\x08\x0e-\x1b\ufffd-\uffff\ue000-\uf8ff]")
INVISIBLE = c.FPDF_TEXTRENDERMODE_INVISIBLE
BOLD = ("bold", "black", "heavy", "semibold", "demi")
STEADY = 0.01  # points by which the base line of a piece of text may differ from word to word

MANY = 1024  # words that are asked about at a time

Columns = tuple[list[float], list[float], list[float], list[float]]


def bind(function: Any, answer: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of pdfium that keeps the interpreter's lock. arguments: types of what has to be converted; none
    where everything is a small number or made by `byref`."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    if address is None:
        raise ImportError("pdfium has no such function")
    return ctypes.PYFUNCTYPE(answer, *arguments)(address)


_P, _I = ctypes.c_void_p, ctypes.c_int
_text = bind(c.FPDFText_GetText, _I)
_unicode = bind(c.FPDFText_GetUnicode, ctypes.c_uint)
_count_rects = bind(c.FPDFText_CountRects, _I)
_rect = bind(c.FPDFText_GetRect, _I)
_letter_box = bind(c.FPDFText_GetCharBox, _I)
_loose_box = bind(c.FPDFText_GetLooseCharBox, _I, _P, _I, _P)
_guessed = bind(c.FPDFText_HasUnicodeMapError, _I)
_origin = bind(c.FPDFText_GetCharOrigin, _I)
_piece = bind(c.FPDFText_GetTextObject, _P)
_matrix = bind(c.FPDFPageObj_GetMatrix, _I, _P, _P)
_size = bind(c.FPDFTextObj_GetFontSize, _I, _P, _P)
_font = bind(c.FPDFTextObj_GetFont, _P, _P)
_mode = bind(c.FPDFTextObj_GetTextRenderMode, _I, _P)
_weight = bind(c.FPDFFont_GetWeight, _I, _P)
_face = bind(c.FPDFFont_GetBaseFontName, ctypes.c_size_t, _P, _P, ctypes.c_size_t)
_object = bind(c.FPDFPage_GetObject, _P)
_type = bind(c.FPDFPageObj_GetType, _I, _P)

count_segments = bind(c.FPDFPath_CountSegments, _I, _P)
_draw_mode = bind(c.FPDFPath_GetDrawMode, _I, _P, _P, _P)
_flags = (ctypes.c_int * 2)()
_flag_refs = (ctypes.addressof(_flags), ctypes.addressof(_flags) + 4)

_room = array("d", bytes(8 * 4 * MANY))
_begin = (ctypes.c_double * len(_room)).from_buffer(_room)
_refs = [ctypes.byref(_begin, 8 * place) for place in range(len(_room))]
_sides = [_refs[side::4] for side in range(4)]
_xs, _ys = _refs[0::2], _refs[1::2]


class Letters:
    """The letters of an open text page. words: of each the first letter and the one behind its last. texts: of each its
    letters, as they are to be read. count: of letters in words; unmapped: of those whose font does not say what they
    are."""

    def __init__(self, handle: Any) -> None:
        self.handle: int = ctypes.cast(handle, ctypes.c_void_p).value or 0
        self.page = ctypes.byref(handle.contents)
        self.text = self._read(c.FPDFText_CountChars(handle))
        plain = "\0" not in self.text and HYPHEN not in self.text
        self.texts: list[str] = self.text.split() if plain else WORD.findall(self.text)
        self.words = self._list_spans()
        letters = "".join(self.texts)
        self.count = len(letters)
        self.unmapped = 0 if letters.isascii() and letters.isprintable() else len(UNMAPPED.findall(letters))

    def list_guessed(self) -> list[bool]:
        """Of every word whether its font does not say what its first letter is; pdfium takes its number for one."""
        return [bool(found) for found in map(_guessed, repeat(self.page), (first for first, _ in self.words))]

    def _list_spans(self) -> list[tuple[int, int]]:
        find, behind, spans = self.text.index, 0, []
        for text in self.texts:
            first = find(text, behind)
            behind = first + len(text)
            spans.append((first, behind))
        return spans

    def _read(self, count: int) -> str:
        """One character for every letter that pdfium counts. The text of a page leaves out some and may write one as
        two; where it does, each letter is asked for."""
        buffer = ctypes.create_string_buffer(4 * count + 4)
        told = _text(self.page, 0, count, buffer) - 1
        text = buffer.raw[: 2 * max(0, told)].decode("utf-16-le", "surrogatepass")
        if told != count or len(text) != count or (not text.isascii() and HALVES.search(text)):
            return "".join(map(chr, map(_unicode, repeat(self.page), range(count))))
        if MARKED in text:
            text = re.sub(MARKED, lambda mark: chr(_unicode(self.page, mark.start())), text)
        return text

    def boxes(self) -> Columns:
        """Left, bottom, right and top of every word in page space, points; the smallest around its letters."""
        columns: Columns = ([], [], [], [])
        left, top, right, bottom = columns
        page, count, ask = self.page, _count_rects, _rect
        for begin in range(0, len(self.words), MANY):
            words = self.words[begin : begin + MANY]
            ctypes.memset(_begin, 0, 32 * len(words))
            for (first, behind), x0, y1, x1, y0 in zip(words, *_sides, strict=False):
                if count(page, first, behind - first) == 1:
                    ask(page, 0, x0, y1, x1, y0)
            for side, column in enumerate(columns):
                column += _room[side : 4 * len(words) : 4]
        odd = [index for index, (start, end) in enumerate(zip(left, right, strict=True)) if start >= end]
        for index in odd:  # parts of several pieces of text, or letters without any extent
            left[index], bottom[index], right[index], top[index] = self._compute_box_by_letter(*self.words[index])
        return left, bottom, right, top

    def _compute_box_by_letter(self, first: int, behind: int) -> tuple[float, float, float, float]:
        sides = [tuple(_room[:4]) for index in range(first, behind) if _letter_box(self.page, index, *_refs[:4])]
        if not sides:
            x, y = self.origin(first)
            return x, y, x, y
        left, right, bottom, top = zip(*sides, strict=True)
        return min(left), min(bottom), max(right), max(top)

    def origin(self, index: int) -> tuple[float, float]:
        """Where the base line of a letter begins, in page space."""
        _origin(self.page, index, *_refs[:2])
        return _room[0], _room[1]

    def places(self, first: int, behind: int, mapping: Mapping) -> list[float]:
        """Where each letter of a word stands, along the line, on the page as it is shown."""
        return [mapping.point(*self.origin(index))[0] for index in range(first, behind)]

    def list_bases(self, indexes: Collection[int], mapping: Mapping) -> list[float]:
        """y of the base lines of some letters, on the page as it is shown."""
        oy, xy, yy = mapping.oy, mapping.xy, mapping.yy
        asked, found = iter(indexes), list[float]()
        while some := list(islice(asked, MANY)):
            ctypes.memset(_begin, 0, 16 * len(some))
            _consume(map(_origin, repeat(self.page), some, _xs, _ys))
            points = _room[: 2 * len(some)]
            found += [oy + xy * x + yy * y for x, y in zip(points[0::2], points[1::2], strict=True)]
        return found


Style = tuple[float, float, bool, bool, bool]
"""Of a piece of text: y of its base line and size of its type in points, whether it is bold, slanted, invisible."""


def list_styles(letters: Letters, mapping: Mapping) -> Iterable[Style]:
    """One for every word. A piece of text (an operator of the page's content) is asked about once."""
    starts = [first for first, _ in letters.words]
    pieces: list[int] = list(map(_piece, repeat(letters.page), starts))
    last = dict(zip(pieces, starts, strict=True))
    first = dict(zip(reversed(pieces), reversed(starts), strict=True))
    bases = letters.list_bases(first.values(), mapping)
    ends_of = dict(zip(first, bases, strict=True))
    if len(last) < len(starts):
        ends_of.update(zip(last, letters.list_bases(last.values(), mapping), strict=True))
    known: dict[int, Style] = {}
    uneven: set[int] = set()
    for piece, base, kind in zip(first, bases, _list_kinds(list(first), letters, first.values(), mapping), strict=True):
        known[piece] = (base, *kind)
        if not piece or abs(ends_of[piece] - base) > STEADY:
            uneven.add(piece)
    if not uneven:
        return map(known.__getitem__, pieces)
    return (
        (base, *known[piece][1:]) if piece in uneven else known[piece]
        for piece, base in zip(pieces, letters.list_bases(starts, mapping), strict=True)
    )


def _list_kinds(
    pieces: Sequence[int], letters: Letters, starts: Iterable[int], mapping: Mapping
) -> Iterator[tuple[float, bool, bool, bool]]:
    """Size, bold, slanted and invisible of each piece of text. Most are alike: told once for each kind and height."""
    count, turned = len(pieces), bool(mapping.xy or mapping.yx)
    matrices, sizes = (ctypes.c_float * (6 * count))(), (ctypes.c_float * count)()
    loose = (ctypes.c_float * (4 * count))()  # left, top, right, bottom
    _consume(map(_matrix, pieces, _list_addresses(matrices, 24)))
    _consume(map(_size, pieces, _list_addresses(sizes, 4)))
    _consume(map(_loose_box, repeat(letters.handle), starts, _list_addresses(loose, 16)))
    low, high = (loose[0::4], loose[2::4]) if turned else (loose[3::4], loose[1::4])
    scale = abs(mapping.xy if turned else mapping.yy)
    heights = [round(scale * (y1 - y0), 2) for y0, y1 in zip(low, high, strict=True)]
    columns = (matrices[0::6], matrices[1::6], matrices[2::6], matrices[3::6])
    rows = zip(pieces, *columns, sizes, heights, map(_font, pieces), map(_mode, pieces), strict=True)
    faces: dict[int, bool] = {}
    known: dict[tuple[Any, ...], tuple[float, bool, bool, bool]] = {}
    for piece, *row in rows:
        if not piece:
            yield 0.0, False, False, False
            continue
        key = tuple(row)
        kind = known.get(key)
        if kind is None:
            a, b, across, down, size, height, font, mode = key
            points = abs(size) * math.hypot(across, down)
            # A text inside a scaled form does not know its scale; its line height on the page does.
            if height > 0 and not 0.6 * points < height < 2.5 * points:
                points = height / 1.17
            if font not in faces:
                faces[font] = _is_bold(font)
            slanted = not mapping.runs_along(a, b)
            kind = known[key] = round(points, 1), faces[font], slanted, mode == INVISIBLE
        yield kind


def is_filled_stroked(path: Any) -> tuple[bool, bool]:
    """How a path is drawn."""
    _draw_mode(path, _flag_refs[0], _flag_refs[1])
    return bool(_flags[0]), bool(_flags[1])


def find_other_objects(page: Any) -> list[int]:
    """Which objects of an open page are no pieces of text."""
    count = c.FPDFPage_CountObjects(page)
    kinds = map(_type, map(_object, repeat(ctypes.byref(page.raw.contents)), range(count)))
    return [index for index, kind in enumerate(kinds) if kind != c.FPDF_PAGEOBJ_TEXT]


def _list_addresses(buffer: Any, step: int) -> range:
    """The addresses of what lies in a buffer, `step` bytes each."""
    begin = ctypes.addressof(buffer)
    return range(begin, begin + ctypes.sizeof(buffer), step)


def _consume(calls: Iterable[int]) -> None:
    """Makes the calls, for what they write."""
    deque(calls, maxlen=0)


def _is_bold(font: int | None) -> bool:
    name = ctypes.create_string_buffer(128)
    _face(font, name, len(name))
    face = name.value.decode("latin-1").lower()
    return _weight(font) >= 600 or any(word in face for word in BOLD)
