"""A presentation gives each slide as a page with its title as heading, and names what its slides do not show."""

from pathlib import Path

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from ingestion.extract import extract_file
from ingestion.sandbox import Limits, Quarantined
from tests.ingestion.packages import codes, exchange, part, read, remains, shape

SLIDE = "ppt/slides/slide1.xml"


@pytest.fixture
def deck():
    deck = pptx.Presentation()
    deck.core_properties.title = deck.core_properties.author = ""
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Berths in 2026"
    slide.placeholders[1].text = "Quay seven is closed\nQuay eight opens"
    return deck


def saved(deck, tmp_path: Path) -> Path:
    deck.save(tmp_path / "upload")
    return tmp_path / "upload"


def missed(path: Path) -> set[tuple[str, int | None]]:
    return {(item.code, item.page) for item in read(path, "a.pptx").unaccounted}


def test_titles_points_tables_and_boxes_by_slide(deck, tmp_path: Path) -> None:
    second = deck.slides.add_slide(deck.slide_layouts[6])  # without a title
    box = second.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1)).text_frame
    box.text = "A box"
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "In a group"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1)).table
    for place, text in enumerate(["Role", "Base | pay", "Clerk", "30,000"]):
        table.cell(place // 2, place % 2).text = text
    extraction = read(saved(deck, tmp_path), "a.pptx")
    assert [(p.page, *rest) for p, rest in zip(extraction.paragraphs, shape(extraction), strict=True)] == [
        (1, "heading", (), "Berths in 2026"),
        (1, "list", ("Berths in 2026",), "Quay seven is closed"),
        (1, "list", ("Berths in 2026",), "Quay eight opens"),
        (2, "text", (), "A box"),
        (2, "text", (), "In a group"),
        (2, "table", (), "| Role | Base \\| pay |\n| --- | --- |\n| Clerk | 30,000 |"),
    ]
    assert (extraction.pages, codes(extraction)) == (2, set())


def test_footers_are_told_once_and_numbers_of_slides_never(deck, tmp_path: Path) -> None:
    footer = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="f"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        "<p:spPr/><p:txBody><a:bodyPr/><a:p>{text}</a:p></p:txBody></p:sp>"
    )
    both = footer.format(id=90, kind="ftr", text="<a:r><a:t>Strictly private</a:t></a:r>") + footer.format(
        id=91, kind="sldNum", text='<a:fld id="{0}" type="slidenum"><a:t>7</a:t></a:fld>'
    )
    deck.slides.add_slide(deck.slide_layouts[6])
    path = saved(deck, tmp_path)
    changes = {
        f"ppt/slides/slide{n}.xml": part(path, f"ppt/slides/slide{n}.xml").replace("</p:spTree>", f"{both}</p:spTree>")
        for n in (1, 2)
    }
    text = read(exchange(path, changes), "a.pptx").text
    assert text.count("Strictly private") == 1
    assert "7" not in text


def test_notes_and_hidden_slides_are_read_and_pictures_named(deck, tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    first = deck.slides[0]
    first.notes_slide.notes_text_frame.text = "Jane earns 98,000"
    picture = first.shapes.add_picture(str(tmp_path / "a.png"), 0, 0, Inches(2))
    picture._element.nvPicPr.cNvPr.set("descr", "The crane at noon")
    data = CategoryChartData()
    data.categories = ["Jane"]
    data.add_series("Pay", [98000])
    second = deck.slides.add_slide(deck.slide_layouts[6])
    second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(2), Inches(2), data)
    hidden = second.shapes.add_textbox(0, 0, 100, 100)
    hidden.text_frame.text = "Jane earns 98,000"
    hidden._element.nvSpPr.cNvPr.set("hidden", "1")
    third = deck.slides.add_slide(deck.slide_layouts[5])
    third.shapes.title.text = "Dismissal of Jane 98,000"
    third._element.set("show", "0")
    fourth = deck.slides.add_slide(deck.slide_layouts[6])
    fourth.shapes.add_picture(str(tmp_path / "a.png"), 0, 0, Pt(20))  # the same again, as an ornament
    extraction = read(saved(deck, tmp_path), "a.pptx")
    assert {(item.code, item.page) for item in extraction.unaccounted} == {
        ("image", 1),
        ("thumbnail", None),
    }
    told = [(p.page, p.heading_path, p.text) for p in extraction.paragraphs if "98,000" in p.text]
    assert told == [
        (1, ("Notes",), "Jane earns 98,000"),
        (3, (), "Dismissal of Jane 98,000"),
    ]
    assert "The crane at noon" in extraction.text


def test_addresses_and_hints_of_links_are_text(deck, tmp_path: Path) -> None:
    run = deck.slides[0].placeholders[1].text_frame.paragraphs[0].runs[0]
    run.hyperlink.address = "https://example.org/jane"
    run.font._element.hlinkClick.set("tooltip", "Her file")
    extraction = read(saved(deck, tmp_path), "a.pptx")
    assert extraction.paragraphs[-1].text == "Links: Her file, https://example.org/jane"


def test_descriptions_of_everything_that_is_drawn_are_text(deck, tmp_path: Path) -> None:
    slide = deck.slides[0]
    slide.shapes.add_table(1, 1, 0, 0, 100, 100)._element.nvGraphicFramePr.cNvPr.set("descr", "Pay by role")
    group = slide.shapes.add_group_shape()
    group._element.nvGrpSpPr.cNvPr.set("title", "The team")
    group.shapes.add_textbox(0, 0, 100, 100)._element.nvSpPr.cNvPr.set("descr", "Who leaves")
    hidden = slide.shapes.add_textbox(0, 0, 100, 100)._element.nvSpPr.cNvPr
    hidden.set("hidden", "1")
    hidden.set("descr", "Jane")
    for layout in deck.slide_layouts:
        layout.shapes._spTree.nvGrpSpPr.cNvPr.set("descr", "On every slide")
    extraction = read(saved(deck, tmp_path), "a.pptx")
    told = [(p.page, p.text) for p in extraction.paragraphs][3:]
    assert told == [(1, "Pay by role"), (1, "Who leaves"), (1, "The team"), (None, "On every slide")], "a group last"
    assert "Jane" in extraction.remainder


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ppt/embeddings/sheet.xlsx", "embedded_object"),
        ("ppt/vbaProject.bin", "macros"),
        ("ppt/media/left.png", "image"),
        ("ppt/somethingNew.bin", "unknown_part"),
        ("ppt/diagrams/data1.xml", None),
        ("ppt/slides/slide77.xml", None),
    ],
)
def test_every_other_part_of_the_package_is_named_or_swept(deck, tmp_path: Path, name: str, code: str | None) -> None:
    content = "\0\1\2" if code else "<c><text>Jane Doe</text></c>"
    extraction = read(exchange(saved(deck, tmp_path), {name: content}), "a.pptx")
    assert codes(extraction) >= ({code} if code else set())
    assert code or remains(extraction, "Jane Doe")


def test_a_damaged_slide_costs_the_others_nothing(deck, tmp_path: Path) -> None:
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Still here"
    path = exchange(saved(deck, tmp_path), {SLIDE: "<p:sld><broken"})
    extraction = read(path, "a.pptx")
    assert [(p.text, p.page) for p in extraction.paragraphs] == [("Still here", 2)]
    assert ("page_failed", 1) in {(item.code, item.page) for item in extraction.unaccounted}


def test_no_slides_too_many_and_blank_ones(deck, tmp_path: Path) -> None:
    def refused(document, limits: Limits | None = None) -> str:
        with pytest.raises(Quarantined) as caught:
            extract_file(saved(document, tmp_path), "a.pptx", limits=limits)
        return caught.value.code

    blank = pptx.Presentation()
    blank.core_properties.title = blank.core_properties.author = ""
    assert refused(blank) == "no_pages"
    blank.slides.add_slide(blank.slide_layouts[6])
    assert refused(blank) == "empty"
    assert refused(blank, Limits(pages=0)) == "too_many_pages"
