"""A PDF gives its text in reading order with places, headings and tables, and says what it could not read."""

from pathlib import Path

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from ingestion import drift
from ingestion.boxes import Boxes
from ingestion.documents import Extraction
from ingestion.sandbox import Progress
from tests.ingestion.extracted import missed, read, report, texts, the
from tests.ingestion.pdfs import LOREM, changed, draw, grid, line, prose


def test_headings_paragraphs_and_places(tmp_path: Path) -> None:
    extraction = read(draw(tmp_path / "a.pdf", report))
    assert [(p.kind, p.heading_path) for p in extraction.paragraphs] == [
        ("heading", ()),
        ("text", ("Annual report",)),
        ("heading", ("Annual report",)),
        ("text", ("Annual report", "Payroll")),
        ("heading", ("Annual report",)),
        ("text", ("Annual report", "Outlook")),
    ]
    assert extraction.paragraphs[1].text == LOREM.strip()
    assert (extraction.media_type, extraction.pages, extraction.strategy) == ("application/pdf", 1, "text")
    assert {paragraph.lang for paragraph in extraction.paragraphs} == {"en"}
    assert missed(extraction) == set()
    title = extraction.paragraphs[0].boxes[0]
    assert (title.page, title.start, title.end) == (1, 0, 6)
    assert title.x0 == pytest.approx(60, abs=2)
    assert title.y1 == pytest.approx(90, abs=6)
    assert 70 < title.y0 < 80


def test_places_follow_rotation_and_crop(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", lambda canvas: line(canvas, 100, 200, "Turned text stands here"))

    def turn(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].cropbox = pikepdf.Array([50, 0, 595, 842])
        pdf.pages[0].rotate(90, relative=False)

    box = read(changed(path, turn)).paragraphs[0].boxes[0]
    # A quarter turn clockwise: what was 200 from the top is now that far from the right edge (842 wide).
    assert box.x0 == pytest.approx(842 - 200, abs=9)
    assert box.y0 == pytest.approx(100 - 50, abs=3)


def test_every_word_of_a_crowded_page_has_its_place(tmp_path: Path) -> None:
    drawn = {f"{column}-{row}": (20 + 45 * column, 20 + 8 * row) for row in range(100) for column in range(12)}

    def page(canvas: Canvas) -> None:
        for word, (x, base) in drawn.items():
            line(canvas, x, base, word, 4)

    found = read(draw(tmp_path / "a.pdf", page))
    boxes = {paragraph.text[b.start : b.end]: b for paragraph in found.paragraphs for b in paragraph.boxes}
    assert boxes.keys() == drawn.keys()
    for word, (x, base) in drawn.items():
        assert (boxes[word].x0, boxes[word].y1) == (pytest.approx(x, abs=0.6), pytest.approx(base, abs=0.6))


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, 60, 80, "A title across both columns of the page", 18, bold=True)
        prose(canvas, 60, 120, 220, "Left begins. " + LOREM + "Left ends.")
        prose(canvas, 310, 120, 220, "Right begins. " + LOREM + "Right ends.")
        prose(
            canvas, 60, 500, 470, "Below both columns there is a line that goes over the whole width of the page again."
        )

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", page))))
    places = [
        found.index(part) for part in ("A title", "Left begins", "Left ends", "Right begins", "Right ends", "Below")
    ]
    assert places == sorted(places)


def test_unruled_entries_beside_each_other_are_read_line_by_line(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        for row, (name, value) in enumerate([("Rent", "1,200"), ("Power", "300"), ("Water", "90"), ("Gas", "75")]):
            line(canvas, 60, 100 + 14 * row, name)
            line(canvas, 400, 100 + 14 * row, value)

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ")
    assert found == "Rent 1,200 Power 300 Water 90 Gas 75"


def test_words_parted_at_the_end_of_a_line(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, 60, 100, "The parties agree on a con-")
        line(canvas, 60, 112, "tract with a clause of non-")
        line(canvas, 60, 124, "Compete kind.")

    found = read(draw(tmp_path / "a.pdf", page))
    assert texts(found) == ["The parties agree on a contract with a clause of non-Compete kind."]


def test_a_ruled_table_becomes_markdown_with_a_place_for_every_word(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        grid(
            canvas,
            60,
            160,
            [["Role", "Base pay", "Bonus"], ["Clerk", "30,000", "1,000"], ["Chief | acting", "90,000", ""]],
        )
        prose(canvas, 60, 260, 470, "After the table. " + LOREM)

    extraction = read(draw(tmp_path / "a.pdf", page))
    table = the(extraction, "|")
    assert table.kind == "table"
    assert table.text.split("\n") == [
        "| Role | Base pay | Bonus |",
        "| --- | --- | --- |",
        "| Clerk | 30,000 | 1,000 |",
        "| Chief \\| acting | 90,000 | |",
    ]
    assert {table.text[box.start : box.end] for box in table.boxes} >= {"Base", "30,000", "acting"}
    assert extraction.strategy == "layout"
    assert [p.kind for p in extraction.paragraphs] == ["text", "table", "text"]
    plain = read(tmp_path / "a.pdf", strategy="text")
    assert plain.strategy == "text"
    assert not [p for p in plain.paragraphs if p.kind == "table"]
    assert "30,000" in plain.text


PARTIES = [("Landlord", "Quay House Ltd"), ("Tenant", "Osric Vane"), ("Deposit", "three months' rent, in advance")]


@pytest.mark.parametrize("above", ["Item Content", "The parties of this lease of the house"])
def test_rows_with_rules_between_them_are_a_table_and_a_sentence_above_is_not(tmp_path: Path, above: str) -> None:
    def page(canvas: Canvas) -> None:
        head = above.split() if len(above.split()) == 2 else [above]
        for x, text in zip((60, 200), head, strict=False):
            line(canvas, x, 96, text)
        for row, cells in enumerate(PARTIES):
            canvas.line(60, 842 - 100 - 20 * row, 500, 842 - 100 - 20 * row)
            for x, text in zip((60, 200), cells, strict=True):
                line(canvas, x, 114 + 20 * row, text)
        canvas.line(60, 842 - 160, 500, 842 - 160)
        prose(canvas, 60, 190, 440, LOREM)

    found = read(draw(tmp_path / "a.pdf", page))
    rows = [row for row in the(found, "|").text.split("\n") if "---" not in row]
    assert rows[-3:] == [f"| {label} | {value} |" for label, value in PARTIES]
    assert rows[:-3] == (["| Item | Content |"] if above == "Item Content" else [])
    assert len(found.paragraphs) == (2 if above == "Item Content" else 3)


def test_columns_of_prose_between_rules_are_no_table(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        for row in range(3):
            canvas.line(60, 742 - 80 * row, 520, 742 - 80 * row)
            for x in (60, 300):
                prose(canvas, x, 115 + 80 * row, 215, LOREM)
        canvas.line(60, 742 - 240, 520, 742 - 240)

    assert not [p for p in read(draw(tmp_path / "a.pdf", page)).paragraphs if p.kind == "table"]


@pytest.mark.parametrize("printed_again", [True, False])
def test_a_table_over_two_pages_has_its_header_on_both(tmp_path: Path, printed_again: bool) -> None:
    header = ["Day", "Hours", "Site"]

    def first(canvas: Canvas) -> None:
        prose(canvas, 60, 90, 470, LOREM)
        grid(canvas, 60, 600, [header, ["Monday", "8", "North"], ["Tuesday", "7", "South"]])

    def second(canvas: Canvas) -> None:
        rows = [["Friday", "6", "East"], ["Sunday", "2", "West"]]
        grid(canvas, 60, 60, [header, *rows] if printed_again else rows)
        prose(canvas, 60, 300, 470, LOREM)

    tables = [p for p in read(draw(tmp_path / "a.pdf", first, second)).paragraphs if p.kind == "table"]
    assert [table.page for table in tables] == [1, 2]
    assert {table.text.split("\n")[0] for table in tables} == {"| Day | Hours | Site |"}
    assert tables[1].text.count("Day") == 1
    assert "Friday" in tables[1].text
    assert {box.page for box in tables[1].boxes} == {2}


def test_running_headers_stand_once_with_all_their_places_and_page_numbers_never(tmp_path: Path) -> None:
    def page(number: int):
        def content(canvas: Canvas) -> None:
            line(canvas, 60, 40, f"Acme handbook, page {number} of 6", 8)
            prose(canvas, 60, 100, 470, f"Text of sheet {chr(64 + number)}. " + LOREM)
            line(canvas, 290, 815, str(number), 8)

        return content

    extraction = read(draw(tmp_path / "a.pdf", *map(page, range(1, 7))))
    headers = [p for p in extraction.paragraphs if p.text.startswith("Acme")]
    assert len(headers) == 1
    assert {box.page for box in headers[0].boxes} == {1, 2, 3, 4, 5, 6}
    assert not [p for p in extraction.paragraphs if p.text.strip().isdigit()]
    assert len(extraction.paragraphs) == 7


@pytest.mark.parametrize("header", ["Part 2: page {}", "Page {} of the lease", "{} | Harbour lease", "Lease, p. {}"])
def test_a_running_header_keeps_its_words_where_its_numbers_grow(tmp_path: Path, header: str) -> None:
    def page(number: int):
        def content(canvas: Canvas) -> None:
            line(canvas, 60, 40, header.format(number), 8)
            prose(canvas, 60, 100, 470, f"Text of sheet {chr(64 + number)}. " + LOREM)

        return content

    extraction = read(draw(tmp_path / "a.pdf", *map(page, range(8, 14))))
    (running,) = [p for p in extraction.paragraphs if p.text == header.format(8)]
    words = running.text.split()
    assert [running.text[box.start : box.end] for box in running.boxes] == words * 6
    assert [box.page for box in running.boxes] == [page for page in range(1, 7) for _ in words]
    assert not list(drift.find_own_losses(extraction))


def test_a_header_that_says_something_else_on_a_page_stays(tmp_path: Path) -> None:
    def page(number: int, pay: str):
        def content(canvas: Canvas) -> None:
            line(canvas, 60, 40, f"Pay of this month: {pay}", 8)
            prose(canvas, 60, 100, 470, f"Text of sheet {chr(64 + number)}. " + LOREM)

        return content

    pay = ["100", "100", "100", "100", "777", "100"]
    extraction = read(draw(tmp_path / "a.pdf", *(page(n, p) for n, p in enumerate(pay, start=1))))
    assert the(extraction, "Pay of this month: 777").page == 5


def test_progress_names_pages(tmp_path: Path) -> None:
    heard: list[Progress] = []
    read(draw(tmp_path / "a.pdf", report, report), on_progress=heard.append)
    assert Progress("reading", 2, 2) in heard


def test_what_comes_back_survives_json(tmp_path: Path) -> None:
    extraction = read(draw(tmp_path / "a.pdf", report))
    assert Extraction.from_json(extraction.head_to_json(), extraction.rows_to_json()) == extraction
    assert Boxes.from_json(Boxes(extraction.paragraphs[0].boxes).to_json()) == tuple(extraction.paragraphs[0].boxes)


@pytest.mark.parametrize(
    "row",
    [
        ["text", "song", 1, "", [], "en"],
        ["text", "text", -1, "", [], "en"],
        ["text", "text", 1, "1 2 3", [], "en"],
        ["text", "text", 1, "9999999999999 0 0 0 0 0 0", [], "en"],
        ["text", "text", 1, "", [7], "en"],
        ["text", "text"],
        7,
    ],
)
def test_what_is_no_extraction_is_refused(row: object) -> None:
    head: dict[str, object] = {"media_type": "text/plain", "pages": None, "strategy": "text", "unaccounted": []}
    assert Extraction.from_json(head, []).text == ""
    with pytest.raises(ValueError):
        Extraction.from_json(head, [row])
