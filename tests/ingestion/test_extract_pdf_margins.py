"""Headers, footers and page numbers are no paragraphs, wherever a page ends."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion.extracted import read, texts
from tests.ingestion.pdfs import LOREM, draw, line, prose


def page(canvas: Canvas, number: str, height: int) -> None:
    """Text as far as `height` points, and a number under it."""
    prose(canvas, 60, height - 60, 450, LOREM)
    line(canvas, 290, height, number)


def pages(numbers: list[str]) -> list[Callable[[Canvas], None]]:
    return [partial(page, number=number, height=200 + 60 * (n % 4)) for n, number in enumerate(numbers)]


@pytest.mark.parametrize("form", ["{}", "- {} -", "Page {}"])
def test_numbers_that_end_pages_filled_to_different_heights_are_left_out(tmp_path: Path, form: str) -> None:
    numbers = [form.format(n) for n in range(9, 17)]
    assert texts(read(draw(tmp_path / "a.pdf", *pages(numbers)))) == [LOREM.strip()] * 8


def test_numbers_that_do_not_count_pages_stay(tmp_path: Path) -> None:
    numbers = ["7", "68", "12", "400", "3", "55", "9", "21"]
    found = " ".join(texts(read(draw(tmp_path / "a.pdf", *pages(numbers)))))
    assert all(f" {number}" in found for number in numbers)
    assert texts(read(draw(tmp_path / "b.pdf", *pages(["9"])))) == [LOREM.strip(), "9"], "one page says nothing"


NUMBERED = {
    "payslips": (1001, "Payslip no. {}"),
    "exhibits": (1, "Exhibit {}"),
    "resolutions": (1, "Resolution {}"),
    "invoices": (2024001, "Invoice {}"),
    "minutes": (1, "Minutes of the board, meeting {}"),
    "Bates": (317, "HPI 000{}"),
    "Bates alone": (1, "0000{}"),
    "years": (1996, "{}"),
    "after a dash": (1001, "Payslip of April — {}"),
    "slips": (1, "Payslip {} of Harbour and Pier, page 1 of 1"),
}


@pytest.mark.parametrize("place", [30, 810])
@pytest.mark.parametrize(("first", "form"), NUMBERED.values(), ids=NUMBERED)
def test_lines_with_a_number_of_their_own_stay_on_their_pages(
    tmp_path: Path, first: int, form: str, place: int
) -> None:
    """Documents of one page each, put together: their numbers go up with the pages."""

    def sheet(canvas: Canvas, number: int) -> None:
        line(canvas, 60, 20, "Harbour and Pier Ltd")
        line(canvas, 60, place, form.format(first + number))
        prose(canvas, 60, 200, 450, LOREM)
        line(canvas, 60, 825, f"Page {number + 1} of 12")

    found = read(draw(tmp_path / "a.pdf", *(partial(sheet, number=number) for number in range(12))))
    there = [(p.page, p.text) for p in found.paragraphs if p.text not in (LOREM.strip(), "Harbour and Pier Ltd")]
    assert there == [(number + 1, form.format(first + number)) for number in range(12)]
    assert texts(found).count("Harbour and Pier Ltd") == 1
    assert texts(found).count(LOREM.strip()) == 12


@pytest.mark.parametrize(("first", "form"), NUMBERED.values(), ids=NUMBERED)
def test_short_pages_that_are_alike_stay(tmp_path: Path, first: int, form: str) -> None:
    """All that stands on them is near the edge."""

    def sheet(canvas: Canvas, number: int) -> None:
        line(canvas, 60, 40, form.format(first + number))
        line(canvas, 60, 60, "Net pay: 2,310.00")

    found = texts(read(draw(tmp_path / "a.pdf", *(partial(sheet, number=number) for number in range(12)))))
    assert all(any(form.format(first + number) in text for text in found) for number in range(12))


def test_equal_pages_are_all_read(tmp_path: Path) -> None:
    found = read(draw(tmp_path / "a.pdf", *[lambda canvas: line(canvas, 60, 40, "This page is left free.")] * 5))
    assert [p.page for p in found.paragraphs] == [1, 2, 3, 4, 5]


def test_a_number_set_apart_is_that_of_the_page(tmp_path: Path) -> None:
    def sheet(canvas: Canvas, number: int, name: str) -> None:
        line(canvas, 60, 40, name)
        line(canvas, 520, 40, str(number))
        prose(canvas, 60, 200, 450, LOREM)

    def found(name: str) -> list[str]:
        path = draw(tmp_path / "a.pdf", *(partial(sheet, number=number, name=name) for number in range(1, 7)))
        return [text for text in texts(read(path)) if text != LOREM.strip()]

    assert found("Report of the year") == ["Report of the year 1"]
    assert found("Number of the invoice no.") == [f"Number of the invoice no. {number}" for number in range(1, 7)]
    assert found("Resolution") == [f"Resolution {number}" for number in range(1, 7)]


def test_small_print_at_the_foot_is_read_downwards_behind_its_page(tmp_path: Path) -> None:
    def sheet(canvas: Canvas, number: int) -> None:
        prose(canvas, 60, 100, 450, f"Sheet {number}. {LOREM}")
        for row, text in enumerate(("Harbour and Pier Ltd", "Quay Road 4, Eastport", "Registered in Eastport")):
            line(canvas, 60, 800 + 10 * row, text, 8)

    found = texts(read(draw(tmp_path / "a.pdf", *(partial(sheet, number=n) for n in range(1, 5)))))
    assert [text[:7] for text in found] == ["Sheet 1", "Harbour", "Quay Ro", "Registe", "Sheet 2", "Sheet 3", "Sheet 4"]
