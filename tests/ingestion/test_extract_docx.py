"""A Word document gives its text in order, and names what it holds beside it."""

import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ingestion.documents import Extraction
from ingestion.extract.inside import extract
from tests.ingestion.packages import remains


def read(document, tmp_path: Path) -> Extraction:
    path = tmp_path / "upload"
    document.save(path)
    extraction = extract(path, "letter.docx")
    for paragraph in extraction.paragraphs:
        assert extraction.text[paragraph.start : paragraph.end] == paragraph.text
    return extraction


def codes(extraction: Extraction) -> set[str]:
    return {item.code for item in extraction.unaccounted} - {"thumbnail"}  # of the template of python-docx


def append(document, xml: str) -> None:
    document.element.body.insert(
        len(document.element.body) - 1, parse_xml(xml.replace("<w:p", f"<w:p {nsdecls('w')}", 1))
    )


@pytest.fixture
def letter():
    document = docx.Document()
    document.core_properties.author = ""
    document.add_heading("Handbook", 0)
    document.add_heading("Leave", 1)
    document.add_paragraph("Everybody has thirty days of paid leave in a year.")
    return document


def test_headings_lists_and_tables_in_order(letter, tmp_path: Path) -> None:
    letter.add_paragraph("ask your manager", style="List Bullet")
    letter.add_heading("Pay", 2)
    table = letter.add_table(2, 2)
    for place, text in enumerate(["Role", "Base | pay", "Clerk", "30,000"]):
        table.cell(place // 2, place % 2).text = text
    letter.add_heading("Travel", 1)
    letter.add_paragraph("By train.")
    extraction = read(letter, tmp_path)
    assert [(p.kind, p.text, p.heading_path) for p in extraction.paragraphs] == [
        ("heading", "Handbook", ()),
        ("heading", "Leave", ("Handbook",)),
        ("text", "Everybody has thirty days of paid leave in a year.", ("Handbook", "Leave")),
        ("list", "ask your manager", ("Handbook", "Leave")),
        ("heading", "Pay", ("Handbook", "Leave")),
        ("table", "| Role | Base \\| pay |\n| --- | --- |\n| Clerk | 30,000 |", ("Handbook", "Leave", "Pay")),
        ("heading", "Travel", ("Handbook",)),
        ("text", "By train.", ("Handbook", "Travel")),
    ]
    assert codes(extraction) == set()
    assert extraction.pages is None


def test_text_in_controls_boxes_and_insertions_is_read(letter, tmp_path: Path) -> None:
    append(letter, "<w:p><w:r><w:t>Kept </w:t></w:r><w:ins><w:r><w:t>added</w:t></w:r></w:ins></w:p>")
    append(
        letter,
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>In a control</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    )
    append(
        letter,
        "<w:p><w:r><w:t>Outside</w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p>"
        "</w:txbxContent></w:pict></w:r></w:p>",
    )
    found = [p.text for p in read(letter, tmp_path).paragraphs]
    assert found[-4:] == ["Kept added", "In a control", "Outside", "In a box"]


def test_what_was_deleted_is_of_the_remainder(letter, tmp_path: Path) -> None:
    append(
        letter, "<w:p><w:r><w:t>Stays</w:t></w:r><w:del><w:r><w:delText>Jane: 98,000</w:delText></w:r></w:del></w:p>"
    )
    assert remains(read(letter, tmp_path), "Jane: 98,000")


def test_hidden_text_is_of_the_remainder(letter, tmp_path: Path) -> None:
    run = letter.add_paragraph("Seen. ").add_run("Jane: 98,000")
    run.font.hidden = True
    assert remains(read(letter, tmp_path), "Jane: 98,000")


def test_headers_and_comments_are_read_and_pictures_named(letter, tmp_path: Path) -> None:
    from PIL import Image

    letter.sections[0].header.paragraphs[0].text = "Salary file"
    letter.add_comment(letter.paragraphs[-1].runs, text="Jane earns 98,000")
    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    letter.add_picture(str(tmp_path / "a.png"))
    extraction = read(letter, tmp_path)
    assert codes(extraction) == {"image"}
    found = [(p.heading_path, p.text) for p in extraction.paragraphs]
    assert (("Page margins",), "Salary file") in found
    assert (("Comments",), "Jane earns 98,000") in found


@pytest.mark.parametrize(("footer", "read_too"), [
    ("Page 3", False), ("- 3 -", False), ("Seite 3 von 12", False), ("Page 3: Jane", True), ("4711", True),
    ("3 of 12", True),
])  # fmt: skip
def test_a_margin_that_is_only_a_page_number_is_no_paragraph(
    letter, tmp_path: Path, footer: str, read_too: bool
) -> None:
    letter.sections[0].footer.paragraphs[0].text = footer
    letter.add_comment(letter.paragraphs[-1].runs, text="7")
    found = [(p.heading_path, p.text) for p in read(letter, tmp_path).paragraphs]
    assert ((("Page margins",), footer) in found) == read_too
    assert (("Comments",), "7") in found, "only margins have numbers of pages"


def test_an_empty_header_hides_nothing(letter, tmp_path: Path) -> None:
    letter.sections[0].header.is_linked_to_previous = False
    assert codes(read(letter, tmp_path)) == set()


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("word/embeddings/sheet.xlsx", "embedded_object"),
        ("word/vbaProject.bin", "macros"),
        ("word/somethingNew.bin", "unknown_part"),
        ("word/charts/chart1.xml", None),
        ("customXml/item9.xml", None),
    ],
)
def test_every_other_part_of_the_package_is_named_or_swept(letter, tmp_path: Path, part: str, code: str | None) -> None:
    path = tmp_path / "upload"
    letter.save(path)
    content = b"\0\1\2" if code else b"<a><b>a note</b></a>"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(part, content)
    extraction = extract(path, "letter.docx")
    assert {item.code for item in extraction.unaccounted} - {"thumbnail"} == ({code} if code else set())
    assert code or remains(extraction, "a note")


def test_properties_are_text(letter, tmp_path: Path) -> None:
    letter.core_properties.subject = "Severance of John"
    last = read(letter, tmp_path).paragraphs[-1]
    assert (last.text, last.heading_path) == ("Subject: Severance of John", ("Document properties",))


def test_a_table_within_a_table_and_one_that_is_only_a_frame(letter, tmp_path: Path) -> None:
    outer = letter.add_table(2, 2)
    outer.cell(0, 0).text = "Outer"
    inner = outer.cell(1, 1).add_table(1, 1)
    inner.cell(0, 0).text = "Inner"
    frame = letter.add_table(1, 1)
    frame.cell(0, 0).text = "Framed text"
    extraction = read(letter, tmp_path)
    assert [p.kind for p in extraction.paragraphs[-2:]] == ["table", "text"]
    assert extraction.text.count("Inner") == 1
    assert extraction.paragraphs[-1].text == "Framed text"
