"""What is read of workbooks, slides, OpenDocument, Rich Text and messages against what they hold (docs/adr/0033)."""

import io
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import openpyxl
import pptx
import pytest
from pptx.util import Inches

from entities.types import Contract
from ingestion.documents import ParagraphText
from ingestion.extract import extract_file
from ingestion.inline import process_all_waiting
from tests.conftest import Person
from tests.ingestion.helpers import texts, upload
from tests.ingestion.losing import Loses, found, without
from tests.ingestion.packages import odt

WORK = "The work on the quay begins when the permit is there, and ends before the first storm of the winter."
CREW = "The crew of the crane sleeps on board of the pontoon, and goes ashore when the tide lets it."
CELLS = [["Part of the quay", "Hours of the crew"], ["Sheet piling", "forty"], ["Crane mats", "twelve"]]


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Plan of the quay"
    for row in [*CELLS, [], [WORK], [CREW]]:
        book.active.append(row)
    book.create_sheet("Tides").append([CREW])
    return saved(book)


def slides() -> bytes:
    deck = pptx.Presentation()
    for title in ("Plan of the quay", "Tides"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        box = slide.shapes.add_textbox(Inches(1), Inches(3), Inches(8), Inches(2))
        box.text_frame.text = f"{WORK}\n{CREW}\n{WORK}\n{CREW}"
    table = deck.slides[0].shapes.add_table(3, 2, Inches(1), Inches(1), Inches(8), Inches(1)).table
    for place, row in enumerate(CELLS):
        for column, text in enumerate(row):
            table.cell(place, column).text = text
    return saved(deck)


def open_document() -> bytes:
    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell><text:p>{c}</text:p></table:table-cell>' for c in row)}"
        "</table:table-row>"
        for row in CELLS
    )
    head = "<text:h text:outline-level='1'>Plan of the <text:span>quay</text:span></text:h>"
    stream = io.BytesIO()
    odt(stream, f"{head}<text:p>{WORK}</text:p><text:p>{CREW}</text:p><table:table>{cells}</table:table>")
    return stream.getvalue()


def rich_text() -> bytes:
    ends = "\\cell "
    rows = "".join(f"\\trowd\\cellx3000\\cellx6000 {ends.join([*row, ''])}\\row\n" for row in CELLS)
    words = f"{{\\b {WORK[:20]}}}{WORK[20:]}\\par {CREW}\\par caf\\'e9 na\\u239?ve\\par "
    fonts = "{\\fonttbl{\\f0 Helvetica Neue Condensed;}}"
    return f"{{\\rtf1\\ansi{fonts}{{\\*\\generator Somebody}}{words}{rows}\\pard {CREW}\\par}}".encode()


def message() -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Plan of the quay", "harbour@example.org", "crew@example.org"
    mail.set_content(f"{WORK}\n\n{CREW}\n")
    rows = "".join(f"<tr>{''.join(f'<th>{cell}</th>' for cell in row)}</tr>" for row in CELLS)
    mail.add_alternative(f"<p>{WORK}</p><p>{CREW}</p><table>{rows}</table>", subtype="html")
    mail.add_attachment(b"Tide,Hour\nhigh,six\n", maintype="text", subtype="csv", filename="tides.csv")
    return mail.as_bytes()


def saved(document: object) -> bytes:
    stream = io.BytesIO()
    document.save(stream)  # type: ignore[attr-defined]
    return stream.getvalue()


MADE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "plan.xlsx": (workbook, {"headings", "tables", "words"}),
    "plan.pptx": (slides, {"headings", "tables", "words", "pages"}),
    "plan.odt": (open_document, {"headings", "tables", "words"}),
    "plan.rtf": (rich_text, {"tables", "words"}),
    "plan.eml": (message, {"tables", "words"}),
}
LOST: dict[str, Callable[[ParagraphText], bool]] = {
    "headings": lambda p: p.kind == "heading" and p.text == "Plan of the quay",
    "tables": lambda p: p.kind == "table",
    "words": lambda p: CREW in p.text,
    "pages": lambda p: p.page == 2 and p.kind != "heading",
}


@pytest.mark.parametrize("name", MADE)
def test_what_a_reader_loses_is_found(name: str, tmp_path: Path) -> None:
    make, counted = MADE[name]
    path = tmp_path / name
    path.write_bytes(make())
    read = extract_file(path, name)
    assert found(path, read) == set()
    for code in counted:
        assert code in found(path, without(read, LOST[code])), code


def test_a_lossy_reading_is_quarantined_and_a_whole_one_is_ready(
    subtests: pytest.Subtests, alice: Person, staff: Person, viewer: Person, contract: Contract, loses: Loses
) -> None:
    def send(who: Person, start: str) -> dict[str, str]:
        sent = {name: upload(who, contract, f"{start}{name}", make()).json()["id"] for name, (make, _) in MADE.items()}
        process_all_waiting(alice.scope.workspace)
        return sent

    whole = send(alice, "")
    loses(LOST["words"])
    broken = send(staff, "lossy-")
    for name in MADE:
        with subtests.test(name=name):
            shown = alice.api.get(f"/api/files/{whole[name]}/").json()
            assert shown["state"] == "ready", shown
            assert any(CREW in text for text in texts(viewer, whole[name]))
            at = f"/api/files/{broken[name]}/"
            told = staff.api.get(at).json()
            assert (told["state"], told["error"]["code"]) == ("quarantined", "drift")
            assert "are missing in what was read" in told["error"]["detail"]
            assert "crane" not in told["error"]["detail"], "figures, and no word of the text"
            assert "missing" not in viewer.api.get(at).json()["error"]["detail"]
            assert viewer.api.get(f"{at}reader/").status_code == 404


def test_what_is_hidden_or_damaged_is_not_counted_against_a_reader(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook()))
    book["Tides"].sheet_state = "hidden"
    book["Plan of the quay"].row_dimensions[2].hidden = True
    deck = pptx.Presentation(io.BytesIO(slides()))
    deck.slides[1]._element.set("show", "0")
    deck.slides[0].shapes.title._element.nvSpPr.cNvPr.set("hidden", "1")
    for name, document in (("hidden.xlsx", book), ("hidden.pptx", deck)):
        path = tmp_path / name
        path.write_bytes(saved(document))
        assert found(path, extract_file(path, name)) == set(), name
    style = "<style:style style:name='gone'><style:text-properties text:display='none'/></style:style>"
    path = tmp_path / "hidden.odt"
    odt(path, f"<text:h text:style-name='gone' text:outline-level='1'>Plan</text:h><text:p>{WORK}</text:p>", style)
    assert found(path, extract_file(path, path.name)) == set()
