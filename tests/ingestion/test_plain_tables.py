"""Tables without any rule become tables; what merely stands in columns is read as before. Each has a twin."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion.extracted import read
from tests.ingestion.pdfs import HEIGHT, draw, line, prose

STATEMENT = """
@ | 2024 | 2023
Ticket revenue | 12,410 | 11,980
Fuel | (4,120) | (4,655)
Tax | - | (310)
Profit for the year | 5,285 | 4,525"""
ORDER = """
Order no | Date | Customer no | Due
2026-118 | 3 May 2026 | K-552 | 2 June 2026"""
WRAPPED = """
Code | Goods | Pieces | Price
M-10 | Pale malt in sacks | 4 | € 21.50
@ | that are returned | @ | @
M-11 | Crystal malt | 12 | € 24.00
H-02 | Whole hops | 1 | € 38.00"""
SECTIONS = """
@ | Q1 | Q2
Operating | @ | @
Fuel | 410 | 420
Wages | 900 | 905
Other | @ | @
Legal | 12 | 44"""
RIGHT = {"12,410", "11,980", "(4,120)", "(4,655)", "-", "(310)", "5,285", "4,525", "2024", "2023"}


def parse_rows(table: str) -> list[list[str]]:
    return [[cell.strip().replace("@", "") for cell in row.split("|")] for row in table.strip().splitlines()]


def write_rows(canvas: Canvas, rows: Sequence[Sequence[str]], top: float = 120, lefts: Sequence[float] = ()) -> float:
    """Rows without rules, numbers to the right; returns where they end."""
    for row in rows:
        for left, cell in zip(lefts or (60, 220, 320, 440), row, strict=False):
            if cell in RIGHT:
                canvas.setFont("Helvetica", 10)
                canvas.drawRightString(left + 50, HEIGHT - top, cell)
            elif cell:
                line(canvas, left, top, cell)
        top += 15
    return top


def read_page(path: Path, page: Callable[[Canvas], object]) -> list[str]:
    return [paragraph.text for paragraph in read(draw(path, page)).paragraphs]


def to_markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


@pytest.mark.parametrize("table", [STATEMENT, ORDER, SECTIONS])
def test_rows_of_numbers_under_a_head_are_a_table(tmp_path: Path, table: str) -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, 60, 80, "Accounts", 16, bold=True)
        prose(
            canvas,
            60,
            write_rows(canvas, parse_rows(table)) + 20,
            400,
            "The board approved this on the fourth of March.",
        )

    found = read_page(tmp_path / "a.pdf", page)
    assert found == ["Accounts", to_markdown(parse_rows(table)), "The board approved this on the fourth of March."]


def test_the_second_line_of_an_entry_is_in_its_row(tmp_path: Path) -> None:
    rows = parse_rows(WRAPPED)

    def page(canvas: Canvas) -> None:
        write_rows(canvas, rows[:2], 100)
        write_rows(canvas, rows[2:3], 127)  # closer than the rows
        write_rows(canvas, rows[3:], 145)

    joined = [*rows[:1], ["M-10", "Pale malt in sacks that are returned", "4", "€ 21.50"], *rows[3:]]
    assert read_page(tmp_path / "a.pdf", page) == [to_markdown(joined)]


def test_two_tables_below_each_other_are_two(tmp_path: Path) -> None:
    """Also in the same columns, where the second head has words where the numbers are."""
    again = [["Boat", "Built", "Length"], ["Anna", "1998", "12 m"], ["Berta", "2004", "14 m"], ["Carla", "2011", "9 m"]]

    def page(canvas: Canvas) -> None:
        bottom = write_rows(canvas, parse_rows(STATEMENT))
        bottom = write_rows(canvas, parse_rows(ORDER), bottom + 6, (60, 180, 300, 420))
        write_rows(canvas, again, write_rows(canvas, again, bottom + 6))

    tables = [parse_rows(STATEMENT), parse_rows(ORDER), again, again]
    assert read_page(tmp_path / "a.pdf", page) == [to_markdown(table) for table in tables]


def test_sums_that_stand_across_the_columns_are_not_in_them(tmp_path: Path) -> None:
    """As below the entries of an invoice; the twin has them below the prices."""
    entries = [
        ["Work", "Pieces", "Price"],
        ["Winch", "1", "1,200.00"],
        ["Rope", "40", "3.10"],
        ["Travel", "2", "45.00"],
    ]
    sums = [["Sum", "", "1,414.00"], ["Due", "", "1,696.80"]]

    def page(left: float) -> Callable[[Canvas], object]:
        return lambda canvas: write_rows(canvas, sums, write_rows(canvas, entries), (60, 100, left))

    assert read_page(tmp_path / "a.pdf", page(320)) == [to_markdown([*entries, *sums])]
    assert read_page(tmp_path / "b.pdf", page(265))[0] == to_markdown(entries)


@pytest.mark.parametrize(("below", "is_table"), [(5, False), (22, True)])
def test_a_table_beside_prose_takes_none_of_it(tmp_path: Path, below: float, is_table: bool) -> None:
    """A line of prose that is printed over a row is no entry of it."""

    def page(canvas: Canvas) -> None:
        bottom = write_rows(canvas, parse_rows(ORDER))
        prose(canvas, 60, bottom - 15 + below, 500, "This order is for the cinema and the standard rate of the house.")

    found = read_page(tmp_path / "a.pdf", page)
    assert (to_markdown(parse_rows(ORDER)) in found) == is_table
    assert not any("---" in text and "cinema" in text for text in found)


@pytest.mark.parametrize(
    "rows",
    [
        "Name: | Anna Holt\nDate of accident: | 4 May 2026\nTime: | 10:40\nWitnesses: | 2\nDays lost: | 3",
        "Accident | Report\nWitnesses: | 2\nDays lost: | 3\nBoats: | 1\nClaims: | 4",
        "Terms | Days\nof payment in | 30\nof delivery in | 14\nof complaint in | 7\nof return in | 28",
        "Contents | Page\nIntroduction ........ | 3\nLeave ........ | 5\nPay ........ | 9\nConduct ........ | 14",
        "Ticket revenue | 12,410\nFuel | 4,120\nTax | 310\nProfit | 5,285",  # no head
        "(i) | Commencement Date | July 1, 2017\n(ii) | Termination Date | December 31, 2022",
        "Title | CEO | Title | Director\nDate | 25/05/2008 | Date | 25/05/2008",
        "Holt and Sons | Ferrydale Ltd\n12 Quay Street | 1 Pier Road\nDunmouth | Dunmouth\nTel 960 111 | 4 May 2026",
        "@ | North | @ | South\nSix | @ | 0.8 | @\nFive | @ | 0.6 | @\nFour | @ | 0.4 | @",  # numbers under no name
        "Task | Owner | Note\nGate | Mara | every evening\nRopes | Lise | weekly\nStove | Jon | twice",
        "with rope | and | chain\nACC-8834 | 2 | $79.99",
    ],
)
def test_what_merely_stands_in_columns_is_no_table(tmp_path: Path, rows: str) -> None:
    found = read_page(tmp_path / "a.pdf", lambda canvas: write_rows(canvas, parse_rows(rows)))
    assert "---" not in "\n".join(found)
    words = " ".join(found).split()
    assert sorted(words) == sorted(rows.replace("|", " ").replace("@", "").split()), "every word, once"


def test_columns_of_prose_with_numbers_are_no_table(tmp_path: Path) -> None:
    sentence = "In 1990 the company carried 40,000 passengers, and 3 of its ferries were in dock for 12 weeks. "

    def page(canvas: Canvas) -> None:
        line(canvas, 50, 60, "Passengers", 12, bold=True)
        line(canvas, 310, 60, "Ferries", 12, bold=True)
        for left in (50, 310):
            prose(canvas, left, 80, 230, sentence * 12)

    found = "\n".join(read_page(tmp_path / "a.pdf", page))
    assert "---" not in found
    assert found.count("40,000") == 24


def test_numbers_that_stand_anywhere_are_no_table(tmp_path: Path) -> None:
    """Labels and scales of a drawing, under a line that looks like a head. The twin has them below each other."""

    def page(shift: float) -> Callable[[Canvas], None]:
        def draw_rows(canvas: Canvas) -> None:
            line(canvas, 60, 100, "Depth")
            line(canvas, 260, 100, "Height")
            for row in range(5):
                line(canvas, 60, 115 + 15 * row, f"Point {row}")
                line(canvas, 260 + shift * (row * 7 % 5), 115 + 15 * row, f"{row}.4")

        return draw_rows

    assert "---" not in "\n".join(read_page(tmp_path / "a.pdf", page(6)))
    assert "---" in "\n".join(read_page(tmp_path / "b.pdf", page(0)))


COSTS = """
Cost centre | Plan | Actual | Plan | Actual
Laboratory | 120 | 134 | 120 | 118
Rent | 96 | 96 | 98 | 97
Training | 15 | 7 | 15 | 21"""
FIVE = (60, 200, 280, 380, 460)


@pytest.mark.parametrize(("first", "second"), [(245, 425), (200, 380)])  # in the middle of the group, or at its left
def test_names_of_groups_stand_above_the_head(tmp_path: Path, first: float, second: float) -> None:
    def draw_page(canvas: Canvas) -> None:
        line(canvas, first, 105, "2025")
        line(canvas, second, 105, "2026")
        write_rows(canvas, parse_rows(COSTS), lefts=FIVE)

    rows = parse_rows(COSTS)
    assert read_page(tmp_path / "costs.pdf", draw_page) == [to_markdown([["", "2025", "", "2026", ""], *rows])]


@pytest.mark.parametrize(
    ("above", "top"),
    [
        ([(245, "Budget 2025")], 105),
        ([(60, "Lindenhof"), (200, "Budget")], 105),
        ([(200, "2025"), (280, "2026")], 105),
        ([(245, "Draft"), (425, "Internal")], 96),  # the head of the page
    ],
)
def test_what_names_no_groups_is_none_of_the_table(
    tmp_path: Path, above: Sequence[tuple[float, str]], top: float
) -> None:
    def draw_page(canvas: Canvas) -> None:
        for x, text in above:
            line(canvas, x, top, text)
        write_rows(canvas, parse_rows(COSTS), lefts=FIVE)

    assert read_page(tmp_path / "costs.pdf", draw_page)[-1] == to_markdown(parse_rows(COSTS))


def test_the_head_of_an_invoice_names_no_groups(tmp_path: Path) -> None:
    """Its columns are none that repeat."""
    goods = [["Goods", "Pieces", "Unit", "Price", "Sum"], *(["Malt", "4", "sack", "21.50", "86.00"] for _ in range(3))]

    def draw_page(canvas: Canvas) -> None:
        line(canvas, 245, 105, "Invoice")
        line(canvas, 425, 105, "Original")
        write_rows(canvas, goods, lefts=FIVE)

    assert read_page(tmp_path / "invoice.pdf", draw_page)[-1] == to_markdown(goods)
