"""Pages of a PDF as pictures, each whole or only what lies in given rectangles on white. Drawn in the limited process;
only `ingestion.pdf_drawing` asks for it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from PIL import Image, JpegImagePlugin

from ingestion.extract import sniff
from ingestion.sandbox.limits import Limits, Quarantined, Report

SCALE = 110 / 72  # pixels per point, at most
LONGEST = 2_000  # pixels of the longer side
SMALL_SCALE = 0.27  # pixels per point of a small picture, at most: letters of 10 points are 3 pixels high
QUALITY = 80

Image.register_save("JPEG", JpegImagePlugin._save)  # nothing is looked up once the rights are given up


def draw_cut_pages(
    path: Path, *, limits: Limits, report: Report, pages: Sequence[tuple[int, list[float] | None]], longest: int = 0
) -> Any:
    """For `run_limited("ingestion.extract.cutting:draw_cut_pages", …)`: {"blob": JPEG after JPEG, "sizes": for each its
    bytes, pixels across and down, and the page's points across and down; an empty
    page has no picture}. pages: numbers, each with the rectangles that are
    copied from it, four numbers each, in points as `Box` has them; None for all of it. longest: pixels to which the
    longer side is shrunk once it is cut, or further to `SMALL_SCALE`; 0 as drawn. Without annotations and form fields,
    which extraction does not account for.
    """
    report("opening")
    if sniff.sniff_file(path, "page.pdf").media_type != sniff.PDF:
        raise Quarantined("unsupported", "Only pages of a PDF can be drawn.")
    document = pdfium.PdfDocument(path)
    pictures, sizes, total = [], [], 0
    for number, kept in pages:
        if not 1 <= number <= len(document):
            raise Quarantined("no_pages", "There is no such page.")
        report("drawing", number, len(document))
        sheet = document[number - 1]
        width, height = sheet.get_size()
        if width < 1 or height < 1:
            raise Quarantined("corrupt", "This page has no size.", number)
        if kept == []:
            sizes.append([0, 0, 0, width, height])
            continue
        scale = min(SCALE, LONGEST / max(width, height))
        drawn = sheet.render(scale=scale, may_draw_forms=False, draw_annots=False).to_pil().convert("RGB")
        picture = drawn if kept is None else cut_rectangles(drawn, kept, scale)
        if longest:
            side = max(1, min(longest, round(SMALL_SCALE * max(width, height))))
            picture.thumbnail((side, side))
        output = io.BytesIO()
        picture.save(output, "JPEG", quality=QUALITY)
        pictures.append(output.getvalue())
        sizes.append([len(pictures[-1]), *picture.size, width, height])
        total += len(pictures[-1])
        if total > limits.output_bytes // 2:
            raise Quarantined("bomb", "The pictures of these pages are too large.", number)
        sheet.close()
    return {"blob": b"".join(pictures), "sizes": sizes}


def cut_rectangles(drawn: Image.Image, kept: Sequence[float], scale: float) -> Image.Image:
    """A white sheet with what lies in the rectangles: pixels that lie wholly in one."""
    sheet = Image.new("RGB", drawn.size, "white")
    for x0, y0, x1, y1 in _group_by_four(kept):
        left, top = max(0, math.ceil(x0 * scale)), max(0, math.ceil(y0 * scale))
        right, bottom = min(drawn.width, math.floor(x1 * scale)), min(drawn.height, math.floor(y1 * scale))
        if left < right and top < bottom:
            sheet.paste(drawn.crop((left, top, right, bottom)), (left, top))
    return sheet


def _group_by_four(flat: Sequence[float]) -> Iterator[tuple[float, float, float, float]]:
    for place in range(0, len(flat) - 3, 4):
        yield flat[place], flat[place + 1], flat[place + 2], flat[place + 3]
