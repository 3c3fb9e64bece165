"""Through the upload door: tables whole or cut between rows under their header, headings as the path of a section,
repeated margins that are no paragraphs, and pages that cost the others nothing."""

import html
import io
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pikepdf
import pptx
import pytest
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from entities.types import Contract
from ingestion.inline import process_all_waiting
from tests.conftest import Person
from tests.ingestion.helpers import ready, texts, upload
from tests.ingestion.packages import NAMESPACES, odt
from tests.ingestion.pdfs import LOREM, changed, draw, grid, line, prose
from tests.ingestion.scans import photographed, scan

pytestmark = pytest.mark.django_db(transaction=True)

HEADER = ["Berth", "Depth in metres", "Remarks of the harbour master"]
FEW, ROWS = 4, 44
OVER, UNDER = "Berths", "Soundings"


def body(count: int) -> list[list[str]]:
    return [[f"Berth {n}", str(100 + n), f"sounded by vessel {n} in the calm of the morning"] for n in range(count)]


def saved(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pdf(rows: list[list[str]], tmp_path: Path) -> bytes:
    def page(number: int) -> Callable[[Canvas], None]:
        def content(canvas: Canvas) -> None:
            top = 60.0
            if number == 0:
                line(canvas, 60, 60, OVER, 20, bold=True)
                prose(canvas, 60, 100, 470, LOREM)
                line(canvas, 60, 200, UNDER, 14, bold=True)
                top = 230
            grid(canvas, 30, top, [HEADER, *rows[20 * number : 20 * number + 20]], width=180)

        return content

    return draw(tmp_path / "a.pdf", *map(page, range(-(-len(rows) // 20)))).read_bytes()


def word(rows: list[list[str]], tmp_path: Path) -> bytes:
    document = docx.Document()
    document.add_heading(OVER, 1)
    document.add_heading(UNDER, 2)
    table = document.add_table(len(rows) + 1, 3)
    for cells, wanted in zip(table.rows, [HEADER, *rows], strict=True):
        for cell, text in zip(cells.cells, wanted, strict=True):
            cell.text = text
    return saved(document)


def workbook(rows: list[list[str]], tmp_path: Path) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = UNDER
    for row in [HEADER, *rows]:
        book.active.append(row)
    return saved(book)


def deck(rows: list[list[str]], tmp_path: Path) -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = UNDER
    table = slide.shapes.add_table(len(rows) + 1, 3, Inches(1), Inches(1), Inches(8), Inches(5)).table
    for place, wanted in enumerate([HEADER, *rows]):
        for column, text in enumerate(wanted):
            table.cell(place, column).text = text
    return saved(deck)


def page(rows: list[list[str]], tmp_path: Path) -> bytes:
    cells = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    head = "".join(f"<th>{cell}</th>" for cell in HEADER)
    return f"<!DOCTYPE html><h1>{OVER}</h1><h2>{UNDER}</h2><table><tr>{head}</tr>{cells}</table>".encode()


def marked(rows: list[list[str]], tmp_path: Path) -> bytes:
    lines = ["| " + " | ".join(row) + " |" for row in [HEADER, ["---"] * 3, *rows]]
    return "\n".join([f"# {OVER}", "", f"## {UNDER}", "", *lines]).encode()


def separated(rows: list[list[str]], tmp_path: Path) -> bytes:
    return "\n".join(";".join(row) for row in [HEADER, *rows]).encode()


def text(rows: list[list[str]], tmp_path: Path) -> bytes:
    cells = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in [HEADER, *rows]
    )
    headings = "".join(
        f"<text:h text:outline-level='{level}'>{name}</text:h>" for level, name in ((1, OVER), (2, UNDER))
    )
    stream = io.BytesIO()
    odt(stream, f"{headings}<table:table>{cells}</table:table>")
    return stream.getvalue()


def mail(rows: list[list[str]], tmp_path: Path) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Of the harbour"
    message.set_content(page(rows, tmp_path).decode(), subtype="html")
    return message.as_bytes()


BOTH = [OVER, UNDER]
# name → (what makes it, headings above the table)
FORMATS: dict[str, tuple[Callable[[list[list[str]], Path], bytes], list[str]]] = {
    "a.pdf": (pdf, BOTH),
    "a.docx": (word, BOTH),
    "a.xlsx": (workbook, [UNDER]),
    "a.pptx": (deck, [UNDER]),
    "a.html": (page, BOTH),
    "a.md": (marked, BOTH),
    "a.csv": (separated, []),
    "a.odt": (text, BOTH),
    "a.eml": (mail, BOTH),
}


def passages(person: Person, file: str, words: str) -> list[tuple[str, str]]:
    """(text, section) of the passages of a file that a search gives."""
    query = {"q": words, "kind": "file_chunk", "file": file, "limit": 50}
    return [(hit["text"], hit["section"]) for hit in person.api.get("/api/search/", query).json()["results"]]


def test_a_table_stays_whole_and_a_long_one_has_its_header_on_every_piece(
    subtests: pytest.Subtests, alice: Person, contract: Contract, tmp_path: Path
) -> None:
    files = {
        (name, rows): upload(alice, contract, f"{rows}-{name}", make(body(rows), tmp_path)).json()["id"]
        for name, (make, _) in FORMATS.items()
        for rows in (FEW, ROWS)
    }
    process_all_waiting(alice.scope.workspace)
    for name, (_, headings) in FORMATS.items():
        with subtests.test(name=name):
            short, long = files[name, FEW], files[name, ROWS]
            (whole,) = [found for found in passages(alice, short, "Berth sounded vessel") if "Berth 0" in found[0]]
            assert all(f"| Berth {n} | {100 + n} | " in whole[0] for n in range(FEW))
            assert all(heading in whole[1] for heading in headings), whole[1]
            shown = "\n".join(texts(alice, long))
            assert all(shown.count(f"| Berth {n} |") == 1 for n in range(ROWS)), "no row is lost or doubled"
            pieces = [found for found in passages(alice, long, "Berth sounded vessel") if "| Berth " in found[0]]
            assert len(pieces) > 1
            for piece, section in pieces:
                assert "| " + " | ".join(HEADER) + " |" in piece
                assert all(heading in section for heading in headings), section


MARGIN = "Port authority of Northmouth"


def running(number: int) -> Callable[[Canvas], None]:
    def content(canvas: Canvas) -> None:
        line(canvas, 60, 40, MARGIN, 11)
        prose(canvas, 60, 100, 470, f"Sheet {chr(65 + number)} tells of the quay. " + LOREM, 12)
        line(canvas, 290, 815, f"Page {number + 1}", 11)

    return content


def pdf_with_margins(tmp_path: Path) -> bytes:
    return draw(tmp_path / "b.pdf", *map(running, range(4))).read_bytes()


def scans_with_margins(tmp_path: Path) -> bytes:
    pages = [scan(photographed(tmp_path, running(n), 150)) for n in range(4)]
    return draw(tmp_path / "c.pdf", *pages).read_bytes()


def word_with_margins(tmp_path: Path) -> bytes:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = MARGIN
    document.sections[0].different_first_page_header_footer = True
    document.sections[0].first_page_header.paragraphs[0].text = MARGIN
    document.sections[0].footer.paragraphs[0].text = "Page 1"
    document.add_paragraph("Sheet A tells of the quay.")
    return saved(document)


def text_with_margins(tmp_path: Path) -> bytes:
    number = "<text:p>Page <text:page-number>1</text:page-number></text:p>"
    margins = "".join(
        f"<style:{where}><text:p>{MARGIN}</text:p>{number}</style:{where}>" for where in ("header", "footer")
    )
    stream = io.BytesIO()
    styles = f"<office:document-styles {NAMESPACES}><office:master-styles><style:master-page>{margins}"
    odt(
        stream,
        "<text:p>Sheet A tells of the quay.</text:p>",
        **{"styles.xml": f"{styles}</style:master-page></office:master-styles></office:document-styles>"},
    )
    return stream.getvalue()


# name → (what makes it, how many sheets it has)
MARGINS: dict[str, tuple[Callable[[Path], bytes], int]] = {
    "b.pdf": (pdf_with_margins, 4),
    "b.docx": (word_with_margins, 1),
    "b.odt": (text_with_margins, 1),
}


@pytest.mark.parametrize("name", [*MARGINS, pytest.param("scan.pdf", marks=pytest.mark.ocr)])
def test_what_every_page_repeats_is_no_paragraph_of_each(
    alice: Person, contract: Contract, tmp_path: Path, name: str
) -> None:
    make, sheets = MARGINS.get(name, (scans_with_margins, 4))
    read = texts(alice, ready(alice, contract, name, make(tmp_path)))
    assert sum("tells of the quay" in told for told in read) == sheets
    assert sum(MARGIN in told for told in read) == 1, read
    assert not [told for told in read if told.startswith("Page ")], read


def test_one_bad_page_does_not_cost_the_others(
    alice: Person, viewer: Person, contract: Contract, tmp_path: Path
) -> None:
    def spoil(pdf: pikepdf.Pdf) -> None:
        stream = pikepdf.Stream(pdf, b"")
        stream.write(b"\x78\x9cthis is not what it says", filter=pikepdf.Name.FlateDecode)
        pdf.pages[1].Contents = pdf.make_indirect(stream)

    path = changed(draw(tmp_path / "d.pdf", *map(running, range(3))), spoil)
    file = ready(alice, contract, "d.pdf", path.read_bytes())
    told = "\n".join(texts(alice, file))
    assert "Sheet A tells" in told
    assert "Sheet C tells" in told
    assert passages(alice, file, "Sheet C tells of the quay")
    assert viewer.api.get(f"/api/files/{file}/download/").status_code != 200, "what nobody read is for stewards"
