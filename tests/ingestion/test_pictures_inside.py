"""Pictures within texts, messages and office files: read by recognition, or named to stewards and keeping the original
back. Nothing is fetched."""

import base64
import io
from collections.abc import Callable
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from openpyxl.drawing.image import Image as SheetPicture
from PIL import Image
from pptx.util import Inches

from entities.access import Scope
from entities.models.classification import FINANCIAL
from entities.types import Contract
from ingestion.documents import Extraction
from ingestion.extract import extract_file
from ingestion.models import File
from tests.conftest import Person
from tests.ingestion.helpers import SALARY, label, ready, texts
from tests.ingestion.packages import exchange, odt
from tests.ingestion.pdfs import line
from tests.ingestion.scans import packed, photographed, read_all

pytestmark = pytest.mark.ocr
PLAIN = "What we pay stands on the picture."


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    page = photographed(tmp_path_factory.mktemp("clip"), partial(line, x=60, top=100, text=SALARY, size=14), 150)
    return page.crop((100, 160, 1100, 260))


def data(clip: Image.Image, form: str = "PNG") -> str:
    return f"data:image/{form.lower()};base64,{base64.b64encode(packed(clip, form)).decode()}"


def web(path: Path, clip: Image.Image) -> None:
    path.write_text(f"<html><p>{PLAIN}</p><table><tr><td><img src='{data(clip)}' width=3 height=3></table></html>")


def marked(path: Path, clip: Image.Image) -> None:
    path.write_text(f"{PLAIN}\n\n![what we pay][1]\n\n[1]: {data(clip, 'JPEG')}\n\nAnd more.\n")


def message(path: Path, clip: Image.Image, related: bool = True) -> None:
    made = EmailMessage()
    made["Subject"] = "Pay"
    made.set_content(PLAIN)
    made.add_alternative(f"<p>{PLAIN}</p><img src='{'cid:a@b' if related else data(clip)}'>", subtype="html")
    if related:
        made.get_payload()[1].add_related(packed(clip), "image", "png", cid="<a@b>")  # type: ignore[union-attr]
    path.write_bytes(made.as_bytes())


def rich(path: Path, clip: Image.Image) -> None:
    picture = packed(clip).hex()
    lines = "\n".join(picture[n : n + 128] for n in range(0, len(picture), 128))
    properties = r"{\*\picprop{\sp{\sn wzDescription}{\sv clip}}}"
    group = rf"{{\*\shppict{{\pict{properties}\picwgoal5000\pngblip {lines}}}}}{{\nonshppict{{\pict\wmetafile8 0100}}}}"
    path.write_text(rf"{{\rtf1\ansi {PLAIN}\par {group}}}")


def word(path: Path, clip: Image.Image) -> None:
    made = docx.Document()
    made.add_paragraph(PLAIN)
    made.add_picture(io.BytesIO(packed(clip)))
    made.save(str(path))


def slides(path: Path, clip: Image.Image) -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = PLAIN
    slide.shapes.add_picture(io.BytesIO(packed(clip)), Inches(1), Inches(3), Inches(6))
    made.save(str(path))


def sheet(path: Path, clip: Image.Image) -> None:
    made = openpyxl.Workbook()
    made.active.append([PLAIN])
    made.active.add_image(SheetPicture(io.BytesIO(packed(clip))), "B4")
    made.save(path)


def opened(path: Path, clip: Image.Image) -> None:
    odt(path, f"<text:p>{PLAIN}<draw:frame><draw:image xlink:href='Pictures/a.png'/></draw:frame></text:p>")
    exchange(path, {"Pictures/a.png": packed(clip)})


FORMATS: dict[str, Callable[[Path, Image.Image], None]] = {
    "a.html": web, "a.md": marked, "related.eml": message, "data.eml": partial(message, related=False),
    "a.rtf": rich, "a.docx": word, "a.pptx": slides, "a.xlsx": sheet, "a.odt": opened,
}  # fmt: skip


def missed(extraction: Extraction) -> set[str]:
    return {item.code for item in extraction.unaccounted}


@pytest.mark.parametrize("name", FORMATS)
def test_a_picture_is_read_or_named(tmp_path: Path, clip: Image.Image, name: str) -> None:
    path = tmp_path / name
    FORMATS[name](path, clip)
    seen = read_all(path)
    (read,) = [p for p in seen.paragraphs if p.text.split("\n")[0] == SALARY]
    assert (read.read_by, read.heading_path[-1]) == ("ocr", PLAIN if name == "a.pptx" else "Text in pictures")
    assert missed(seen) <= {"thumbnail"}, "nothing is left that nobody looked at"
    assert PLAIN in seen.text
    assert missed(extract_file(path, name)) - {"thumbnail"} == {"image"}, "where nobody looks it is named"


def test_what_follows_a_picture_in_markdown_is_no_part_of_it(tmp_path: Path, clip: Image.Image) -> None:
    marked(tmp_path / "a.md", clip)
    assert "And more." in read_all(tmp_path / "a.md").text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", "<p>x</p><img src='data:image/png;base64,{broken}'>"),
        ("a.md", "x ![](data:image/png;base64,{broken})"),
        ("a.rtf", r"{{\rtf1 x{{\pict\wmetafile8 {hex}}}}}"),
        ("a.rtf", r"{{\rtf1 x{{\nonshppict{{\pict\pngblip {hex}}}}}}}"),
    ],
)
def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path, clip: Image.Image, name: str, content: str) -> None:
    svg = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg'><text>The salary.</text></svg>").decode()
    (tmp_path / name).write_text(
        content.format(svg=svg, png=data(clip), broken="iVBORw0KGgo" * 20, hex=packed(clip).hex())
    )
    assert {"image", "damaged_part"} & missed(read_all(tmp_path / name))


def test_ornaments_are_no_pictures_of_text(tmp_path: Path) -> None:
    dot = data(Image.new("L", (20, 20)))
    (tmp_path / "a.html").write_text(f"<p>x</p><img src='{dot}'>")
    (tmp_path / "a.md").write_text(f"x ![]({dot})")
    assert [missed(extract_file(tmp_path / name, name)) for name in ("a.html", "a.md")] == [set(), set()]


def test_readers_of_little_see_nothing_of_a_picture_in_a_message(
    alice: Person,
    cfo: Person,
    viewer: Person,
    steward: Person,
    contract: Contract,
    service: Scope,
    tmp_path: Path,
    clip: Image.Image,
) -> None:
    def asks(who: Person, file: str) -> tuple[int, bool]:
        """What the original answers, and whether the page says that a picture was not read."""
        page = who.client.get(f"{who.base}files/{file}/").content
        return who.api.get(f"/api/files/{file}/download/").status_code, b"There are pictures in this message" in page

    message(tmp_path / "a.eml", clip)
    file = ready(alice, contract, "a.eml", (tmp_path / "a.eml").read_bytes())
    assert SALARY in texts(cfo, file)
    assert SALARY not in texts(viewer, file)
    assert "[Financial]" in texts(viewer, file)
    allowed = {who: who.api.get(f"/api/files/{file}/download/").status_code for who in (cfo, viewer)}
    assert (allowed[cfo], allowed[viewer] == 200) == (200, False)
    unread = ready(alice, contract, "b.eml", (tmp_path / "a.eml").read_bytes(), strategy="text")
    assert [asks(who, unread) for who in (cfo, viewer, steward)] == [(200, True)] * 3, (
        "it inherits the labels beside it"
    )
    label(service, PLAIN, FINANCIAL)
    assert [asks(who, unread) for who in (cfo, viewer)] == [(200, True), (403, False)]
    with steward.scope.open():
        assert [item["code"] for item in File.objects.get(pk=unread).unaccounted] == ["image"]
