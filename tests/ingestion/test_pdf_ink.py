"""Ink that no word, picture, rule or fill explains is on record, so that no copy of a page as cleared shows it."""

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion.extracted import missed, read
from tests.ingestion.pdfs import HEIGHT, changed, draw, grid, line

HIDDEN = "Salary EUR 93,500"
WORDS = Dictionary(F1=Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))


def page(canvas: Canvas) -> None:
    line(canvas, 60, 90, "Progress of the works")
    canvas.rect(60, 400, 300, 100, fill=1)
    canvas.line(60, 380, 500, 380)
    grid(canvas, 60, 140, [["Part", "Days"], ["Quay", "two"]])
    canvas.rect(400, 600, 10, 10)


def drawn(pdf: pikepdf.Pdf, **more: object) -> pikepdf.Stream:
    content = b"BT /F1 10 Tf 4 8 Td (%s) Tj ET" % HIDDEN.encode()
    return pdf.make_stream(content, BBox=Array([0, 0, 200, 30]), Resources=Dictionary(Font=WORDS), **more)


def pattern(pdf: pikepdf.Pdf) -> bytes:
    tile = drawn(pdf, Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1, XStep=200, YStep=30)
    pdf.pages[0].obj.Resources["/Pattern"] = Dictionary(P1=tile)
    return b"/Pattern cs /P1 scn 60 200 200 60 re f"


def mask(pdf: pikepdf.Pdf) -> bytes:
    group = Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
    form = drawn(pdf, Type=Name.XObject, Subtype=Name.Form, Group=group)
    form["/BBox"] = Array([0, 0, 600, 800])
    form.write(b"1 g BT /F1 10 Tf 60 220 Td (%s) Tj ET" % HIDDEN.encode())
    pdf.pages[0].obj.Resources["/ExtGState"] = Dictionary(
        G1=pdf.make_indirect(Dictionary(SMask=Dictionary(Type=Name.Mask, S=Name.Luminosity, G=form)))
    )
    return b"/G1 gs 0 g 60 200 200 60 re f"


def letters(pdf: pikepdf.Pdf) -> bytes:
    """Nine letters as outlines."""
    shape = ((0, 0), (6, 0), (6, 2), (2, 2), (2, 4), (5, 4), (5, 6), (2, 6), (2, 8), (6, 8), (6, 10), (0, 10))
    paths = []
    for number in range(9):
        points = [(60 + 8 * number + x, 220 + y) for x, y in shape]
        paths.append(" ".join(f"{x} {y} {'l' if place else 'm'}" for place, (x, y) in enumerate(points)) + " f")
    return "\n".join(paths).encode()


def strokes(pdf: pikepdf.Pdf) -> bytes:
    """Letters of single lines, as programs for plans write them."""
    lines = ((0, 0, 0, 10), (0, 10, 6, 10), (0, 5, 5, 5), (0, 0, 6, 0))
    return "\n".join(
        f"{60 + 8 * n + a} {220 + b} m {60 + 8 * n + x} {220 + y} l S" for n in range(9) for a, b, x, y in lines
    ).encode()


def words(width: int) -> Image.Image:
    image = Image.new("L", (width, 40), 255)
    ImageDraw.Draw(image).text((2, 4), HIDDEN, font=ImageFont.load_default(26), fill=0)
    return image


def small_picture(canvas: Canvas) -> None:
    page(canvas)
    canvas.drawImage(ImageReader(words(240).crop((0, 0, 120, 40))), 60, HEIGHT - 620, 46, 15)


def tiles(canvas: Canvas) -> None:
    page(canvas)
    whole = words(240)
    for place in range(0, 240, 24):
        canvas.drawImage(ImageReader(whole.crop((place, 0, place + 24, 40))), 60 + place / 2, HEIGHT - 620, 12, 20)


CONTENTS: dict[str, Callable[[pikepdf.Pdf], bytes]] = {
    "a pattern": pattern,
    "a mask": mask,
    "outlines": letters,
    "strokes": strokes,
}
PAGES = {"a small picture": small_picture, "tiles of pictures": tiles}


@pytest.mark.parametrize("what", [*CONTENTS, *PAGES])
def test_text_that_shows_and_was_not_read_is_on_record(tmp_path: Path, what: str) -> None:
    path = draw(tmp_path / "a.pdf", PAGES.get(what, page))

    def put(pdf: pikepdf.Pdf) -> None:
        more = CONTENTS[what](pdf)
        own = pdf.pages[0].obj.Contents
        pdf.pages[0].obj.Contents = Array([own, pdf.make_stream(b"\nq " + more + b" Q\n")])

    if what in CONTENTS:
        changed(path, put)
    extraction = read(path)
    assert HIDDEN not in extraction.text
    assert ("unexplained_ink", 1) in missed(extraction)


def test_words_rules_and_fills_explain_what_a_page_shows(tmp_path: Path) -> None:
    assert missed(read(draw(tmp_path / "a.pdf", page))) == set()


def test_a_font_that_draws_other_letters_than_it_says_is_not_believed(tmp_path: Path) -> None:
    """The same table that tells the truth is."""
    for shift, codes in ((1, {("unreadable_page", 1)}), (0, set())):
        path = draw(tmp_path / "a.pdf", page)

        def tell(pdf: pikepdf.Pdf, shift: int = shift) -> None:
            table = "1 beginbfrange <20> <7D> <%04X> endbfrange" % (0x20 + shift)
            (font,) = pdf.pages[0].obj.Resources.Font.values()
            font.ToUnicode = pdf.make_stream(table.encode())

        assert missed(read(changed(path, tell))) - {("unexplained_ink", 1)} == codes


def test_a_picture_outside_of_what_is_shown_costs_no_page(tmp_path: Path) -> None:
    def outside(canvas: Canvas) -> None:
        page(canvas)
        picture = Image.new("RGB", (80, 80), "teal")
        ImageDraw.Draw(picture).ellipse((10, 10, 60, 60), fill="white")
        canvas.drawImage(ImageReader(picture), 60, 700, 80, 80)
        canvas.rect(60, 700, 80, 80)

    def crop(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/CropBox"] = Array([40, 300, 560, 600])

    path = changed(draw(tmp_path / "a.pdf", outside), crop)
    assert {"page_failed", "unchecked"}.isdisjoint(code for code, _ in missed(read(path)))


def test_a_picture_is_explained_where_it_goes_on_record_and_nowhere_else(tmp_path: Path) -> None:
    """The same picture on two pages, the second of which is met first, in the sample."""
    salary = ImageReader(words(240))

    def returning(canvas: Canvas) -> None:
        page(canvas)
        if canvas.getPageNumber() in (3, 4):
            canvas.drawImage(salary, 60, HEIGHT - 620, 240, 40)

    path = draw(tmp_path / "a.pdf", *[returning] * 60)
    assert missed(read(path)) == {("image", 3), ("unexplained_ink", 4)}
