"""One page of a PDF as a picture, drawn in the limited process. Only `ingestion.page_pictures` asks for it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from PIL import Image, JpegImagePlugin

from ingestion.extract import sniff
from ingestion.sandbox.limits import Limits, Quarantined, Report

LONGEST = 1_400  # pixels of the longer side
SCALE = 2.0  # pixels per point, at most
QUALITY = 80

Image.register_save("JPEG", JpegImagePlugin._save)  # nothing is looked up once the rights are given up


def draw_page(path: Path, *, limits: Limits, report: Report, page: int) -> dict[str, Any]:
    """For `run_limited("ingestion.extract.drawing:draw_page", …)`: {"width", "height": of the page as it is shown, in
    points, "blob": JPEG}. page: from 1. Without annotations and form fields, which extraction does not account for.
    """
    report("opening")
    if sniff.sniff_file(path, "page.pdf").media_type != sniff.PDF:
        raise Quarantined("unsupported", "Only pages of a PDF can be drawn.")
    document = pdfium.PdfDocument(path)
    if not 1 <= page <= len(document):
        raise Quarantined("no_pages", "There is no such page.")
    report("drawing", page, len(document))
    sheet = document[page - 1]
    width, height = sheet.get_size()
    if width < 1 or height < 1:
        raise Quarantined("corrupt", "This page has no size.", page)
    scale = min(SCALE, LONGEST / max(width, height))
    bitmap = sheet.render(scale=scale, may_draw_forms=False, draw_annots=False)
    picture = io.BytesIO()
    bitmap.to_pil().convert("RGB").save(picture, "JPEG", quality=QUALITY)
    return {"width": width, "height": height, "blob": picture.getvalue()}
