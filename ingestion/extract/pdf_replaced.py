"""Words of a page that its file replaces by others for who reads aloud or copies (ActualText, ISO 32000-1, 14.9.4).

pdfium tells the others, and the page shows these: both are in the original, so both are read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as c

from ingestion.extract.pdf_letters import Letters
from ingestion.extract.pdf_words import Mapping, Word, extract_words

MARK = b"ActualText"
DEEPEST = 8  # forms in each other


def extract_visible_words(page: pdfium.PdfPage) -> list[Word]:
    """The words of an open page as its letters are drawn. Takes the replacements out of the page."""
    for piece in _iter_objects(page):
        for index in reversed(range(max(0, c.FPDFPageObj_CountMarks(piece)))):
            mark = c.FPDFPageObj_GetMark(piece, index)
            if c.FPDFPageObjMark_GetParamValueType(mark, MARK) == c.FPDF_OBJECT_STRING:
                c.FPDFPageObj_RemoveMark(piece, mark)
    text = page.get_textpage()
    try:
        return extract_words(Letters(text.raw), Mapping(page))
    finally:
        text.close()


def _iter_objects(page: pdfium.PdfPage) -> Iterator[Any]:
    left = [(c.FPDFPage_GetObject(page, index), 0) for index in range(c.FPDFPage_CountObjects(page))]
    while left:
        piece, depth = left.pop()
        yield piece
        if c.FPDFPageObj_GetType(piece) == c.FPDF_PAGEOBJ_FORM and depth < DEEPEST:
            count = ctypes.c_int(c.FPDFFormObj_CountObjects(piece)).value
            left += [(c.FPDFFormObj_GetObject(piece, index), depth + 1) for index in range(max(0, count))]
