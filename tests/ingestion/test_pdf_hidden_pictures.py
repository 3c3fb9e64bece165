"""A picture that a PDF does not show whole comes out of the original whole: it is read by itself, or named."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.extracted import missed, read
from tests.ingestion.helpers import SALARY, ready, texts
from tests.ingestion.pdfs import HEIGHT, WIDTH, changed, draw, line
from tests.ingestion.scans import Draw, both, photographed, read_all, scan

pytestmark = pytest.mark.ocr
PLAIN = "The quay was closed for two days because of the storm."


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    """The plain sentence above the salary."""
    page = both(partial(line, x=60, top=100, text=PLAIN, size=14), partial(line, x=60, top=140, text=SALARY, size=14))
    return photographed(tmp_path_factory.mktemp("photo"), page, 150)


def black(canvas: Canvas) -> None:
    canvas.rect(50, HEIGHT - 148, 450, 22, fill=1)


def stroke(canvas: Canvas) -> None:
    canvas.setLineWidth(22)
    canvas.line(50, HEIGHT - 136, 500, HEIGHT - 136)


def patch(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.new("L", (200, 20), 255)), 50, HEIGHT - 148, 450, 22)


def text_layer(canvas: Canvas) -> None:
    """Recognised words, without those that were painted over."""
    text = canvas.beginText(60, HEIGHT - 100)
    text.setFont("Helvetica", 14)
    text.setTextRenderMode(3)
    text.textLine(PLAIN)
    canvas.drawText(text)


def clipped(photo: Image.Image) -> Draw:
    def page(canvas: Canvas) -> None:
        path = canvas.beginPath()
        path.rect(0, HEIGHT - 120, WIDTH, 120)
        canvas.clipPath(path, stroke=0, fill=0)
        scan(photo)(canvas)

    return page


def in_hidden_layer(pdf: pikepdf.Pdf) -> None:
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="Layer 1"))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
    for image in pdf.pages[0].get_images().values():
        image.OC = layer


def off_page(pdf: pikepdf.Pdf) -> None:
    pdf.pages[0].CropBox = Array([0, HEIGHT - 120, WIDTH, HEIGHT])


def unused(pdf: pikepdf.Pdf) -> None:
    """The page of the picture is gone; what it used stays, because another page names it."""
    first, second = pdf.pages[0].obj, pdf.pages[1].obj
    second.Resources.XObject = first.Resources.XObject
    del pdf.pages[0]


def cases(photo: Image.Image) -> dict[str, tuple[Draw, Callable[[pikepdf.Pdf], None] | None]]:
    own = partial(line, x=60, top=700, text=PLAIN, size=12)
    return {
        "painted over": (both(scan(photo), black), None),
        "struck through": (both(scan(photo), stroke), None),
        "under a picture": (both(scan(photo), patch), None),
        "beside a text layer": (both(both(scan(photo), black), text_layer), None),
        "clipped": (clipped(photo), None),
        "cropped": (both(scan(photo), text_layer), off_page),
        "hidden layer": (both(scan(photo), own), in_hidden_layer),
        "no page": (scan(photo), unused),
    }


CASES = ("painted over", "struck through", "under a picture", "beside a text layer", "clipped", "cropped")
CASES += ("hidden layer", "no page")


def made(folder: Path, photo: Image.Image, case: str) -> Path:
    page, change = cases(photo)[case]
    path = draw(folder / "a.pdf", page, partial(line, x=60, top=100, text=PLAIN, size=12))
    return changed(path, change) if change is not None else path


@pytest.mark.parametrize("case", CASES)
def test_what_a_page_does_not_show_of_a_picture_is_read(tmp_path: Path, photo: Image.Image, case: str) -> None:
    path = made(tmp_path, photo, case)
    assert {code for code, _ in missed(read(path))} & {"image", "no_text_layer"}, "where nobody looks it is named"
    assert SALARY not in read(path).text
    seen = read_all(path)
    (salary,) = [p for p in seen.paragraphs if SALARY in p.text]
    assert (salary.read_by, list(salary.boxes)) == ("ocr", [])
    assert missed(seen) == set()


def test_who_is_not_cleared_for_what_is_painted_over_has_no_original(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, tmp_path: Path, photo: Image.Image
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, photo, "painted over").read_bytes())
    assert any(SALARY in text for text in texts(cfo, file))
    assert "68,400" not in " ".join(texts(viewer, file))
    assert PLAIN in texts(viewer, file)
    assert [who.api.get(f"/api/files/{file}/download/").status_code for who in (cfo, viewer)] == [200, 403]
    unread = ready(alice, contract, "b.pdf", made(tmp_path, photo, "no page").read_bytes(), strategy="text")
    assert cfo.api.get(f"/api/files/{unread}/download/").status_code == 200, "nobody looked, and it inherits"


def test_what_a_page_shows_whole_is_not_read_twice(tmp_path: Path, photo: Image.Image) -> None:
    """A scan with its text behind it, a picture with words on it, a frame around it, and white under it."""

    def page(canvas: Canvas) -> None:
        canvas.setFillGray(1)
        canvas.rect(0, 0, WIDTH, HEIGHT, fill=1, stroke=0)
        canvas.setFillGray(0)
        scan(photo)(canvas)
        canvas.rect(1, 1, WIDTH - 2, HEIGHT - 2)
        line(canvas, 60, 600, "A caption.", 12)

    for drawn in (page, both(scan(photo), text_layer)):
        assert not [want for want in read(draw(tmp_path / "a.pdf", drawn)).wanted if want.key.startswith("picture")]
