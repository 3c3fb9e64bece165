"""Reading pictures inside the limited process: pages of a PDF are drawn, pictures in office files and picture files are
opened, and Tesseract reads them (docs/ocr.md).
"""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
from PIL import Image, ImageOps

from ingestion.extract.scan_words import words_of
from ingestion.extract.tesseract import Missing, Tesseract, TookTooLong
from ingestion.sandbox.limits import Limits, Report
from ingestion.seen import Region, Seen, SeenWord, Wanted

DPI = 300
LEAST_DPI, MOST_DPI = 70, 600
PIXELS = 12_000_000  # of one picture that is read: a page of A4 has 8.7 million at 300 dpi
OPENED = 80_000_000  # pixels of a picture that is opened at all: one byte each, three while it is unpacked
INK = 160  # shades of grey below it are ink
SURE = 65.0  # confidence: below it the other ways up are tried
FEW = 12  # letters: so few say nothing about which way is up
FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")
MARGIN = 4.0  # points around a region, so that no letter is cut
Image.MAX_IMAGE_PIXELS = OPENED


class Unreadable(Exception):
    """There is no picture that could be read: damaged, of another form, or too large."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Grey pixels; scale: points a pixel; region: where it lies on the page, in points."""

    image: Image.Image
    scale: float
    region: Region | None = None


def read(
    path: Path,
    *,
    limits: Limits,
    report: Report,
    wants: Sequence[Any],
    library: str = "",
    languages: str = "eng",
    data: str = "",
) -> dict[str, Any]:
    """Task: rows [key, what was seen, or None where it could not be read], one by one, in the order of `wants`. With no
    Tesseract the answer has `missing` instead."""
    place = {"number": 1}
    pages = len(wants)

    def alive() -> None:
        report("recognising", place["number"], pages)

    try:
        engine = Tesseract(library, languages, data, alive)
    except Missing:
        return {"missing": True}

    def rows() -> Iterator[list[Any]]:
        with opened(path) as pictures:
            for number, want in enumerate(map(Wanted.from_json, wants), start=1):
                place["number"] = number
                alive()
                try:
                    yield [want.key, look(engine, pictures(want), alive).to_json()]
                except (Unreadable, TookTooLong):
                    yield [want.key, None]

    return {"rows": rows()}


def draw(path: Path, *, limits: Limits, report: Report, wants: Sequence[Any], edge: int, size: int) -> dict[str, Any]:
    """Task: one JPEG a picture, for a model: no side longer than `edge` pixels, none larger than `size` bytes. `blob`
    has them one after the other, `sizes` the length of each; 0 where it could not be drawn."""
    blob, sizes = b"", []
    with opened(path) as pictures:
        for number, want in enumerate(map(Wanted.from_json, wants), start=1):
            report("drawing", number, len(wants))
            try:
                packed = _jpeg(pictures(want)[0].image, edge, size)
            except Unreadable:
                packed = b""
            blob += packed
            sizes.append(len(packed))
    return {"blob": blob, "sizes": sizes}


def _jpeg(image: Image.Image, edge: int, size: int) -> bytes:
    image.thumbnail((edge, edge))
    for quality in (80, 60, 40, 25):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=quality)
        if out.tell() <= size:
            return out.getvalue()
    raise Unreadable


def look(engine: Tesseract, pictures: Sequence[Picture], alive: Callable[[], None]) -> Seen:
    """Everything that was wanted of one page or picture."""
    parts: list[tuple[Picture, Seen]] = []
    for picture in pictures:
        parts.append((picture, _one(engine, picture, alive)))
        alive()
    if len(parts) == 1 and parts[0][0].region is None:
        return parts[0][1]
    words: list[SeenWord] = []
    for picture, seen in parts:
        left, top = (picture.region or (0.0, 0.0))[:2]
        for word in seen.words:
            x0, y0, x1, y1 = seen.shown((word.x0, word.y0, word.x1, word.y1))
            base = word.base if not seen.turned else y1
            words.append(
                SeenWord(word.text, x0 + left, y0 + top, x1 + left, y1 + top, base + top, word.size, word.confidence)
            )
    return Seen(0.0, 0.0, 0, max((seen.ink for _, seen in parts), default=0.0), tuple(words))


def _one(engine: Tesseract, picture: Picture, alive: Callable[[], None]) -> Seen:
    """Which way is up is told by which way gives words: tried where the first way gives few that are sure, or words
    that stand on end, for Tesseract reads those of a page on its side too."""
    image = picture.image
    dark = sum(image.histogram()[:INK])
    ink = dark / (image.width * image.height)
    best = _turned(engine, picture, 0, ink)
    if ink < 1e-5 or (best.confidence >= SURE and _letters(best) >= FEW and not _lies(best)):
        return best
    for degrees in (90, 270) if _lies(best) else (180, 90, 270):
        alive()
        other = _turned(engine, picture, degrees, ink)
        if _worth(other) > 1.2 * _worth(best):
            best = other
        if best.confidence >= 80 and _letters(best) >= 10 * FEW and not _lies(best):
            break
    return best


def _turned(engine: Tesseract, picture: Picture, degrees: int, ink: float) -> Seen:
    image = picture.image.rotate(-degrees, expand=True) if degrees else picture.image
    dpi = max(LEAST_DPI, min(MOST_DPI, round(72 / picture.scale)))
    found = engine.read(image.tobytes(), image.width, image.height, dpi)
    return Seen(image.width * picture.scale, image.height * picture.scale, degrees, ink, words_of(found, picture.scale))


def _letters(seen: Seen) -> int:
    return sum(len(word.text) for word in seen.words)


def _worth(seen: Seen) -> float:
    return sum(max(0.0, word.confidence - 50) * len(word.text) for word in seen.words if not _on_end(word))


def _on_end(word: SeenWord) -> bool:
    return len(word.text) > 3 and word.y1 - word.y0 > word.x1 - word.x0


def _lies(seen: Seen) -> bool:
    """Whether most of what was read stands on end."""
    long = [word for word in seen.words if len(word.text) > 3]
    return sum(map(_on_end, long)) > len(long) / 2


class opened:
    """`with opened(path) as pictures: pictures(want)`: a list of one Picture, or one a region. Raises Unreadable."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(1024)
        self._document: pdfium.PdfDocument | None = None
        self._archive: zipfile.ZipFile | None = None
        self._path = path
        try:
            if b"%PDF-" in head:
                self._document = pdfium.PdfDocument(path)
            elif head.startswith(b"PK"):
                self._archive = zipfile.ZipFile(path)
        except (pdfium.PdfiumError, zipfile.BadZipFile, OSError):
            pass

    def __enter__(self) -> Callable[[Wanted], list[Picture]]:
        return self._pictures

    def __exit__(self, *_: object) -> None:
        if self._document is not None:
            self._document.close()
        if self._archive is not None:
            self._archive.close()

    def _pictures(self, want: Wanted) -> list[Picture]:
        if self._document is not None and want.page is not None:
            return _of_page(self._document, want)
        try:
            if self._archive is not None:
                with self._archive.open(want.key) as part:
                    return [of_file(io.BytesIO(part.read()))]
            return [of_file(self._path, (want.page or 1) - 1)]
        except (KeyError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
            raise Unreadable from None


def of_file(source: Path | io.BytesIO, frame: int = 0) -> Picture:
    """A picture, or one of those in a file, the way up that its camera noted. Raises Unreadable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(source, formats=FORMATS) as image:
                image.seek(frame)
                if image.width * image.height > OPENED:
                    raise Unreadable
                dpi = _dpi(image)
                image.draft("L", (4_000, 4_000))  # JPEG: unpacked small and grey where that is enough
                whole = image.width
                shown = ImageOps.exif_transpose(image)
                grey = _grey(shown)
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, Image.DecompressionBombError, Warning):
        raise Unreadable from None
    dpi *= whole / max(1, image.width) if whole else 1
    return _fitted(grey, 72 / dpi)


def frames_of(path: Path, most: int) -> int:
    """How many pictures a file has, counted no further than `most` + 1. Raises Unreadable."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            count = 1
            while count <= most:
                try:
                    image.seek(count)
                except EOFError:
                    break
                count += 1
            return count if image.format == "TIFF" else 1
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError):
        raise Unreadable from None


def _dpi(image: Image.Image) -> float:
    """As the file says, where that can be; else as if the longer side were that of a sheet of A4."""
    try:
        said = float(image.info.get("dpi", (0, 0))[0])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        said = 0.0
    if math.isfinite(said) and 95 < said <= 1200:
        return said
    return max(LEAST_DPI, max(image.size) / 11.7)


def _grey(image: Image.Image) -> Image.Image:
    """What is transparent is paper."""
    if "A" in image.getbands() or "transparency" in image.info:
        layers = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layers.size, "white"), layers)
    return image.convert("L")


def _fitted(grey: Image.Image, scale: float) -> Picture:
    """Neither more pixels than can be read nor so few that letters have no shape."""
    pixels = grey.width * grey.height
    factor = 1.0
    if pixels > PIXELS:
        factor = math.sqrt(PIXELS / pixels)
    elif 72 / scale < 200:
        factor = min(300 * scale / 72, math.sqrt(PIXELS / max(1, pixels)), 4.0)
    if abs(factor - 1) > 0.05:
        size = max(1, round(grey.width * factor)), max(1, round(grey.height * factor))
        grey = grey.resize(size, Image.Resampling.LANCZOS)
        scale /= factor
    return Picture(grey, scale)


def _of_page(document: pdfium.PdfDocument, want: Wanted) -> list[Picture]:
    try:
        page = document[(want.page or 1) - 1]
        width, height = page.get_size()
        wanted: list[Region | None] = [_widened(region, width, height) for region in want.regions] or [None]
        try:
            return [_drawn(page, region, width, height) for region in wanted]
        finally:
            page.close()
    except (pdfium.PdfiumError, IndexError, ValueError):
        raise Unreadable from None


def _widened(region: Region, width: float, height: float) -> Region:
    x0, y0, x1, y1 = region
    return max(0.0, x0 - MARGIN), max(0.0, y0 - MARGIN), min(width, x1 + MARGIN), min(height, y1 + MARGIN)


def _drawn(page: pdfium.PdfPage, region: Region | None, width: float, height: float) -> Picture:
    """A page, or a part of it, as it is shown, without comments and form fields, which are accounted for apart."""
    x0, y0, x1, y1 = region or (0.0, 0.0, width, height)
    if x1 - x0 < 1 or y1 - y0 < 1:
        raise Unreadable
    scale = min(DPI / 72, math.sqrt(PIXELS / ((x1 - x0) * (y1 - y0))))
    bitmap = page.render(
        scale=scale,
        crop=(x0, height - y1, width - x1, y0),  # left, bottom, right, top: what is left out
        grayscale=True,
        may_draw_forms=False,
        draw_annots=False,
    )
    try:
        return Picture(bitmap.to_pil().convert("L").copy(), 1 / scale, region)
    finally:
        bitmap.close()
