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
