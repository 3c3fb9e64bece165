"""Columns, headings across them, small print, tables and captions within them, and scripts from right to left."""

from pathlib import Path

import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from ingestion.extract.pdf_lines import Line
from ingestion.extract.pdf_paired_blocks import split_paired_blocks
from ingestion.extract.pdf_spacing import order_columns
from ingestion.extract.pdf_tables import find_tables
from ingestion.extract.pdf_words import Word, read_page
from ingestion.extract.right_to_left import order_letters, order_words
from tests.ingestion.extracted import read, texts
from tests.ingestion.pdfs import HEIGHT, LOREM, draw, grid, line, prose

ENDING = "Each party keeps confidential what it learns of the other, and bears the cost of its own counsel."


def starts(path: Path) -> list[str]:
    """The first words of every paragraph."""
    return [text.replace("\n", " ")[:8].strip() for text in texts(read(path))]


def columns(canvas: Canvas, top: float, names: str, width: float, step: float) -> None:
    for number, name in enumerate(names.split()):
        prose(canvas, 50 + step * number, top, width, f"{name} {LOREM}{ENDING}", 9)


@pytest.mark.parametrize("names", ["A1 A2", "A1 A2 A3"])
def test_columns_are_read_one_after_the_other(tmp_path: Path, names: str) -> None:
    count = len(names.split())
    step = 500 / count
    path = draw(tmp_path / "a.pdf", lambda canvas: columns(canvas, 100, names, step - 16, step))
    assert [start[:2] for start in starts(path)] == names.split()
    assert all(text.endswith("counsel.") for text in texts(read(path)))


def test_a_short_heading_across_columns_parts_them(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, 50, 60, "Berths", 16, bold=True)
        columns(canvas, 90, "A1 A2", 235, 250)
        line(canvas, 50, 260, "Depths", 16, bold=True)
        columns(canvas, 290, "B1 B2 B3", 150, 170)
        line(canvas, 50, 560, "1 A note in small print.", 6)

    extraction = read(draw(tmp_path / "a.pdf", page))
    assert [(p.kind, p.heading_path, p.text[:2]) for p in extraction.paragraphs] == [
        ("heading", (), "Be"),
        ("text", ("Berths",), "A1"),
        ("text", ("Berths",), "A2"),
        ("heading", (), "De"),
        ("text", ("Depths",), "B1"),
        ("text", ("Depths",), "B2"),
        ("text", ("Depths",), "B3"),
        ("text", ("Depths",), "1 "),
    ]


def test_a_heading_within_a_column_does_not(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        top = prose(canvas, 50, 90, 235, f"A1 {LOREM}", 9)
        line(canvas, 50, top + 14, "Depths", 14, bold=True)
        prose(canvas, 50, top + 34, 235, f"A2 {LOREM}", 9)
        prose(canvas, 300, 90, 235, f"A3 {LOREM * 3}", 9)

    assert [start[:2] for start in starts(draw(tmp_path / "a.pdf", page))] == ["A1", "De", "A2", "A3"]


def test_a_table_and_a_caption_stay_in_their_column(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        prose(canvas, 50, 90, 235, f"A1 {LOREM * 2}", 9)
        top = prose(canvas, 300, 90, 235, f"A2 {LOREM}", 9)
        top = grid(canvas, 300, top + 6, [["Place", "Depth"], ["Quay", "12"]])
        line(canvas, 300, top + 14, "Table 1: how deep it is", 9)
        prose(canvas, 300, top + 34, 235, f"A3 {LOREM}", 9)

    assert [s[:5] for s in starts(draw(tmp_path / "a.pdf", page))] == ["A1 Th", "A2 Th", "| Pla", "Table", "A3 Th"]


def row(text: str) -> list[Word]:
    """Words as they stand on a line, from left to right."""
    return [Word(w, 10 * n, 0, 10 * n + 8, 9, 8, 9, False, False, False) for n, w in enumerate(text.split())]


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ("two plain words", "two plain words"),
        ("בעברית כותרת", "כותרת בעברית"),
        ("שקלים 68,400 היא המשכורת", "המשכורת היא 68,400 שקלים"),
        ("here עברית אחרת and there", "here אחרת עברית and there"),
        ("עברית Quay 7 East כאן שם", "שם כאן Quay 7 East עברית"),
        ("12 34 סניף", "סניף 34 12"),
    ],
)
def test_words_from_right_to_left_are_read_as_they_are_said(seen: str, said: str) -> None:
    assert " ".join(word.text for word in order_words(row(seen))) == said


def test_letters_that_came_in_the_order_of_the_eye_are_turned() -> None:
    assert order_letters("קלח", range(3)) == "חלק"
    assert order_letters("חלק", [30, 20, 10]) == "חלק", "these came as they are read"
    assert order_letters(".ב68א", [10, 20, 30, 36, 42]) == "א68ב."
    assert order_letters("abc", range(3)) == "abc"


@given(st.text(alphabet="abאבג 12", max_size=40))
def test_no_word_is_lost_by_turning(text: str) -> None:
    assert sorted(word.text for word in order_words(row(text))) == sorted(text.split())


@pytest.mark.parametrize("gutter", [8, 10, 12])
def test_columns_with_little_room_between_them_are_read_one_after_the_other(tmp_path: Path, gutter: int) -> None:
    """As in official journals: no more room than a wide blank."""

    def page(canvas: Canvas) -> None:
        line(canvas, 50, 60, "Official journal", 14)
        for number, name in enumerate(("A1", "A2", "A3")):
            prose(canvas, 50 + (150 + gutter) * number, 100, 150, f"{name} {LOREM}{LOREM}{ENDING}", 9)

    path = draw(tmp_path / "a.pdf", page)
    assert [start[:2] for start in starts(path)] == ["Of", "A1", "A2", "A3"]
    assert all(text.endswith("counsel.") for text in texts(read(path))[1:])


def test_rows_of_a_list_are_no_columns(tmp_path: Path) -> None:
    """Written row by row, and each row read as one, however much stands in it."""

    def page(canvas: Canvas) -> None:
        for row in range(14):
            line(canvas, 50, 100 + 14 * row, f"Berth {row} of the western pier", 9)
            line(canvas, 250, 100 + 14 * row, f"is let to tenant {row} for now", 9)

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ")
    assert all(f"Berth {row} of the western pier is let to tenant {row} for now" in found for row in range(14))


def test_a_page_that_was_written_in_no_order_is_read_by_its_places(tmp_path: Path) -> None:
    sentences = [f"Sentence {number} of this page stands in its own place." for number in range(20)]

    def page(canvas: Canvas) -> None:
        for number in sorted(range(20), key=lambda number: (number * 7) % 20):
            line(canvas, 50, 100 + 14 * number, sentences[number], 9)

    assert " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ") == " ".join(sentences)


def test_frames_beside_each_other_are_read_one_after_the_other(tmp_path: Path) -> None:
    """Who sells and who buys: written one below the other, in lines of other heights, and beside each other."""
    seller = ["Seller", "Harbour Ropes", "Quay Road 4", "Eastport", "VAT 1001", "Phone 555", "Berth 12"]
    buyer = ["Buyer", "Tide Boats", "Pier Lane 9", "Westport", "VAT 2002", "Phone 777", "Berth 31"]

    def page(canvas: Canvas) -> None:
        line(canvas, 50, 320, "Paid within thirty days", 9)
        for left, top, frame in ((50, 100, seller), (300, 104, buyer)):
            for number, text in enumerate(frame):
                line(canvas, left, top + 13 * number, text, 9)
        line(canvas, 50, 60, "Invoice", 16)

    read_words = " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ").split()
    assert read_words == " ".join(["Invoice", *seller, *buyer, "Paid within thirty days"]).split()


def test_labels_of_a_diagram_are_read_as_written_and_entries_of_a_form_by_their_places(tmp_path: Path) -> None:
    """Boxes of a diagram stand at any height, so what each says stays together. A form that was filled in any order
    looks alike, but that values stand beside their labels."""
    boxes = [("Dam", 60, 300), ("Lake", 230, 120), ("Pier", 400, 307), ("Ford", 60, 124), ("Weir", 230, 304)]
    boxes += [("Lock", 400, 117), ("Canal", 60, 480), ("Basin", 230, 476), ("Mole", 400, 484), ("Quay", 310, 60)]

    def diagram(canvas: Canvas) -> None:
        for name, left, top in boxes:
            for number, text in enumerate((name, f"{name} depth", f"{name} owner")):
                line(canvas, left, top + 11 * number, text, 9)

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", diagram)))).replace("\n", " ")
    assert found == " ".join(f"{name} {name} depth {name} owner" for name, _, _ in boxes)

    def form(canvas: Canvas) -> None:
        for number in sorted(range(12), key=lambda number: number * 5 % 12):
            line(canvas, 60, 100 + 40 * number, f"Entry {number}", 9)
        for number in sorted(range(12), key=lambda number: number * 7 % 12):
            line(canvas, 180, 100 + 40 * number, f"given {number}", 9)

    found = " ".join(texts(read(draw(tmp_path / "b.pdf", form)))).replace("\n", " ")
    assert found == " ".join(f"Entry {number} given {number}" for number in range(12))


def test_blocks_with_the_same_labels_are_read_one_after_the_other(tmp_path: Path) -> None:
    """Addresses for notices and signatures, written row by row. One label that a row has twice makes no blocks, nor do
    labels behind the name of a row."""
    notices = [
        ("If to the seller:", "If to the buyer:"), ("Harbour Ropes", "Tide Boats"), ("Quay Road 4", "Pier Lane 9"),
        ("Fax: 555-01", "Fax: 777-01"), ("Attention: Nora", "Attention: Paul"), ("Berth 12", ""),
    ]  # fmt: skip
    signatures = [("By:", "By:"), ("Name: Nora", "Name: Paul"), ("Date: 3 May", "Date: 4 May")]
    fees = [("Fee: 10", "Fee: 20"), ("Rope: 3", "Boat: 4")]
    shifts = [("Monday", "Start: 8", "Start: 9"), ("Tuesday", "Start: 7", "Start: 6"), ("Friday", "Start: 5", "None")]

    def page(canvas: Canvas) -> None:
        top = 100.0
        for block in (notices, signatures, fees, shifts):
            top = prose(canvas, 60, top, 400, "These lines go over the whole width of the page, as most others do.") + 9
            for row in block:
                for number, entry in enumerate(row):
                    line(canvas, 60 + 150 * number, top, entry)
                top += 13
            top += 30

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ")
    for block in (notices, signatures):
        for side in (0, 1):
            assert " ".join(row[side] for row in block if row[side]) in found
    assert found.index("Attention: Nora Berth 12") < found.index("If to the buyer") < found.index("By:")
    assert "Fee: 10 Fee: 20 Rope: 3 Boat: 4" in found
    assert " ".join(" ".join(row) for row in shifts) in found


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["By:", "By: A", "To:", "x"]))))
def test_no_line_is_lost_between_blocks(places: list[tuple[int, int, str]]) -> None:
    """However they stand upon each other."""
    boxes = [(text, 3 * x, 10 * y, 3 * x + 9, 10 * y + 9) for x, y, text in places]
    runs = [Line([Word(*box, box[2], 10, False, False, False)]) for box in boxes]
    parts = split_paired_blocks(runs)
    assert sorted(id(run) for part in parts for run in part) == sorted(map(id, runs))


def test_labels_and_values_in_columns_are_read_row_by_row(tmp_path: Path) -> None:
    """Written column by column, and on the same lines: entries of a table that nobody has ruled."""
    labels = ["Tenant", "Berth", "Depth", "Rent", "Term", "Notice", "Deposit", "Power", "Water", "Crane"]

    def page(canvas: Canvas) -> None:
        for left, ending in ((50, ""), (220, " value")):
            for number, label in enumerate(labels):
                line(canvas, left, 100 + 13 * number, label + ending, 9)

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", page)))).replace("\n", " ")
    assert found == " ".join(f"{label} {label} value" for label in labels)


def test_amounts_far_from_their_labels_are_read_row_by_row(tmp_path: Path) -> None:
    """A payslip: written column by column, without rules, its amounts flush right at the other edge of the page.
    Addresses that stand as far apart, and on the same lines, are read one after the other.
    """
    labels = ["Base salary", "Annual bonus", "Car allowance", "Health plan", "Income tax", "Pension", "Dues", "Net pay"]
    amounts = [f"{8450 - 731 * number:,}.00" for number in range(8)]

    def payslip(canvas: Canvas) -> None:
        for number, label in enumerate(labels):
            line(canvas, 72, 100 + 14 * number, label)
        for number, amount in enumerate(amounts):
            canvas.drawRightString(540, HEIGHT - 100 - 14 * number, amount)

    found = " ".join(texts(read(draw(tmp_path / "a.pdf", payslip)))).replace("\n", " ")
    assert found == " ".join(f"{label} {amount}" for label, amount in zip(labels, amounts, strict=True))

    def letter(canvas: Canvas) -> None:
        for left, name in ((50, "Seller"), (400, "Buyer")):
            for number, text in enumerate(("Ropes", "Road", "Bay", "Phone 5", "Tax", "Berth", "Room")):
                line(canvas, left, 100 + 13 * number, f"{name} {text}", 9)

    found = " ".join(texts(read(draw(tmp_path / "b.pdf", letter)))).replace("\n", " ")
    assert found.index("Seller Room") < found.index("Buyer Ropes")


def test_a_table_from_right_to_left_is_read_so(tmp_path: Path) -> None:
    """Cells, and the words of each; a table from left to right stays as it is."""
    spoken = {"value": "68,400", "x": "שקלים", "label": "המשכורת", "y": "השנתית", "one": "תפקיד", "two": "מנהלת"}
    plain: dict[str, str] = {}
    rows = [["value x", "y label"], ["two", "one"]]
    path = draw(tmp_path / "a.pdf", lambda canvas: grid(canvas, 50, 100, rows))
    page = pdfium.PdfDocument(path)[0]
    for meaning, expected in ((spoken, ["המשכורת השנתית", "שקלים 68,400"]), (plain, rows[0])):
        content = read_page(page, tables=True)
        content.words = [word._replace(text=meaning.get(word.text, word.text)) for word in content.words]
        [table] = find_tables(content, list)
        assert list(table.header) == expected
        [figures] = find_tables(read_page(page, tables=True), list)
        assert figures.continues(table), "a page of figures alone, which are read from the left"
        assert list(figures.turn_columns_as(table).header) == sorted(rows[0], reverse=meaning is spoken)


def test_tiers_of_columns_are_read_one_below_the_other() -> None:
    """As pages of Japanese are set: columns from the right, then those of the tier below."""
    columns = [Word(text, x, y, x + 10, y + 60, y, 10, False, False, False) for x, y, text in TIERS]
    assert [word.text for word in order_columns(columns)] == ["上の一", "上の二", "下の一", "下の二"]


TIERS = [(100, 200, "下の二"), (120, 200, "下の一"), (110, 100, "上の二"), (130, 100, "上の一")]
