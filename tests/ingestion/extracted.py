"""What extraction makes of a PDF, in the words the tests of it use."""

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from ingestion.documents import Extraction, ParagraphText
from ingestion.extract import extract_file, inside
from tests.ingestion.pdfs import LOREM, line, prose


def read(path: Path, **options: object) -> Extraction:
    # What needs no limit is read here: a process for each of these would take most of the time.
    reader = extract_file if options else inside.extract
    extraction = reader(path, "report.pdf", **options)
    for paragraph in extraction.paragraphs:
        assert extraction.text[paragraph.start : paragraph.end] == paragraph.text
        words = " ".join(paragraph.text[box.start : box.end] for box in paragraph.boxes if box.page == paragraph.page)
        if paragraph.kind != "table" and paragraph.boxes:
            assert words.replace(" ", "") == "".join(paragraph.text.split())
    return extraction


def texts(extraction: Extraction) -> list[str]:
    return [paragraph.text for paragraph in extraction.paragraphs]


def the(extraction: Extraction, start: str) -> ParagraphText:
    return next(paragraph for paragraph in extraction.paragraphs if paragraph.text.startswith(start))


def missed(extraction: Extraction) -> set[tuple[str, int | None]]:
    return {(item.code, item.page) for item in extraction.unaccounted}


def report(canvas: Canvas) -> None:
    line(canvas, 60, 90, "Annual report", 20, bold=True)
    top = prose(canvas, 60, 130, 470, LOREM)
    line(canvas, 60, top + 20, "Payroll", 14, bold=True)
    top = prose(canvas, 60, top + 45, 470, "Jane earns more than last year. " + LOREM)
    line(canvas, 60, top + 20, "Outlook", 14, bold=True)
    prose(canvas, 60, top + 45, 470, LOREM)
