"""Every format that is read, from the upload to a search that finds its words at their place."""

import io
from collections.abc import Callable
from email.message import EmailMessage

import openpyxl
import pptx
import pytest

from entities.types import Contract
from ingestion.inline import process_all_waiting
from tests.conftest import Person
from tests.ingestion.helpers import texts, upload
from tests.ingestion.packages import odt


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Tides"
    book.active.append(["Harbour", "Depth"])
    book.active.append(["Quay seven", "heptagonal dredging 12 metres"])
    return saved(book)


def table() -> bytes:
    return b"Tides;Depth\nQuay seven;heptagonal dredging, 12 m\n"


def page() -> bytes:
    return b"<!DOCTYPE html><h1>Tides</h1><p>Quay seven needs heptagonal dredging.</p>"


def deck() -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Overview"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Tides"
    slide.placeholders[1].text = "Quay seven needs heptagonal dredging."
    return saved(deck)


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Tides"
    message.set_content("Quay seven needs heptagonal dredging.")
    return message.as_bytes()


def text() -> bytes:
    stream = io.BytesIO()
    odt(stream, "<text:h text:outline-level='1'>Tides</text:h><text:p>Quay seven needs heptagonal dredging.</text:p>")
    return stream.getvalue()


def saved(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


# file name → (what makes it, section of the passage, its page)
FORMATS: dict[str, tuple[Callable[[], bytes], str, int | None]] = {
    "tides.xlsx": (workbook, "Tides", None),
    "tides.pptx": (deck, "Tides", 2),
    "tides.csv": (table, "", None),
    "tides.eml": (mail, "Tides", None),
    "tides.odt": (text, "Tides", None),
    "tides.html": (page, "Tides", None),
}


def test_uploaded_read_and_found(subtests: pytest.Subtests, alice: Person, contract: Contract) -> None:
    files = {name: upload(alice, contract, name, make()).json()["id"] for name, (make, _, _) in FORMATS.items()}
    process_all_waiting(alice.scope.workspace)
    for name, (_, section, page) in FORMATS.items():
        with subtests.test(name=name):
            file = files[name]
            assert any("heptagonal dredging" in text for text in texts(alice, file))
            found = alice.api.get("/api/search/", {"q": "heptagonal dredging", "file": file}).json()["results"]
            assert [(hit["file"]["id"], hit["section"], hit["page"]) for hit in found[:1]] == [(file, section, page)]
            assert alice.api.get(f"/api/files/{file}/download/").status_code == 200
