"""Pages and pictures that are read by OCR: which are, what they give, and what stays unaccounted for."""

import json
import zipfile
from pathlib import Path

import docx
import pikepdf
import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from ingestion.documents import Extraction
from ingestion.extract import extract_file, inside
from ingestion.extract.eyes import Eyes
from ingestion.extract.recognise import Engine, NoEngine, recognise_pictures
from ingestion.picture_reading import PictureReading, SeenWord, WantedPicture
from tests.ingestion.extracted import missed, texts, the
from tests.ingestion.pdfs import LOREM, WIDTH, draw, line, prose
from tests.ingestion.scans import both, packed, photographed, read_all, scan, worn

pytestmark = pytest.mark.ocr

SECRET = "The settlement with Harbour Lights is 4,250,000 pounds."


def letter(canvas: Canvas) -> None:
    line(canvas, 60, 90, "Letter of intent", 20, bold=True)
    prose(canvas, 60, 130, 470, SECRET + " " + LOREM, 11)


def stamp(canvas: Canvas) -> None:
    line(canvas, 430, 30, "BATES 000123", 9)


def report(canvas: Canvas) -> None:
    line(canvas, 60, 90, "A page of text", 16, bold=True)
    prose(canvas, 60, 130, 470, LOREM * 2)


def recall(extraction: Extraction, expected: str, page: int | None = None) -> float:
    found = {
        word.strip(".,") for p in extraction.paragraphs if p.page == page or page is None for word in p.text.split()
    }
    wanted = [word.strip(".,") for word in expected.split()]
    return sum(word in found for word in wanted) / len(wanted)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Extraction]:
    """Five pages, one of each kind, read once: text; scan, worn; scan with a stamp, lying on its side; text with a
    picture that holds text; an empty sheet that was scanned."""
    folder = tmp_path_factory.mktemp("mixed")
    image = photographed(folder, letter)
    part = image.crop((140, 300, 1560, 470))
    sideways = image.rotate(90, expand=True).resize(image.size)
    pages = [
        report,
        scan(worn(image)),
        both(scan(sideways), stamp),
        both(report, scan(part, (60, 500, 400, 48.5))),
        scan(Image.new("L", (600, 800), 254)),
    ]
    path = draw(folder / "mixed.pdf", *pages)
    return path, read_all(path)


def on(extraction: Extraction, page: int) -> list[str]:
    return [p.text for p in extraction.paragraphs if p.page == page]


def test_a_scan_in_a_digital_file_is_read_too_and_says_so(mixed: tuple[Path, Extraction]) -> None:
    _, extraction = mixed
    assert recall(extraction, SECRET + LOREM, 2) >= 0.97
    assert {(p.page, p.read_by) for p in extraction.paragraphs} >= {(1, ""), (2, "ocr")}
    assert all(p.read_by == "" for p in extraction.paragraphs if p.page == 1)
    assert not missed(extraction), "everything was read"


def test_words_of_a_scan_have_boxes_where_they_stand(mixed: tuple[Path, Extraction]) -> None:
    paragraph = the(mixed[1], "The settlement")
    assert paragraph.page == 2
    (money,) = [box for box in paragraph.boxes if paragraph.text[box.start : box.end].startswith("4,250,000")]
    assert 120 < money.y0 < money.y1 < 145, "its line was drawn at 130 points, on a page that lies a little askew"
    assert 240 < money.x0 < money.x1 < 360


def test_a_page_that_lies_on_its_side_is_turned_and_its_boxes_lie_on_what_is_shown(
    mixed: tuple[Path, Extraction],
) -> None:
    _, extraction = mixed
    assert recall(extraction, SECRET, 3) >= 0.95
    assert "BATES" in " ".join(on(extraction, 3)), "the page's own words are not lost"
    paragraph = next(p for p in extraction.paragraphs if p.page == 3 and "settlement" in p.text)
    upright = [box for box in paragraph.boxes if box.end - box.start > 6]
    assert all(box.y1 - box.y0 > box.x1 - box.x0 for box in upright), "words run upwards on the page that is shown"


def test_text_on_a_picture_in_a_page_of_text_stands_behind_it(mixed: tuple[Path, Extraction]) -> None:
    (found,) = [p for p in mixed[1].paragraphs if p.page == 4 and p.read_by == "ocr"]
    assert SECRET in found.text
    assert found.heading_path == ("Text in pictures",)
    assert 495 < found.boxes[0].y0 < 550


def test_an_empty_sheet_is_nothing_and_a_scrawl_is_not_accounted_for(
    mixed: tuple[Path, Extraction], tmp_path: Path
) -> None:
    assert on(mixed[1], 5) == []
    sheet = Image.new("L", (600, 800), 255)
    pen = ImageDraw.Draw(sheet)
    for n in range(0, 500, 9):
        pen.arc((40 + n, 200 + n % 70, 160 + n, 330 + n % 50), 20, 300, fill=30, width=5)
    extraction = read_all(draw(tmp_path / "scrawl.pdf", report, scan(sheet)))
    assert missed(extraction) <= {("no_text_layer", 2), ("ocr_uncertain", 2)}
    assert missed(extraction)


def test_without_recognition_the_same_file_is_ready_with_its_pages_named(mixed: tuple[Path, Extraction]) -> None:
    path, _ = mixed
    plain = read_all(path, strategy="text")
    assert missed(plain) == {("no_text_layer", 2), ("image", 3), ("image", 4), ("no_text_layer", 5)}
    assert not plain.wanted
    assert {p.read_by for p in plain.paragraphs} == {""}
    wanted = extract_file(path, "mixed.pdf").wanted
    assert [want.key for want in wanted] == ["page 2", "page 3", "page 4", "page 5"]
    assert wanted[2].regions, "of a page of text only the picture is looked at"
    for nothing in (Engine(library="/nowhere/libtesseract.so"), Engine(languages="xyz"), Engine(languages="")):
        with pytest.raises(NoEngine):
            recognise_pictures(path, wanted, nothing, keep=print, tell=print)


def test_asked_for_ocr_every_page_is_read_and_the_text_layer_adds_what_was_not_seen(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        report(canvas)
        canvas.setFillColorRGB(1, 1, 1)
        line(canvas, 60, 700, "Invisible: the reserve is nine million.", 10)

    extraction = read_all(draw(tmp_path / "a.pdf", page), strategy="ocr")
    assert recall(extraction, LOREM) >= 0.97
    hidden = the(extraction, "Invisible:")
    assert (hidden.read_by, hidden.heading_path) == ("", ("Text layer",))
    assert all(p.read_by == "ocr" for p in extraction.paragraphs if p is not hidden)


def test_fonts_that_do_not_say_their_letters_are_read_off_the_page(tmp_path: Path) -> None:
    def shifted(pdf: pikepdf.Pdf, first: int) -> None:
        """Every letter is another one for programs, and the same for people: the table of letters is wrong."""
        head = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> "
        rows = "\n".join(f"<{n:02x}> <{first + n % 5:04x}>" for n in range(33, 123))
        table = f"{head}endcodespacerange\n90 beginbfchar\n{rows}\nendbfchar\nendcmap end end"
        for font in pdf.pages[0].Resources.Font.values():
            font.ToUnicode = pdf.make_stream(table.encode())

    for first in (0xE000, ord("p")):  # for private use; consonants
        path = draw(tmp_path / "a.pdf", report)
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            shifted(pdf, first)
            pdf.save(path)
        assert not recall(read_all(path, strategy="text"), LOREM)
        extraction = read_all(path)
        assert recall(extraction, LOREM) >= 0.97, first
        assert not missed(extraction)


def test_pictures_as_files(tmp_path: Path) -> None:
    image = photographed(tmp_path, letter)
    for form, name, options in (
        ("PNG", "scan.png", {}),
        ("JPEG", "photo.jpg", {"dpi": (72, 72), "quality": 60}),
        ("TIFF", "fax.tiff", {"save_all": True, "append_images": [image.rotate(180)], "dpi": (200, 200)}),
    ):
        path = tmp_path / name
        path.write_bytes(packed(image, form, **options))
        extraction = read_all(path)
        assert extraction.pages == (2 if form == "TIFF" else 1)
        assert (recall(extraction, SECRET, extraction.pages), missed(extraction) - {("thumbnail", None)}) == (
            1.0,
            set(),
        ), name
        assert extraction.paragraphs[0].kind == "heading"
        assert all(box.x1 < WIDTH for p in extraction.paragraphs for box in p.boxes)
        assert missed(extract_file(path, name)) >= {("no_text_layer", 1)}


@pytest.mark.parametrize("degrees", [180, 270])
def test_whichever_way_a_page_lies_it_is_read_from_top_to_bottom(tmp_path: Path, degrees: int) -> None:
    """Tesseract reads words that stand on end too, and then gives their lines in an order of its own."""

    def lines(canvas: Canvas) -> None:
        for number, text in enumerate(LOREM.split(". ") * 8):
            line(canvas, 60, 80 + 28 * number, f"{number + 1:02} {text}", 11)

    image = photographed(tmp_path, lines, 150).rotate(degrees, expand=True)
    (tmp_path / "a.png").write_bytes(packed(image, dpi=(150, 150)))
    extraction = read_all(tmp_path / "a.png")
    found = [word for p in extraction.paragraphs for word in p.text.split() if word.isdigit()]
    assert found == [f"{number + 1:02}" for number in range(len(found))]
    assert len(found) > 20


def test_pictures_in_office_files(tmp_path: Path) -> None:
    image = photographed(tmp_path, letter).crop((140, 200, 1560, 520))
    (tmp_path / "clip.png").write_bytes(packed(image))
    document = docx.Document()
    document.add_paragraph("What the letter says stands on the picture.")
    document.add_picture(str(tmp_path / "clip.png"))
    document.save(str(tmp_path / "a.docx"))
    extraction = read_all(tmp_path / "a.docx")
    assert (recall(extraction, SECRET), missed(extraction) - {("thumbnail", None)}) == (1.0, set())
    assert the(extraction, "The settlement").read_by == "ocr"
    assert missed(extract_file(tmp_path / "a.docx", "a.docx")) == {("image", None), ("thumbnail", None)}
    # A picture of a form that nobody reads keeps the original back.
    with zipfile.ZipFile(tmp_path / "a.docx", "a") as package:
        package.writestr("word/media/drawing.emf", b"\x01\x00\x00\x00" * 40)
    assert missed(read_all(tmp_path / "a.docx")) == {("image", None), ("thumbnail", None)}


def test_a_picture_that_breaks_the_reader_costs_the_others_nothing(tmp_path: Path) -> None:
    image = photographed(tmp_path, letter)
    path = tmp_path / "fax.tiff"
    huge = Image.new("1", (40_000, 40_000), 1)
    path.write_bytes(packed(image, "TIFF", save_all=True, append_images=[huge], compression="tiff_lzw"))
    extraction = read_all(path)
    assert recall(extraction, SECRET, 1) == 1.0
    assert missed(extraction) == {("no_text_layer", 2)}


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_boxes_are_turned_back_as_the_page_was_turned(turned: int) -> None:
    width, height = (300.0, 400.0) if turned in (0, 180) else (400.0, 300.0)
    seen = PictureReading(width, height, turned)
    corner = seen.rotate_to_page((10, 20, 60, 35))
    assert (
        corner
        == {
            0: (10, 20, 60, 35),
            90: (20, 340, 35, 390),
            180: (240, 365, 290, 380),
            270: (265, 10, 280, 60),
        }[turned]
    )
    assert PictureReading.from_json(seen.to_json()) == seen
    assert WantedPicture.from_json(WantedPicture("page 1", 1, ((1.0, 2.0, 3.0, 4.0),)).to_json()).regions == (
        (1.0, 2.0, 3.0, 4.0),
    )


def test_what_was_seen_is_doubted_where_it_is_unsure_and_checked_where_a_model_told_it(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(packed(Image.new("L", (600, 800), 255)))
    words = [("Leave", 95.0), ("out", 95.0), ("68,400", 95.0), ("smudge", 40.0)]
    placed = tuple(SeenWord(t, 50 + 60 * n, 50, 100 + 60 * n, 60, 58, 11, c) for n, (t, c) in enumerate(words))
    for seen, left, code in (
        (PictureReading(600, 800, 0, 0.1, placed, "Leave out."), ["Leave out.", "68,400"], set()),
        (PictureReading(600, 800, 0, 0.1, placed, "Leave out 68,400."), ["Leave out 68,400."], set()),
        (PictureReading(0, 0, 0, 0, (), "Leave out."), ["Leave out."], {("vision_unchecked", 1)}),
        (PictureReading(600, 800, 0, 0.1, placed[3:]), ["smudge"], {("ocr_uncertain", 1)}),
        (PictureReading(600, 800, 0, 0.1), [], {("no_text_layer", 1)}),
    ):
        known = tmp_path / "seen.jsonl"
        known.write_text(json.dumps(["page 1", seen.to_json()]) + "\n")
        extraction = inside.extract(tmp_path / "a.png", "a.png", eyes=Eyes("vision", known))
        assert (texts(extraction), missed(extraction)) == (left, code)


def test_what_comes_from_the_limited_process_is_checked() -> None:
    for wrong in (None, [], [1, 2, 45, 0, [], ""], [1, 2, 0, 0, [["a", 1]], ""], [1, 2, 0, 0, [[1] * 8], ""]):
        with pytest.raises(ValueError, match="not"):
            PictureReading.from_json(wrong)
    for wrong in (None, ["a"], [1, 1, []], ["a", 0, []], ["a", 1, [[1, 2]]]):
        with pytest.raises(ValueError, match="not"):
            WantedPicture.from_json(wrong)


def test_the_world_is_read_in_order(mixed: tuple[Path, Extraction]) -> None:
    pages = [p.page for p in mixed[1].paragraphs if p.page is not None]
    assert pages == sorted(pages)
    assert texts(mixed[1])
