"""A picture of a PDF by itself: whole, whatever a page shows of it, and without the mask that it may have."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from PIL import Image, ImageOps

from ingestion.extract.pdf_checks import Key, key_of

NAME, MIRRORED = "picture", "mirrored"
DAMAGED = (pikepdf.PdfError, pdfium.PdfiumError, ValueError, TypeError, AttributeError, KeyError, OSError)


def name_of(key: Key, mirrored: bool = False) -> str:
    """What a reader of the file calls a picture that somebody should look at."""
    return " ".join([NAME, *map(str, key)] + [MIRRORED] * mirrored)


def is_name(name: str) -> bool:
    return name.startswith(NAME + " ")


def drawn(path: Path, name: str, most: int, largest: int) -> Image.Image | None:
    """Grey pixels of the picture with this name, no more than `most`; None where there is none, where it is damaged, or
    has more than `largest` pixels."""
    width, height, size, digest, *more = name.split()[1:]
    key = int(width), int(height), int(size), digest
    if not 0 < key[0] * key[1] <= largest:
        return None
    try:
        with pikepdf.open(path, suppress_warnings=True) as pdf:
            found = next((entry for entry in pdf.objects if _is(entry, key)), None)
            sheet = _sheet(found, key[0], key[1], most) if found is not None else b""
        if not sheet:
            return None
        with pdfium.PdfDocument(sheet) as document:
            image = document[0].render(scale=1, grayscale=True).to_pil().convert("L")
    except DAMAGED:
        return None
    return ImageOps.mirror(image) if MIRRORED in more else image


def _is(entry: pikepdf.Object, key: Key) -> bool:
    if not isinstance(entry, pikepdf.Stream) or str(entry.get("/Subtype")) != "/Image":
        return False
    return entry.get("/Width") == key[0] and entry.get("/Height") == key[1] and key_of(entry) == key


def _sheet(image: pikepdf.Object, width: int, height: int, most: int) -> bytes:
    """A document of one page that shows nothing else, a point a pixel where that is not too many."""
    scale = min(1.0, math.sqrt(most / (width * height)))
    size = max(1.0, round(width * scale)), max(1.0, round(height * scale))
    sheet = pikepdf.new()
    copy = sheet.copy_foreign(image)
    for name in ("/SMask", "/Mask", "/SMaskInData", "/OC", "/Metadata", "/Alternates"):
        if name in copy:
            del copy[name]
    page = sheet.add_blank_page(page_size=size)
    page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(I=copy))
    page.obj.Contents = sheet.make_stream(b"%d 0 0 %d 0 0 cm /I Do" % (size[0], size[1]))
    out = io.BytesIO()
    sheet.save(out)
    return out.getvalue()
