"""Pictures as pixels, inside the limited process: pages of a PDF drawn, pictures in packages and files opened."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pypdfium2 as pdfium
from PIL import ExifTags, Image, ImageChops, ImageOps

from ingestion.extract import embedded
from ingestion.picture_reading import Region, WantedPicture
from ingestion.sandbox.limits import Quarantined

DPI = 300
LEAST_DPI, MOST_DPI = 70, 600
PIXELS = 12_000_000  # of one picture that is read: a page of A4 has 8.7 million at 300 dpi
OPENED = 80_000_000  # pixels of a picture that is opened at all: one byte each, three while it is unpacked
FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")
MOST_FRAMES, MOST_SHOWN = 300, 8  # of an animation; those that show something else
OTHER, LEAST_OTHER = 40, 0.0003  # shades of grey, and share of the pixels, by which two frames are not the same
GAIN_MAPS = (b"hdrgm:", b"HDRGainMap")  # the further picture tells how bright the first one is
MARGIN = 4.0  # points around a region, so that no letter is cut
Image.MAX_IMAGE_PIXELS = OPENED


class Unreadable(Exception):
    """There is no picture that could be read: damaged, of another form, or too large."""


@dataclass(frozen=True, slots=True)
class ScannedPicture:
    """Grey pixels; scale: points a pixel; region: where it lies on the page, in points. broken: there are later
    pictures that cannot be read."""

    image: Image.Image
    scale: float
    region: Region | None = None
    broken: bool = False


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

    def __enter__(self) -> Callable[[WantedPicture], list[ScannedPicture]]:
        return self._list_pictures

    def __exit__(self, *_: object) -> None:
        if self._document is not None:
            self._document.close()
        if self._archive is not None:
            self._archive.close()

    def _list_pictures(self, want: WantedPicture) -> list[ScannedPicture]:
        if self._document is not None and want.page is not None:
            return _open_page(self._document, want)
        try:
            if self._archive is not None:
                with self._archive.open(want.key) as part:
                    return _open_part(part.read())
            if want.page is None:
                content = embedded.find_picture(self._path, want.key)
                if content is None:
                    raise Unreadable
                return _open_part(content)
            return open_file(self._path, want.page - 1)
        except (Quarantined, KeyError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
            raise Unreadable from None


def _open_part(content: bytes) -> list[ScannedPicture]:
    """All that a picture within another file shows."""
    return open_file(io.BytesIO(content))


def open_file(source: Path | io.BytesIO, frame: int | None = None) -> list[ScannedPicture]:
    """A picture, the way up that its camera noted, and what shows in its place later, each once; marked where that is
    broken. frame: the page of a file that has several, each a picture by itself. Raises Unreadable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(source, formats=FORMATS) as image:
                image.seek(frame or 0)
                if image.width * image.height > OPENED:
                    raise Unreadable
                pages = image.format == "TIFF" and frame is not None
                dpi = _find_dpi(image)
                image.draft("L", (4_000, 4_000))  # JPEG: unpacked small and grey where that is enough
                whole = image.width
                shown = ImageOps.exif_transpose(image)
                grey = _convert_to_grey(shown)
            later, broken = ([], False) if pages else _list_later_pictures(source, grey)
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, Image.DecompressionBombError, Warning):
        raise Unreadable from None
    dpi *= whole / max(1, image.width) if whole else 1
    first = replace(_fit_pixels(grey, 72 / dpi), broken=broken)
    return [first, *(_fit_pixels(other, 72 / dpi) for other in later)]


def _list_later_pictures(source: Path | io.BytesIO, first: Image.Image) -> tuple[list[Image.Image], bool]:
    """Frames of an animation, and further pictures of a file, that show something else than those before; and whether
    one is broken: programs cut further pictures off and leave the note that they are there."""
    content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
    shown = [first]
    with Image.open(io.BytesIO(content), formats=FORMATS) as image:
        if image.format in ("JPEG", "MPO") and any(mark in content for mark in GAIN_MAPS):
            return [], False
        for number in range(1, MOST_FRAMES + 1):
            try:
                image.seek(number)
                if image.width * image.height > OPENED:
                    raise Unreadable
                grey = _convert_to_grey(image)
            except EOFError:
                return shown[1:], False
            except (OSError, ValueError, SyntaxError):
                return shown[1:], True
            if not any(_is_alike(grey, other) for other in shown[-2:]):
                shown.append(grey)
            if len(shown) > MOST_SHOWN:
                raise Unreadable
    raise Unreadable


def _is_alike(a: Image.Image, b: Image.Image) -> bool:
    if a.size != b.size:
        return False
    return sum(ImageChops.difference(a, b).histogram()[OTHER:]) <= LEAST_OTHER * a.width * a.height


def count_frames(path: Path, most: int) -> int:
    """How many pictures a file has, counted no further than `most` + 1. Raises Unreadable."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            if image.format != "TIFF":
                return 1
            count = 1
            while count <= most:
                try:
                    image.seek(count)
                except EOFError:
                    break
                count += 1
            return count
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError):
        raise Unreadable from None


def measure_size(path: Path, frame: int) -> tuple[float, float]:
    """Width and height in points, as its camera lay. Raises Unreadable."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            image.seek(frame)
            scale = 72 / _find_dpi(image)
            sideways = image.getexif().get(ExifTags.Base.Orientation, 1) >= 5
            width, height = image.size[::-1] if sideways else image.size
            return width * scale, height * scale
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, Image.DecompressionBombError):
        raise Unreadable from None


def _find_dpi(image: Image.Image) -> float:
    """As the file says, where that can be; else as if the longer side were that of a sheet of A4."""
    try:
        said = float(image.info.get("dpi", (0, 0))[0])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        said = 0.0
    if math.isfinite(said) and 95 < said <= 1200:
        return said
    return max(LEAST_DPI, max(image.size) / 11.7)


def _convert_to_grey(image: Image.Image) -> Image.Image:
    """What is transparent is paper."""
    if "A" in image.getbands() or "transparency" in image.info:
        layers = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layers.size, "white"), layers)
    return image.convert("L")


def _fit_pixels(grey: Image.Image, scale: float) -> ScannedPicture:
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
    return ScannedPicture(grey, scale)


def _open_page(document: pdfium.PdfDocument, want: WantedPicture) -> list[ScannedPicture]:
    try:
        page = document[(want.page or 1) - 1]
        width, height = page.get_size()
        wanted: list[Region | None] = [_widen_region(region, width, height) for region in want.regions] or [None]
        try:
            return [_render_region(page, region, width, height) for region in wanted]
        finally:
            page.close()
    except (pdfium.PdfiumError, IndexError, ValueError):
        raise Unreadable from None


def _widen_region(region: Region, width: float, height: float) -> Region:
    x0, y0, x1, y1 = region
    return max(0.0, x0 - MARGIN), max(0.0, y0 - MARGIN), min(width, x1 + MARGIN), min(height, y1 + MARGIN)


def _render_region(page: pdfium.PdfPage, region: Region | None, width: float, height: float) -> ScannedPicture:
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
        return ScannedPicture(bitmap.to_pil().convert("L").copy(), 1 / scale, region)
    finally:
        bitmap.close()
