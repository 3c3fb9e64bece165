"""What looks like a ruled table, a drawing or blocks beside each other, and is read row by row; each has a twin."""

from collections.abc import Callable
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from tests.ingestion.extracted import read
from tests.ingestion.pdfs import HEIGHT, LOREM, draw, line, prose


def rule(canvas: Canvas, left: float, right: float, top: float) -> None:
    canvas.line(left, HEIGHT - top, right, HEIGHT - top)


def read_pages(path: Path, *pages: Callable[[Canvas], None]) -> list[str]:
    """The words of each page, tables as they are."""
    paragraphs = read(draw(path, *pages)).paragraphs
    return [
        " ".join(p.text.replace("\n", " ") for p in paragraphs if p.page == page) for page in range(1, len(pages) + 1)
    ]


def test_rules_below_answers_above_sections_and_between_entries_of_a_list_make_no_table(tmp_path: Path) -> None:
    def form(canvas: Canvas) -> None:
        """Each answer on a rule that begins right of its label, two in a line."""
        for number, label in enumerate(("Name", "Street", "Town", "Phone")):
            for left, sign in ((50, "A"), (310, "B")):
                line(canvas, left, 100 + 24 * number, label)
                rule(canvas, left + 55, left + 220, 103 + 24 * number)
                line(canvas, left + 60, 101 + 24 * number, f"given {sign}{number}")
                line(canvas, left + 150, 101 + 24 * number, f"code {sign}{number}")

    def reaching(canvas: Canvas) -> None:
        for number in range(4):
            rule(canvas, 100, 400, 100 + 20 * number)
            for left, text in ((104, f"Berth {number}"), (250, "let"), (392, f"until May {number}")):
                line(canvas, left, 114 + 20 * number, text)
        rule(canvas, 100, 400, 180)

    def write_sections(size: float, bold: bool) -> Callable[[Canvas], None]:
        def sections(canvas: Canvas) -> None:
            for number in range(4):
                rule(canvas, 60, 540, 80 + 80 * number)
                for left in (60, 310):
                    line(canvas, left, 94 + 80 * number, f"News {number}", size, bold)
                    prose(canvas, left, 112 + 80 * number, 210, LOREM[:50], 11)
            rule(canvas, 60, 540, 400)

        return sections

    def duties(canvas: Canvas) -> None:
        for number in range(4):
            rule(canvas, 50, 550, 80 + 20 * number)
            line(canvas, 55, 94 + 20 * number, f"{number + 1}.")
            line(canvas, 90, 94 + 20 * number, f"Duty {number + 1} is done by all")
        rule(canvas, 50, 550, 160)

    def below(canvas: Canvas) -> None:
        """Each answer on a rule, and its label below the rule."""
        for number, (left, right) in enumerate((("Name", "Born"), ("Street", "Town"), ("Phone", "Post"))):
            rule(canvas, 60, 500, 100 + 40 * number)
            for x, label, sign in ((60, left, "A"), (320, right, "B")):
                line(canvas, x, 98 + 40 * number, f"{sign}{number}")
                line(canvas, x, 111 + 40 * number, label)
        rule(canvas, 60, 500, 220)

    def parted(canvas: Canvas) -> None:
        """The last rule is that of a footer, above which two lines are initialled."""
        for number, label in enumerate(("Monitoring", "Overhead", "Reports", "Version")):
            rule(canvas, 60, 500, 100 + 20 * number)
            line(canvas, 62, 114 + 20 * number, label)
            line(canvas, 300, 114 + 20 * number, f"page {number}")
        rule(canvas, 380, 430, 172)
        rule(canvas, 440, 490, 172)
        rule(canvas, 60, 500, 184)

    def beside(canvas: Canvas) -> None:
        """Two tables, each between its own rules."""
        for left, sign in ((50, "A"), (310, "B")):
            for number, label in enumerate(("Net", "Tax", "Sum")):
                rule(canvas, left, left + 230, 100 + 18 * number)
                line(canvas, left + 3, 113 + 18 * number, label)
                line(canvas, left + 150, 113 + 18 * number, f"{sign}{number}")
            rule(canvas, left, left + 230, 154)

    sections = write_sections(14, bold=False), write_sections(11, bold=True)
    pages = read_pages(tmp_path / "a.pdf", form, reaching, duties, beside, below, parted, *sections)
    assert [page.count("| --- | --- |") for page in pages] == [0, 0, 0, 2, 0, 0, 0, 0]
    assert "Street given A1 code A1 Street given B1 code B1" in pages[0]
    assert "Berth 2 let until May 2" in pages[1]
    assert "3. Duty 3 is done by all" in pages[2]
    assert "| Tax | A1 |" in pages[3]
    assert "| Tax | B1 |" in pages[3]


def test_rows_that_were_written_in_any_order_are_no_drawing(tmp_path: Path) -> None:
    """From the end, or at random; so far from each other that only their heights tell what belongs together."""

    rows = range(14)
    backwards = [(row, column) for row in reversed(rows) for column in (0, 1)]
    down_and_up = [(row, 0) for row in rows] + [(row, 1) for row in reversed(rows)]
    at_random = sorted(backwards, key=lambda cell: (cell[0] * 5 + cell[1]) % 13)

    def write(name: str, cells: list[tuple[int, int]], edges: int, drop: int = 0) -> Callable[[Canvas], None]:
        def page(canvas: Canvas) -> None:
            for row, column in cells:
                left = 60 + 330 * column + row * 7 % edges * 11
                line(canvas, left, 100 + 35 * row + drop * column, f"{name} {('label', 'value')[column]} {row}", 9)

        return page

    ways = {"Dam": backwards, "Lake": down_and_up, "Pier": at_random}
    pages = [write(f"{name}{edges}", cells, edges) for name, cells in ways.items() for edges in (1, 5)]
    pages += [write("Weir", at_random, 1, drop=3), write("Verse", [(row, 0) for row in reversed(rows)], 9)]
    *tables, poem = read_pages(tmp_path / "a.pdf", *pages)
    for table, name in zip(tables, [*(f"{name}{edges}" for name in ways for edges in (1, 5)), "Weir"], strict=True):
        assert table == " ".join(f"{name} label {row} {name} value {row}" for row in rows)
    assert poem == " ".join(f"Verse label {row}" for row in rows)


def test_hours_beside_each_other_are_rows_and_what_follows_signatures_is_of_no_one(tmp_path: Path) -> None:
    hours = [("Monday: 8-12", "Monday: 13-17"), ("Tuesday: 9-12", "Tuesday: 13-18"), ("Friday: closed", "")]
    visits = [("Name: Ann", "Name: Bob"), ("Name: Cai", "Name: Dag"), ("Name: Eve", "Name: Fay")]
    signed = [("By: Nora", "By: Paul"), ("Name: N. Vale", "Name: P. Rode"), ("Place: London, both parties", "")]
    uneven = [
        ("By: Ada", "By: Ben"),
        ("Title: Chair", "Title: Clerk"),
        ("of Rope", "Date: 3 May"),
        ("Date: 2 May", ""),
    ]
    first, second = [("By: A", "By: B"), ("Name: C", "Name: D")], [("Sold", "Bought"), ("By: E", "By: F")]

    def page(canvas: Canvas) -> None:
        top = 80.0
        for block in (hours, visits, signed, uneven, first, [*second, ("Name: G", "Name: H")]):
            if block[0] != second[0]:
                top = prose(canvas, 60, top + 22, 400, "These lines go over the whole width of the page, as most.") + 9
            else:
                top += 21
            for row in block:
                for number, entry in enumerate(row):
                    line(canvas, 60 + 200 * number, top, entry)
                top += 13

    [found] = read_pages(tmp_path / "a.pdf", page)
    for block in (hours, visits):
        assert " ".join(" ".join(row).strip() for row in block) in found
    assert "By: Nora Name: N. Vale By: Paul Name: P. Rode Place: London, both parties" in found
    assert "By: Ada Title: Chair of Rope Date: 2 May By: Ben Title: Clerk Date: 3 May" in found
    assert "By: A Name: C By: B Name: D Sold By: E Name: G Bought By: F Name: H" in found
