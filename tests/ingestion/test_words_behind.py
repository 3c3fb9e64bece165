"""Words that a document holds and does not show are classified like any other; its original is for who may read all."""

import io
from collections.abc import Callable

import openpyxl
import pptx
import pytest
from openpyxl.worksheet.scenario import InputCells, Scenario, ScenarioList
from pptx.util import Inches

from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.helpers import SALARY, ready, texts
from tests.ingestion.packages import odt, said, word

SHOWN = "The quay is closed for two days because of the storm."
HARMLESS = "The crane at noon."


def in_a_field(words: str) -> bytes:
    stream = io.BytesIO()
    runs = "".join(
        f"<w:r>{run}</w:r>"
        for run in (
            '<w:fldChar w:fldCharType="begin"/>',
            f'<w:instrText> IF 1 = 1 "closed" "{words}" </w:instrText>',
            '<w:fldChar w:fldCharType="separate"/>',
            "<w:t>closed</w:t>",
            '<w:fldChar w:fldCharType="end"/>',
        )
    )
    word(stream, f"{said(SHOWN)}<w:p>{runs}</w:p>")
    return stream.getvalue()


def in_a_drawn_shape(words: str) -> bytes:
    stream = io.BytesIO()
    shape = f"<draw:custom-shape><text:p>{words}</text:p></draw:custom-shape>"
    odt(stream, f"<text:p>{SHOWN}</text:p><text:p>{shape}</text:p>")
    return stream.getvalue()


def in_a_scenario(words: str) -> bytes:
    book = openpyxl.Workbook()
    book.properties.creator = ""
    book.active["A1"] = SHOWN
    book.active.scenarios = ScenarioList([Scenario(name="Best", comment=words, inputCells=[InputCells("B2", val="9")])])
    return saved(book)


def of_a_table(words: str) -> bytes:
    deck = pptx.Presentation()
    deck.core_properties.title = deck.core_properties.author = ""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = SHOWN
    frame = slide.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1))
    frame._element.nvGraphicFramePr.cNvPr.set("descr", words)
    return saved(deck)


def saved(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("a.docx", in_a_field),
        ("a.odt", in_a_drawn_shape),
        ("a.xlsx", in_a_scenario),
        ("a.pptx", of_a_table),
    ],
)
def test_what_does_not_show_is_for_who_is_cleared_for_it_as_is_the_original(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, name: str, made: Callable[[str], bytes]
) -> None:
    file = ready(alice, contract, name, made(SALARY))
    assert SALARY in "\n".join(texts(alice, file))
    assert SALARY in "\n".join(texts(cfo, file))
    assert "68,400" not in "\n".join(texts(viewer, file))
    for who, finds in ((cfo, True), (viewer, False)):
        found = who.api.get("/api/search/", {"q": "salary of a site manager"}).json()["results"]
        assert any("68,400" in str(hit) for hit in found) is finds
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 403
    assert cfo.api.get(f"/api/files/{file}/download/").status_code == 200

    harmless = ready(alice, contract, f"b{name}", made(HARMLESS))
    assert HARMLESS in "\n".join(texts(viewer, harmless))
    assert viewer.api.get(f"/api/files/{harmless}/download/").status_code == 200
