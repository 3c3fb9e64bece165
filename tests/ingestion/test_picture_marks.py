"""What a picture says beside its pixels, and what it shows later, is in the original of whatever it stands in."""

import io
from collections.abc import Callable
from pathlib import Path

import docx
import pikepdf
import pytest
from PIL import Image, ImageDraw, PngImagePlugin
from reportlab.pdfgen.canvas import Canvas

from entities.types import Contract
from ingestion.extract.picture_marks import marks_of
from ingestion.extract.scan_pictures import of_file
from tests.conftest import Person
from tests.ingestion.extracted import missed
from tests.ingestion.helpers import SALARY, ready, texts
from tests.ingestion.pdfs import HEIGHT, draw, line
from tests.ingestion.scans import packed, photographed, read_all

pytestmark = pytest.mark.ocr
PLAIN = "The quay was closed for two days because of the storm."
CAPTION = 0x010E


def words(folder: Path, text: str) -> Image.Image:
    page = photographed(folder, lambda canvas: line(canvas, 60, 100, text, 14), 150)
    return page.crop((100, 160, 1100, 260))


def tagged() -> Image.Exif:
    """As a camera writes."""
    tags = Image.Exif()
    tags[0x010F], tags[0x0110], tags[0x0131], tags[0x0132] = "Canon", "EOS 5D", "Firmware 1.1", "2026:09:01 12:00:00"
    return tags


def captioned(text: str) -> Image.Exif:
    tags = tagged()
    tags[CAPTION] = text
    return tags


def placed(tags: Image.Exif) -> Image.Exif:
    where = tags.get_ifd(0x8825)
    where[1], where[2], where[3], where[4] = "N", (51.0, 30.0, 0.0), "W", (0.0, 7.0, 30.0)
    return tags


def in_word(path: Path, picture: bytes) -> Path:
    made = docx.Document()
    made.add_paragraph("Of the works.")
    made.add_picture(io.BytesIO(picture))
    made.save(str(path))
    return path


def in_pdf(path: Path, picture: bytes) -> Path:
    """The file of the picture lies in the document as it is."""

    def page(canvas: Canvas) -> None:
        canvas.drawImage(str(path.with_suffix(".jpg")), 60, HEIGHT - 300, 400, 40)
        line(canvas, 60, 700, "Of the works.", 12)

    path.with_suffix(".jpg").write_bytes(picture)
    draw(path, page)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        (image,) = pdf.pages[0].get_images().values()
        image.write(picture, filter=pikepdf.Name.DCTDecode)
        pdf.save(path)
    return path


def alone(path: Path, picture: bytes) -> Path:
    path.write_bytes(picture)
    return path


HOLDERS: dict[str, Callable[[Path, bytes], Path]] = {"a.docx": in_word, "a.pdf": in_pdf, "a.jpg": alone}


@pytest.mark.parametrize("name", HOLDERS)
def test_a_caption_is_text_and_what_cameras_note_is_not(tmp_path: Path, name: str) -> None:
    image = words(tmp_path, PLAIN)
    plain = read_all(HOLDERS[name](tmp_path / name, packed(image, "JPEG", quality=95, exif=tagged())))
    assert "Canon" not in plain.text
    assert PLAIN in plain.text
    assert missed(plain) == set()
    exif = placed(captioned(SALARY))
    told = read_all(HOLDERS[name](tmp_path / name, packed(image, "JPEG", quality=95, exif=exif)))
    (said,) = [p for p in told.paragraphs if SALARY in p.text]
    assert said.heading_path == ("Document properties",)
    assert "Place: 51.50000 N, 0.12500 W" in said.text
    assert missed(told) == set()
    behind = read_all(HOLDERS[name](tmp_path / name, packed(image, "JPEG", quality=95) + SALARY.encode()))
    assert {code for code, _ in missed(behind)} == {"image"}


def test_a_later_frame_is_read(tmp_path: Path) -> None:
    first, second = (words(tmp_path, text).convert("P") for text in (PLAIN, SALARY))
    moving = packed(first, "GIF", save_all=True, append_images=[first, second, second], duration=100)
    seen = read_all(in_word(tmp_path / "a.docx", moving))
    assert [p.text for p in seen.paragraphs].count(PLAIN) == 1
    assert SALARY in seen.text
    assert missed(seen) == set()
    many = [Image.new("L", (300, 100), 255) for _ in range(12)]
    for place, frame in enumerate(many):
        ImageDraw.Draw(frame).rectangle((20 * place, 10, 20 * place + 60, 90), fill=0)
    flood = packed(many[0], "GIF", save_all=True, append_images=many[1:], duration=100)
    assert {code for code, _ in missed(read_all(in_word(tmp_path / "b.docx", flood)))} == {"image"}
    pages = packed(first.convert("L"), "TIFF", save_all=True, append_images=[second.convert("L")])
    assert SALARY in read_all(in_word(tmp_path / "c.docx", pages)).text


def test_who_is_not_cleared_for_a_caption_has_no_original(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, tmp_path: Path
) -> None:
    image = words(tmp_path, PLAIN)
    for name, exif, answers in (("a", captioned(SALARY), [200, 403]), ("b", tagged(), [200, 200])):
        picture = packed(image, "JPEG", quality=95, exif=exif)
        file = ready(alice, contract, f"{name}.docx", in_word(tmp_path / "a.docx", picture).read_bytes())
        assert "68,400" not in " ".join(texts(viewer, file))
        assert PLAIN in texts(viewer, file)
        assert [who.api.get(f"/api/files/{file}/download/").status_code for who in (cfo, viewer)] == answers


def png(image: Image.Image, **said: str) -> bytes:
    info = PngImagePlugin.PngInfo()
    for name, text in said.items():
        info.add_text(name, text, zip=len(text) > 40)
    return packed(image, pnginfo=info)


def previewed(whole: Image.Image, preview: Image.Image) -> bytes:
    """With the preview in its tags, as cameras write them."""
    small = packed(preview.resize((160, 120)), "JPEG")
    directory = b"II*\0\x08\0\0\0" + b"\0\0" + (14).to_bytes(4, "little") + b"\x02\0"
    for tag, value in ((513, 14 + 2 + 24 + 4), (514, len(small))):
        directory += tag.to_bytes(2, "little") + b"\4\0\1\0\0\0" + value.to_bytes(4, "little")
    return packed(whole, "JPEG", exif=b"Exif\0\0" + directory + b"\0\0\0\0" + small)


def test_what_is_in_a_picture_beside_its_pixels() -> None:
    photo = Image.radial_gradient("L").resize((640, 480))
    other = Image.new("L", (640, 480), 20)
    flat, pay = photo.convert("P"), SALARY.encode()
    ordinary = [
        packed(photo, "JPEG"), packed(photo, "JPEG", progressive=True), packed(photo), packed(flat, "GIF"),
        packed(photo, "TIFF"), packed(photo, "WEBP"), packed(photo, "BMP"), png(photo, Software="Painter of Pay"),
        packed(photo, "JPEG", comment=b"CREATOR: gd-jpeg v1.0"), packed(photo, "JPEG") + b"\0" * 40,
        packed(photo, "JPEG") + b"Image_UTC_Data1234567890123SEFHkSEFT", previewed(photo, photo),
    ]  # fmt: skip
    telling = [
        png(photo, Comment=SALARY), packed(photo, "JPEG", comment=pay), packed(flat, "GIF", comment=pay),
        packed(photo, "TIFF", exif=captioned(SALARY)), packed(photo, "WEBP", exif=captioned(SALARY)),
    ]  # fmt: skip
    for number, content in enumerate([*ordinary, *telling]):
        marks = marks_of(content)
        said = [] if number < len(ordinary) else [SALARY]
        assert (number, list(marks.said.values()), marks.more) == (number, said, False)
    for content in (packed(photo) + SALARY.encode(), packed(photo, "JPEG") * 2, previewed(photo, other)):
        assert marks_of(content).more


def test_of_a_picture_whose_next_one_was_cut_off_the_first_is_read(tmp_path: Path) -> None:
    """Programs cut further pictures off and leave the note that they are there."""
    one, two, cut = words(tmp_path, PLAIN), tmp_path / "two.jpg", tmp_path / "cut.jpg"
    one.save(two, format="MPO", save_all=True, append_images=[words(tmp_path, SALARY)])
    whole = two.read_bytes()
    cut.write_bytes(whole[: whole.rindex(b"\xff\xd8\xff")])
    first, *later = of_file(cut)
    assert (later, first.marks is not None and first.marks.more) == ([], True)
    first, *later = of_file(two)
    assert (len(later), first.marks) == (1, None)
    # What a more patient program still shows of it is not known, so who is given the picture is.
    for path, codes in ((cut, {"image"}), (two, set())):
        seen = read_all(path)
        assert PLAIN in seen.text
        assert {code for code, _ in missed(seen)} == codes
    assert SALARY in seen.text


def test_a_note_on_brightness_hides_no_later_frame(tmp_path: Path) -> None:
    """Pictures of one camera have a second one that only says how bright the first is, and a note of that."""
    first, second = (words(tmp_path, text).convert("P") for text in (PLAIN, SALARY))
    moving = packed(first, "GIF", save_all=True, append_images=[second], duration=100, comment=b"hdrgm:")
    (tmp_path / "a.gif").write_bytes(moving)
    assert len(of_file(tmp_path / "a.gif")) == 2
