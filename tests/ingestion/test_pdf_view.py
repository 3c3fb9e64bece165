"""A PDF as somebody may see it: pages, words and sentences that they are cleared for, and nothing else of it."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from entities.access import Scope
from entities.models import AuditEntry, Classification
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion import pdf_views
from ingestion.boxes import Box, Boxes
from ingestion.extract.cutting import cut_rectangles
from ingestion.models import File, FileRevision, Paragraph
from ingestion.pdf_drawing import PageJpeg, draw_pictures
from ingestion.pdf_writing import write_pdf
from ingestion.reader import NOTICE
from ingestion.remainder import Remainder
from ingestion.visible_pdf import (
    MORE,
    CutPage,
    DisclosedPdf,
    HiddenParagraph,
    PageRange,
    PlacedText,
    SetLine,
    cut_pages,
    read_boxes,
)
from tests.conftest import Person
from tests.ingestion.helpers import label, ready
from tests.ingestion.pdfs import HEIGHT, WIDTH, changed, draw, line

pytestmark = pytest.mark.django_db(transaction=True)

GATE = "The gate of the yard is green and new."
RENT = "The rent of the great hall is 4,500 pounds a year."
LAMP = "The lamp by the door is old by now."
STAIR = "The stair on the north side is closed."
SMALL = "The rent of the small hall is 900 pounds a month."
NEEDS = "Hidden: needs Financial"


def gate_rent_lamp(canvas: Canvas) -> None:
    line(canvas, 72, 100, GATE)
    line(canvas, 72, 200, RENT)
    line(canvas, 72, 300, LAMP)


def stair(canvas: Canvas) -> None:
    line(canvas, 72, 100, STAIR)


def rent_only(canvas: Canvas) -> None:
    line(canvas, 72, 100, SMALL)


def made(path: Path, *pages: Callable[[Canvas], None]) -> bytes:
    return draw(path / "made.pdf", *pages).read_bytes()


def asked(who: Person, file: str, query: str = "", status: int = 200) -> bytes:
    answer = who.api.get(f"/api/files/{file}/view.pdf{query}")
    assert answer.status_code == status, answer.content
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def text_of(content: bytes) -> str:
    """All that can be selected and found in it, on one line."""
    document = pdfium.PdfDocument(content)
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


def picture_of(content: bytes, page: int = 0) -> Image.Image:
    """At one pixel a point, grey."""
    picture: Image.Image = pdfium.PdfDocument(content)[page].render(scale=1).to_pil().convert("L")
    return picture


def darkest(picture: Image.Image, left: float, top: float, right: float, bottom: float) -> int:
    return min(picture.crop((int(left), int(top), int(right), int(bottom))).tobytes())


def test_whole_pages_cut_pages_and_empty_ones(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    content = made(tmp_path, gate_rent_lamp, stair, rent_only)
    file = ready(alice, contract, "a.pdf", content)
    assert asked(cfo, file) == content
    seen = asked(viewer, file)
    assert text_of(seen) == f"{GATE} {LAMP} {NEEDS} {STAIR} {NEEDS}"
    first, second, third = (picture_of(seen, page) for page in range(3))
    assert darkest(first, 72, 90, 200, 102) < 100
    assert darkest(first, 72, 290, 200, 302) < 100
    assert darkest(first, 0, 118, WIDTH, 280) == darkest(first, 170, 106, WIDTH, 118) == 255
    assert 120 < darkest(first, 72, 104, 168, 116) < 220, "the hatched bar"
    assert darkest(second, 72, 90, 200, 102) < 100
    assert 120 < darkest(third, 36, 34, 132, 46) < 220
    assert darkest(third, 0, 46, WIDTH, HEIGHT - 5) == 255
    with service.open():
        viewed = AuditEntry.objects.filter(action=pdf_views.VIEWED, object_id=file)
        assert viewed.count() == 2


def test_it_has_the_name_of_the_file_where_that_is_cleared(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp))
    url = f"/api/files/{file}/view.pdf"
    assert viewer.api.get(url)["Content-Disposition"] == 'inline; filename="a (as cleared).pdf"'
    with service.open():
        File.objects.filter(pk=file).update(name_classification=FINANCIAL)
    assert viewer.api.get(url)["Content-Disposition"] == f'inline; filename="file-{file[:8]} (as cleared).pdf"'


def test_nothing_of_the_original_comes_along_and_the_secret_changes_nothing(
    alice: Person, viewer: Person, contract: Contract, tmp_path: Path
) -> None:
    def other_rent(canvas: Canvas) -> None:
        line(canvas, 72, 100, GATE)
        line(canvas, 90, 200, RENT.replace("4,500", "6,904,500") + " It is due.")  # longer, and one more paragraph
        line(canvas, 72, 240, SMALL)
        line(canvas, 72, 300, LAMP)

    def told(pdf: pikepdf.Pdf) -> None:
        pdf.docinfo["/Title"] = "Plan of the yard"
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem("Of the gate", 0))

    views, small = [], []
    for name, page in (("a.pdf", gate_rent_lamp), ("b.pdf", other_rent)):
        content = changed(draw(tmp_path / name, page), told).read_bytes()
        file = ready(alice, contract, name, content)
        views.append(asked(viewer, file))
        small.append(viewer.client.get(f"{viewer.base}files/{file}/thumbnail.jpg"))
    assert views[0] == views[1]
    assert small[0].status_code == small[1].status_code == 200
    assert small[0].content == small[1].content
    with pikepdf.open(io.BytesIO(views[0])) as pdf:
        assert {*pdf.Root.keys()} == {"/Type", "/Pages"}
        assert "/Info" not in pdf.trailer
        assert all({*page.keys()} <= {"/Type", "/Parent", "/MediaBox", "/Resources", "/Contents"} for page in pdf.pages)
        assert [len(page.get_images()) for page in pdf.pages] == [1, 0]
    assert text_of(views[0]).endswith("Title: Plan of the yard Of the gate")


def test_pages_that_are_turned_and_cropped(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    def upwards(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for x, text in ((100, GATE), (200, RENT), (300, LAMP)):
            canvas.saveState()
            canvas.translate(x, 72)
            canvas.rotate(90)
            canvas.drawString(0, 0, text)
            canvas.restoreState()

    def turned(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].Rotate = 90
        pdf.pages[0].CropBox = pikepdf.Array([40, 50, 500, 800])

    content = changed(draw(tmp_path / "a.pdf", upwards), turned).read_bytes()
    file = ready(alice, contract, "a.pdf", content)
    seen = asked(viewer, file)
    assert text_of(seen) == f"{GATE} {LAMP} {NEEDS}"
    page = pdfium.PdfDocument(seen)[0]
    assert page.get_size() == (750, 460 + 14)
    picture = picture_of(seen)
    with service.open():
        for row in Paragraph.objects.filter(file=file):
            for box in read_boxes(row.boxes):
                ink = darkest(picture, box.x0, box.y0, box.x1, box.y1)
                assert ink > 120 if row.text == RENT else ink < 120, (row.text, box)


def test_what_is_hidden_without_trace_leaves_none(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    """Concealed or without a label, at any place: what a document without it would give, byte for byte."""

    def gate_lamp(canvas: Canvas) -> None:
        line(canvas, 72, 100, GATE)
        line(canvas, 72, 300, LAMP)

    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp, stair, rent_only))
    twin = ready(alice, contract, "b.pdf", made(tmp_path, gate_lamp, stair))
    label(service, STAIR, 1)  # and so no original
    plain = asked(viewer, twin)
    assert asked(viewer, file) == plain
    assert text_of(plain) == f"{NOTICE} Page 1 {GATE} {LAMP} Page 2 Hidden: needs Internal"
    with service.open():
        Classification.objects.filter(value=5).update(conceal=False)
    assert NEEDS in text_of(asked(viewer, file))
    for secret in (RENT, SMALL):
        label(service, secret, None)
    assert asked(viewer, file) == plain
    assert RENT in text_of(asked(steward, file))


def test_set_anew_where_something_is_not_accounted_for(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp, stair))
    nothing = Remainder().to_json()
    for withheld in ({"remainder": {**nothing, "codes": ["image"]}}, {"remainder": nothing, "attachments": 1}):
        with service.open():
            FileRevision.objects.filter(file=file).update(**withheld)
        seen = asked(viewer, file)
        assert text_of(seen) == f"{NOTICE} Page 1 {GATE} {NEEDS} {LAMP} Page 2 {STAIR}"
        with pikepdf.open(io.BytesIO(seen)) as pdf:
            assert not any(page.get_images() for page in pdf.pages)


def test_who_may_not_have_it_is_told_nothing(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    rent = ready(alice, contract, "a.pdf", made(tmp_path, rent_only))
    absent = asked(viewer, str(UUID(int=1)), status=404)
    assert asked(viewer, rent, status=404) == absent
    assert asked(viewer, rent, "?first=0", status=404) == absent
    note = ready(alice, contract, "note.md", STAIR.encode())
    assert b"has no pages" in asked(viewer, note, status=404)
    page = viewer.client.get(f"{viewer.base}files/{note}/view.pdf")
    assert (page.status_code, b"has no pages" in page.content) == (404, True)
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    assert asked(viewer, rent, status=404) == absent


def test_a_page_of_a_browser(alice: Person, cfo: Person, viewer: Person, contract: Contract, tmp_path: Path) -> None:
    content = made(tmp_path, gate_rent_lamp)
    file = ready(alice, contract, "a.pdf", content)
    for who in (cfo, viewer):
        reader = who.client.get(f"{who.base}files/{file}/").content.decode()
        (way,) = re.findall(r'href="([^"]*/view\.pdf)"', reader)
        answer = who.client.get(way)
        assert answer["Content-Type"] == "application/pdf"
        assert answer["Content-Disposition"].startswith("inline;")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Cache-Control"] == "private, no-store"
        assert answer["Content-Security-Policy"].startswith("sandbox")
        assert (b"".join(answer) == content) == (who is cfo)


def test_parts_of_a_long_document(alice: Person, viewer: Person, contract: Contract, tmp_path: Path) -> None:
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp, stair, rent_only))
    assert text_of(asked(viewer, file, "?first=2&last=2")) == f"{STAIR} {MORE.format(3)}"
    assert text_of(asked(viewer, file, "?first=2")) == f"{STAIR} {NEEDS}"
    assert text_of(asked(viewer, file, "?last=1")) == f"{GATE} {LAMP} {NEEDS} {MORE.format(2)}"
    for wrong in ("?first=0", "?first=3&last=2", "?first=1&last=201", "?first=one", "?last=-1"):
        assert b"at most 200 pages" in asked(viewer, file, wrong, status=400)
    assert text_of(asked(viewer, file, "?first=9")) == ""


def test_what_is_withdrawn_while_pages_are_drawn_is_not_shown(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: without asking again, all of it would be there."""
    file = ready(alice, contract, "a.pdf", made(tmp_path, gate_rent_lamp, stair))
    secret: list[str] = []

    def drawn(shown: DisclosedPdf) -> Any:
        pictures = draw_pictures(shown)
        for text in secret:
            label(service, text, 5)
        return pictures

    monkeypatch.setattr(pdf_views, "draw_pictures", drawn)
    assert text_of(asked(viewer, file)) == f"{GATE} {LAMP} {NEEDS} {STAIR}"
    secret += [STAIR]
    seen = asked(viewer, file)
    assert text_of(seen) == f"{NOTICE} Page 1 {GATE} {NEEDS} {LAMP} Page 2 {NEEDS}"
    with pikepdf.open(io.BytesIO(seen)) as pdf:
        assert not any(page.get_images() for page in pdf.pages)
    secret += [GATE, LAMP]
    asked(viewer, file, status=404)


def row(text: str, *boxes: Box, page: int | None = 1) -> Paragraph:
    return Paragraph(text=text, page=page, boxes=Boxes(boxes).to_json() if boxes else [])


def test_words_beside_what_is_hidden_are_set_and_not_copied(service: Scope) -> None:
    far = [Box(1, 72, 100, 100, 112, 0, 3), Box(1, 104, 100, 140, 112, 4, 8)]
    near = Box(1, 72, 114, 100, 126, 9, 12)
    shown = row("The gate now", *far, near)
    elsewhere = row("The lamp", Box(2, 72, 100, 100, 112, 0, 3), Box(2, 104, 100, 140, 112, 4, 8), page=2)
    unplaced = row("A title", page=None)
    hidden = [HiddenParagraph(1, [Box(1, 72, 128, 100, 140), Box(3, 72, 40, 100, 52)], (5,))]
    with service.open():
        pages, beside = cut_pages([shown, elsewhere, unplaced], hidden, PageRange(1, 200))
    assert [page.whole for page in pages] == [False, True, False]
    assert [[(piece.text, piece.copied) for piece in page.pieces] for page in pages] == [
        [("The ", True), ("gate ", True), ("now", False)],
        [("The ", True), ("lamp", True)],
        [],
    ]
    assert [page.copied_rectangles for page in pages] == [
        [71.25, 99.25, 100.75, 112.75, 103.25, 99.25, 140.75, 112.75],
        None,
        [],
    ]
    assert beside == (SetLine("text", "A title"),)
    content = write_pdf([(pages[0], PageJpeg(b"", 0, 0, WIDTH, HEIGHT))], ())
    assert text_of(content).startswith("The gate now")
    assert darkest(picture_of(content), 72, 112, 100, 128) < 150, "set in letters of its own"
    assert darkest(picture_of(content), 72, 95, 140, 110) == 255


def test_of_a_page_only_pixels_within_the_boxes_are_copied() -> None:
    drawn = Image.new("RGB", (100, 100), "black")
    sheet = cut_rectangles(drawn, [10.2, 10.2, 20.7, 15.9, -5, 90, 300, 300], 1.0).convert("L")
    dark = {(x, y) for x in range(100) for y in range(100) if sheet.getpixel((x, y)) == 0}
    assert dark == {(x, y) for x in range(11, 20) for y in range(11, 15)} | {
        (x, y) for x in range(100) for y in range(90, 100)
    }


@pytest.mark.parametrize("text", ["Größe 12 €", "Ценность лампы", "灯は古い", "(\\)"])
def test_text_is_found_whatever_its_letters(text: str) -> None:
    page = CutPage(1, True, (PlacedText(text, 72, 100, 172, 112, True),), ())
    content = write_pdf([(page, PageJpeg(b"", 0, 0, WIDTH, HEIGHT))], [SetLine("text", text), SetLine("heading", text)])
    assert text_of(content) == f"{text} {text} {text}"
    page = CutPage(
        1,
        True,
        (PlacedText("a\U0001f600b ", 72, 100, 172, 112, True), PlacedText("المصباح", 72, 120, 99, 130, True)),
        (),
    )
    assert text_of(write_pdf([(page, PageJpeg(b"", 0, 0, WIDTH, HEIGHT))], ())) == "a\U0001f600b المصباح"
