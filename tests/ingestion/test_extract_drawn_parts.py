"""Charts, diagrams and shapes are read with their values, and Office files in Office files as their own readers do."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from ingestion.extract.inside import extract
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.packages import exchange, related, word

SHAPE = "http://schemas.openxmlformats.org/drawingml/2006"


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of two slides, with a chart and the workbook behind it on the second."""
    path = tmp_path_factory.mktemp("deck") / "deck.pptx"
    made = pptx.Presentation()
    for title in ("Opening", "Wages"):
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = title
    data = CategoryChartData()
    data.categories = ["Quay", "Crane"]
    data.add_series("Hours", (40.5, 12))
    box = (Inches(1), Inches(2), Inches(6), Inches(4))
    chart = made.slides[1].shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *box, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Hours of the crew"
    made.save(path)
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".xlsx"))
        book = openpyxl.load_workbook(io.BytesIO(archive.read(name)))
    book.create_sheet("Notes").append(["Mary earns 93,500"])
    stream = io.BytesIO()
    book.save(stream)
    return exchange(path, {name: stream.getvalue()})


def test_a_chart_has_its_title_and_its_values_on_its_page(deck: Path) -> None:
    extraction = extract(deck, deck.name)
    drawn = [
        (one.kind, one.text, one.page) for one in extraction.paragraphs if one.heading_path == ("Charts and diagrams",)
    ]
    assert drawn == [
        ("text", "Hours of the crew", 2),
        ("table", "| | Hours |\n| --- | --- |\n| Quay | 40.5 |\n| Crane | 12 |", 2),
    ]


def test_the_workbook_behind_a_chart_is_read_and_what_the_chart_says_is_not_told_again(deck: Path) -> None:
    extraction = extract(deck, deck.name)
    within = [one.text for one in extraction.paragraphs if one.heading_path == ("Embedded files",)]
    assert "Mary earns 93,500" in within
    assert not any("Quay" in text for text in within)
    assert "embedded_object" not in {one.code for one in extraction.unaccounted}


@pytest.mark.parametrize("content", [b"no workbook", b"PK\x03\x04 broken"])
def test_an_embedded_file_that_cannot_be_read_is_on_record(deck: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.pptx"
    path.write_bytes(deck.read_bytes())
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".xlsx"))
    extraction = extract(exchange(path, {name: content}), path.name)
    assert "Wages" in extraction.text
    assert "embedded_object" in {one.code for one in extraction.unaccounted}


def test_files_in_files_in_files_are_not_read_and_a_bomb_among_them_costs_nothing_else(tmp_path: Path) -> None:
    def paragraph(text: str) -> str:
        return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"

    streams = [io.BytesIO() for _ in range(3)]
    word(streams[0], paragraph("deepest"))
    for outer, inner, text in ((streams[1], streams[0], "within"), (streams[2], streams[1], "outside")):
        word(outer, paragraph(text), {"word/embeddings/a.docx": inner.getvalue()})  # type: ignore[dict-item]
    path = tmp_path / "a.docx"
    path.write_bytes(streams[2].getvalue())
    extraction = extract(path, path.name)
    assert [one.text for one in extraction.paragraphs] == ["outside", "within"]
    assert "embedded_object" in {one.code for one in extraction.unaccounted}
    bomb = io.BytesIO()
    word(bomb, paragraph("x" * 400_000))
    exchange(path, {"word/embeddings/a.docx": bomb.getvalue()})
    bounds = Limits(inflated_bytes=1 << 20)
    extraction = extract(path, path.name, limits=bounds)
    assert [one.text for one in extraction.paragraphs] == ["outside"]
    assert "embedded_object" in {one.code for one in extraction.unaccounted}
    with pytest.raises(Quarantined):
        extract(path, path.name, limits=Limits(inflated_bytes=1 << 10))


def test_shapes_on_a_sheet_are_read_wherever_their_part_lies(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["cell"])
    book.save(path)
    shape = (
        f'<xdr:wsDr xmlns:xdr="{SHAPE}/spreadsheetDrawing" xmlns:a="{SHAPE}/main"><xdr:sp><xdr:txBody>'
        "<a:p><a:r><a:t>Ask </a:t></a:r><a:r><a:t>first</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    parts = {
        "shapes/one.xml": shape,
        "xl/worksheets/_rels/sheet1.xml.rels": related(("d", "drawing", "../../SHAPES/one.xml")),
    }
    extraction = extract(exchange(path, parts), path.name)
    assert ("Ask first", ("Charts and diagrams",)) in [(one.text, one.heading_path) for one in extraction.paragraphs]
