"""Words that a page of a PDF has and that were not read of it are missed, however often their like was read."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from ingestion import drift
from ingestion.documents import Extraction, UnreadContent
from tests.ingestion.extracted import read
from tests.ingestion.losing import without
from tests.ingestion.pdfs import LOREM, draw, line, prose

NUMBERS = range(1001, 1013)


@pytest.fixture(scope="module")
def payslips(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Extraction]:
    def sheet(canvas: Canvas, number: int) -> None:
        line(canvas, 60, 40, f"Payslip no. {number}")
        prose(canvas, 60, 200, 450, "".join(LOREM.split("customer")))
        line(canvas, 60, 825, f"Page {number - 1000} of 12")

    path = draw(tmp_path_factory.mktemp("drift") / "a.pdf", *(partial(sheet, number=number) for number in NUMBERS))
    return path, read(path)


def test_what_was_read_whole_has_no_note(payslips: tuple[Path, Extraction]) -> None:
    path, extraction = payslips
    assert drift.check_losses(path, extraction).notes == ()


def test_a_number_that_was_lost_on_each_page_is_told(payslips: tuple[Path, Extraction]) -> None:
    path, extraction = payslips
    lost = without(extraction, lambda p: p.text.startswith("Payslip") and p.page != 1)
    (note,) = drift.check_losses(path, lost).notes
    assert note.code == "words_missing"
    assert "page 2, 3, 4, 5, 6 and others" in note.detail
    assert "22 in all" in note.detail
    assert "Payslip" not in note.detail
    excused = replace(lost, unaccounted=(UnreadContent("page_failed", "", None),))
    assert drift.check_losses(path, excused).notes == (), "what the reader says itself is not told twice"


def test_a_page_that_was_lost_is_no_reading(payslips: tuple[Path, Extraction]) -> None:
    path, extraction = payslips
    with pytest.raises(drift.ContentLost) as caught:
        drift.check_losses(path, without(extraction, lambda p: p.page == 3 and p.text.startswith("The supplier")))
    assert [loss.code for loss in caught.value.losses] == ["pages"]
