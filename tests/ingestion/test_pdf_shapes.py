"""Letters that are no text on a page that says much elsewhere: turned into shapes, or of a font nobody can read."""

from functools import partial
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.extracted import missed, read
from tests.ingestion.helpers import SALARY, ready, texts
from tests.ingestion.pdfs import HEIGHT, LOREM, changed, draw, line, prose
from tests.ingestion.scans import Draw, both, photographed, read_all

pytestmark = pytest.mark.ocr
DPI = 150
LIVE = " ".join(LOREM.split())


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    page = photographed(tmp_path_factory.mktemp("letters"), partial(line, x=60, top=400, text=SALARY, size=14), DPI)
    return page.point(lambda shade: 255 if shade > 128 else 0)


def own(canvas: Canvas) -> None:
    prose(canvas, 60, 90, 470, LOREM)


def outlined(letters: Image.Image) -> Draw:
    """A line of letters as one shape, each row of its pixels a box."""
    pixels, width = letters.tobytes(), letters.width

    def page(canvas: Canvas) -> None:
        path = canvas.beginPath()
        for row in range(letters.height):
            place = row * width
            while (start := pixels.find(b"\0", place, (row + 1) * width)) >= 0:
                end = pixels.find(b"\xff", start, (row + 1) * width)
                x, side = (start - row * width) * 72 / DPI, 72 / DPI
                path.rect(x, HEIGHT - (row + 1) * side, (end - start) * side, side)
                place = end
        canvas.drawPath(path, stroke=0, fill=1)

    return page


def nameless(pdf: pikepdf.Pdf) -> None:
    """The font of what stands at 400 points says that all its letters are others, which nobody knows."""
    page = pdf.pages[0].obj
    secret = pdf.make_indirect(Dictionary(page.Resources.Font.F1))
    places = b"".join(b"<%02x> <%04x>\n" % (code, 0xE000 + code) for code in range(33, 127))
    head = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> "
    secret.ToUnicode = pdf.make_stream(
        head + b"endcodespacerange\n94 beginbfchar\n" + places + b"endbfchar endcmap end end"
    )
    fonts = Dictionary(page.Resources.Font)
    fonts.Secret = secret
    page.Resources = Dictionary(Font=fonts)
    written = b"BT /Secret 12 Tf 60 442 Td (%s) Tj ET" % SALARY.encode()
    page.Contents = Array([page.Contents, pdf.make_stream(written)])


def numbered(pdf: pikepdf.Pdf) -> None:
    """A font that numbers its letters, which are drawn by hand: what pdfium tells of it are other letters."""
    page, drawn = pdf.pages[0].obj, ImageFont.load_default(40)
    known = sorted(set(SALARY.replace(" ", "")))
    procedures, widths = Dictionary(), []
    for number, letter in enumerate(known):
        image = Image.new("1", (round(drawn.getlength(letter)), 60))
        ImageDraw.Draw(image).text((0, 0), letter, 1, drawn)
        dots = ((x, y) for x in range(image.width) for y in range(60) if image.getpixel((x, y)))
        shape = b"".join(b"%d %d 1 1 re\n" % (x, 45 - y) for x, y in dots)
        procedures[f"/g{number}"] = pdf.make_stream(b"%d 0 d0\n%sf" % (image.width, shape))
        widths.append(image.width)
    names = Array([65, *(Name(f"/g{number}") for number in range(len(known)))])
    page.Resources.Font.Secret = pdf.make_indirect(
        Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, -20, 60, 60]), FirstChar=65,
            LastChar=64 + len(known), Widths=Array(widths), CharProcs=procedures,
            FontMatrix=Array([0.025, 0, 0, 0.025, 0, 0]), Encoding=Dictionary(Type=Name.Encoding, Differences=names),
        )
    )  # fmt: skip
    text, x = b"", 60.0
    for word in SALARY.split():
        codes = bytes(65 + known.index(letter) for letter in word)
        text += b"BT /Secret 14 Tf %.1f 442 Td <%s> Tj ET\n" % (x, codes.hex().encode())
        x += 0.35 * drawn.getlength(word + " ")
    page.Contents = Array([page.Contents, pdf.make_stream(text)])


def made(folder: Path, letters: Image.Image, case: str) -> Path:
    if case == "shapes":
        return draw(folder / "a.pdf", both(own, outlined(letters)))
    return changed(draw(folder / "a.pdf", own), numbered if case == "numbered letters" else nameless)


@pytest.mark.parametrize(
    ("case", "code"),
    [("shapes", "image"), ("unknown letters", "unreadable_page"), ("numbered letters", "unreadable_text")],
)
def test_letters_that_are_no_text_are_looked_at_where_they_stand(
    tmp_path: Path, letters: Image.Image, case: str, code: str
) -> None:
    path = made(tmp_path, letters, case)
    assert missed(read(path)) - {("unexplained_ink", 1)} == {(code, 1)}
    seen = read_all(path)
    assert SALARY in [p.text for p in seen.paragraphs]
    assert LIVE in seen.text
    assert missed(seen) == set()


def test_shapes_in_a_layer_that_is_not_shown_are_named(tmp_path: Path, letters: Image.Image) -> None:
    def hide(pdf: pikepdf.Pdf) -> None:
        layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="Layer 1"))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))

    assert missed(read_all(changed(made(tmp_path, letters, "shapes"), hide))) == {("drawing", 1)}


def test_who_is_not_cleared_for_shapes_of_letters_has_no_original(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, tmp_path: Path, letters: Image.Image
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, letters, "shapes").read_bytes())
    assert SALARY in texts(cfo, file)
    assert texts(viewer, file) == [LIVE, "[Financial]"]
    assert [who.api.get(f"/api/files/{file}/download/").status_code for who in (cfo, viewer)] == [200, 403]


def test_what_is_drawn_and_is_no_letter_is_not_looked_at(tmp_path: Path) -> None:
    """Bullets, lines, bars of a chart, boxes with round corners, a small sign."""

    def page(canvas: Canvas) -> None:
        own(canvas)
        for place in range(30):
            canvas.line(60, 300 + place, 500, 300 + place)
            canvas.rect(60 + 12 * place, 400, 8, 5 * place, fill=1)
        for place in range(5):
            canvas.circle(70, 200 - 20 * place, 3, fill=1)
            canvas.roundRect(300, 200 - 30 * place, 90, 20, 4, fill=1)
        sign = canvas.beginPath()
        for place in range(40):
            sign.rect(500 + place % 8, 40 + place, 1, 1)
        canvas.drawPath(sign, fill=1)

    assert read(draw(tmp_path / "a.pdf", page)).wanted == ()
