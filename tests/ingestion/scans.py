"""Scans for tests: pages that are drawn, turned into pixels, and made worse."""

import io
import random
from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from ingestion.documents import Extraction
from ingestion.extract import extract_file
from ingestion.extract.outside import LookResult
from ingestion.extract.recognise import Engine, recognise_pictures
from tests.ingestion.pdfs import HEIGHT, WIDTH, draw

Draw = Callable[[Canvas], None]


def photographed(tmp_path: Path, page: Draw, dpi: int = 200) -> Image.Image:
    """The page as grey pixels."""
    path = draw(tmp_path / "original.pdf", page)
    with pdfium.PdfDocument(path) as document:
        return document[0].render(scale=dpi / 72, grayscale=True).to_pil().convert("L")


def worn(image: Image.Image, degrees: float = 0.7, noise: float = 0.02) -> Image.Image:
    """As a scanner that is not cleaned gives it: skewed, blurred, with specks."""
    image = image.rotate(degrees, fillcolor=250, resample=Image.Resampling.BICUBIC).filter(
        ImageFilter.GaussianBlur(0.6)
    )
    chance = random.Random(4)
    pixels = image.load()
    for _ in range(int(noise * image.width * image.height / 10)):
        place = chance.randrange(image.width), chance.randrange(image.height)
        pixels[place] = chance.randrange(256)  # type: ignore[index]
    return image


def scan(image: Image.Image, box: tuple[float, float, float, float] = (0, 0, WIDTH, HEIGHT)) -> Draw:
    """A page that shows the picture: x, top, width, height in points."""

    def page(canvas: Canvas) -> None:
        x, top, width, height = box
        canvas.drawImage(ImageReader(image), x, HEIGHT - top - height, width, height)

    return page


def both(first: Draw, second: Draw) -> Draw:
    """One page with what either draws."""

    def page(canvas: Canvas) -> None:
        first(canvas)
        second(canvas)

    return page


def packed(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def read_all(path: Path, name: str = "", strategy: str | None = None, engine: Engine | None = None) -> Extraction:
    """As the pipeline reads it, with Tesseract."""

    def look(path: Path, wanted: object) -> LookResult:
        keep: list[object] = []
        return LookResult(recognise_pictures(path, wanted, engine or Engine(), keep=keep.append, tell=keep.append))  # type: ignore[arg-type]

    return extract_file(path, name or path.name, strategy=strategy, look=look)
