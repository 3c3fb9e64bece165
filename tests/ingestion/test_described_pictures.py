"""What describes a picture or a shape stands with the text that it hangs on, and so takes the label of that."""

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

from ingestion.documents import Extraction
from tests.ingestion.packages import exchange, part, read
from tests.ingestion.test_extract_more_formats import open_document as make_open_document

SAID = "Pay of Jane Doe, rising"
LINE = "<text:p>98,000</text:p>"
DRAWING = "xl/drawings/drawing1.xml"


@pytest.fixture
def picture(tmp_path: Path) -> str:
    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    return str(tmp_path / "a.png")


def list_texts(extraction: Extraction) -> list[str]:
    return [p.text for p in extraction.paragraphs if p.heading_path != ("Document properties",)]


def test_on_a_slide(picture: str, tmp_path: Path) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, 100, 100)
    box.text_frame.text = "98,000 a year"
    box._element.nvSpPr.cNvPr.set("descr", SAID)
    drawn = slide.shapes.add_picture(picture, 0, 0, Inches(2))
    drawn._element.nvPicPr.cNvPr.set("descr", "The crane at noon")
    cells = slide.shapes.add_table(2, 1, 0, 0, 100, 100)
    cells._element.nvGraphicFramePr.cNvPr.set("descr", "Pay by | role")
    for row, said in enumerate(("Role", "Clerk")):
        cells.table.cell(row, 0).text = said
    slide.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "After."
    deck.save(str(tmp_path / "a.pptx"))
    assert list_texts(read(tmp_path / "a.pptx", "a.pptx")) == [
        f"98,000 a year\n{SAID}",
        "The crane at noon",
        "| Role |\n| --- |\n| Clerk |\n| Pay by \\| role |",
        "After.",
    ]


@pytest.mark.parametrize(("place", "at"), [("B2", 1), ("E3", 1), ("B5", None), ("C7", 2), ("A30", None)])
def test_on_a_sheet(picture: str, tmp_path: Path, place: str, at: int | None) -> None:
    """at: the paragraph of the block on whose rows it lies; where there is none, it stands behind the sheet."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["Role", "Base"], ["Clerk", 98_000], ["Cook", 97_000], [], [], [], ["Site", "Rent"], ["Quay", 12]):
        sheet.append(row)
    drawn = openpyxl.drawing.image.Image(picture)
    drawn.width = drawn.height = 10
    sheet.add_image(drawn, place)
    book.save(tmp_path / "b.xlsx")
    told = part(tmp_path / "b.xlsx", DRAWING).replace('descr="Picture"', f'descr="{SAID}"')
    texts = list_texts(read(exchange(tmp_path / "b.xlsx", {DRAWING: told}), "a.xlsx"))
    assert [number for number, text in enumerate(texts) if SAID in text] == [3 if at is None else at]
    assert texts[3:] == ([SAID] if at is None else [])
    if at is not None:
        assert texts[at].splitlines()[-1] == f"| {SAID} |"


def frame(said: str = "") -> str:
    box = f"<draw:text-box><text:p>{said}</text:p></draw:text-box>" if said else ""
    return f"<draw:frame><svg:title>{SAID}</svg:title>{box}</draw:frame>"


def open_document(tmp_path: Path, name: str, kind: str, body: str) -> list[str]:
    path = make_open_document(tmp_path / name, kind, body)
    return list_texts(read(path, name))


def test_in_an_opendocument_text(tmp_path: Path) -> None:
    lines = (f"98,000 a year{frame()}", f"Before.{frame('97,000')}", "After.")
    texts = open_document(tmp_path, "a.odt", "text", "".join(f"<text:p>{line}</text:p>" for line in lines))
    assert texts == [f"98,000 a year\n{SAID}", "Before.", f"97,000\n{SAID}", "After."]


def test_on_an_opendocument_slide(tmp_path: Path) -> None:
    slide = f"<draw:page>{frame('98,000 a year')}{frame()}<draw:g>{frame('After.')}</draw:g></draw:page>"
    texts = open_document(tmp_path, "a.odp", "presentation", slide)
    assert texts == [f"98,000 a year\n{SAID}", SAID, f"After.\n{SAID}"]


def test_on_an_opendocument_sheet(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        inside = (f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
        return f"<table:table-row>{''.join(inside)}</table:table-row>"

    pay = [row("<text:p>Role</text:p>", "<text:p>Base</text:p>"), row("<text:p>Clerk</text:p>" + frame(), LINE), row()]
    rent = [row("<text:p>Site</text:p>", "<text:p>Rent</text:p>"), row("<text:p>Quay</text:p>", LINE)]
    sheet = f'<table:table table:name="Pay">{"".join(pay + rent)}</table:table>'
    name, first, second = open_document(tmp_path, "a.ods", "spreadsheet", sheet)
    assert first.splitlines()[-1] == f"| {SAID} |"
    assert SAID not in name + second
