"""A hidden paragraph stands in one place: nothing that a reader sees of its file repeats six words of it in a row.

Real files, as people upload them: text that is drawn over pictures and shapes is recognised too, and what says it to
machines (descriptions, properties, earlier versions) is in the file beside it.
"""

import html
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from entities.access import Scope
from entities.types import Contract
from ingestion import pipeline
from ingestion.documents import JOIN, Extraction, ParagraphText
from ingestion.models import Paragraph
from tests.conftest import Person
from tests.ingestion.helpers import ready
from tests.ingestion.pdfs import HEIGHT, draw, grid, line

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True)]

RUN = 6  # words
WORD = re.compile(r"[^\W_]+")
PLAIN = "The quay is closed for two days, and the gate stays open."
ROWS = [
    ["Position", "Name of holder", "Pay in euros"],
    ["Harbour master", "Wilhelmina Brandt", "EUR 91,400"],
    ["Deputy warden", "Anselm Okonkwo", "EUR 78,250"],
]
BESIDE = "Bonus agreed orally"  # on a picture within the table


def draw_table_on_picture(canvas: Canvas) -> None:
    """A table on a tinted picture, with a picture of text within it."""
    line(canvas, 72, 80, PLAIN, size=12)
    tint = Image.new("RGB", (900, 300))
    tint.putdata([(235 + x % 9, 240, 245) for _ in range(300) for x in range(900)])
    canvas.drawImage(ImageReader(tint), 60, HEIGHT - 320, 480, 200)
    end = grid(canvas, 72, 140, [*ROWS, ["", "", ""]], width=150, height=40)
    note = Image.new("L", (560, 100), 255)
    ImageDraw.Draw(note).text((10, 20), BESIDE, fill=0, font_size=48)
    canvas.drawImage(ImageReader(note), 230, HEIGHT - end + 6, 140, 25)


def draw_table_on_shapes(canvas: Canvas) -> None:
    """A table between curved shapes, which might be letters."""
    line(canvas, 72, 80, PLAIN, size=12)
    for x in range(72, 520, 9):
        for top in (146, 186, 226):
            canvas.circle(x, HEIGHT - top, 2, fill=1)
    grid(canvas, 72, 140, ROWS, width=150, height=40)


def build_pdf(folder: Path, page: Callable[[Canvas], None]) -> bytes:
    return draw(folder / "page.pdf", page).read_bytes()


def build_word(folder: Path, page: object) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    document.core_properties.comments = " ".join(ROWS[1])
    document.add_paragraph(PLAIN)
    table = document.add_table(rows=0, cols=3)
    for row in ROWS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    Image.new("L", (200, 200), 255).save(folder / "blank.png")
    picture = (
        document.add_paragraph(" ".join(ROWS[2]) + " are not told.").add_run().add_picture(str(folder / "blank.png"))
    )
    picture._inline.docPr.set("descr", f"A chart of it: {' '.join(ROWS[1][:2])} stands first")
    document.save(out)
    return out.getvalue()


FILES = {
    "picture.pdf": (build_pdf, draw_table_on_picture),
    "shapes.pdf": (build_pdf, draw_table_on_shapes),
    "word.docx": (build_word, None),
}


def list_runs(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in WORD.findall(text)]
    return {tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}


def collect_seen(who: Person, file: str) -> Iterator[str]:
    """All that the doors of a file, and of searches, give."""
    for door in ("", "reader/", "links/", "versions/", "remainder/", "download/"):
        yield html.unescape(who.api.get(f"/api/files/{file}/{door}").content.decode("latin-1"))
    for page in (f"files/{file}/", f"files/{file}/versions/", "search/?q=harbour+master"):
        yield re.sub(r"<[^>]*>", " ", html.unescape(who.client.get(f"{who.base}{page}").content.decode()))
    for words in ("Brandt", "deputy warden", "euros", "bonus", "quay gate"):
        yield str(who.api.get("/api/search/", {"q": words}).json())
    shown = who.api.get(f"/api/files/{file}/view.pdf")
    content = b"".join(shown.streaming_content) if shown.streaming else shown.content
    if shown.status_code == 200 and content.startswith(b"%PDF"):
        with pdfium.PdfDocument(content) as document:
            yield " ".join(page.get_textpage().get_text_range() for page in document)


def find_repeated(who: Person, service: Scope, file: str) -> set[tuple[str, ...]]:
    """Runs of hidden paragraphs in what somebody sees who is cleared for Public alone."""
    with service.open():
        rows = Paragraph.objects.filter(file=file)
        hidden = [row.text for row in rows if row.data_classification != 0]
    assert any(ROWS[1][1] in text for text in hidden), "the table is hidden"
    runs = set().union(*map(list_runs, hidden))
    return runs & set().union(*map(list_runs, collect_seen(who, file)))


@pytest.mark.parametrize("name", FILES)
def test_no_six_words_of_a_hidden_paragraph_stand_elsewhere(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path, name: str
) -> None:
    build, page = FILES[name]
    file = ready(alice, contract, name, build(tmp_path, page))  # type: ignore[operator]
    assert PLAIN in str(viewer.api.get(f"/api/files/{file}/reader/").json()).replace("\\n", " "), "the rest is shown"
    assert find_repeated(viewer, service, file) == set()
    with service.open():
        said = [row.text for row in Paragraph.objects.filter(file=file)]
    for word in ("Wilhelmina", "Okonkwo"):
        assert sum(word in text for text in said) <= 1 + (name == "word.docx"), said


def test_what_is_recognised_within_a_table_has_its_label(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path
) -> None:
    file = ready(alice, contract, "a.pdf", build_pdf(tmp_path, draw_table_on_picture))
    with service.open():
        (row,) = Paragraph.objects.filter(file=file, text__contains=BESIDE.split()[0])
    assert ROWS[1][1] in row.text
    assert BESIDE.split()[0] not in " ".join(collect_seen(viewer, file))


def test_control_a_table_is_read_once_more(
    alice: Person, viewer: Person, contract: Contract, service: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault that this was made for: the head of the table once more, below it and as text of its own."""
    reading = pipeline.extract_file

    def read_twice(*given: Any, **options: Any) -> Extraction:
        found = reading(*given, **options)
        end = found.paragraphs[-1].end + len(JOIN)
        text = " ".join(ROWS[0])
        copy = ParagraphText(text, "text", 1, (), (), "en", end, end + len(text), "ocr")
        return replace(found, paragraphs=(*found.paragraphs, copy))

    monkeypatch.setattr(pipeline, "extract_file", read_twice)
    file = ready(alice, contract, "a.pdf", build_pdf(tmp_path, draw_table_on_shapes))
    assert find_repeated(viewer, service, file) == list_runs(" ".join(ROWS[0]))
