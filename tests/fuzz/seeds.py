"""One good file of each format that is read: what the corpus spoils, and what must be read after each spoilt one."""

import csv
import email.message
import io
import re
import zipfile

import docx
import openpyxl
import pikepdf
import pptx
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.fuzz.recipe import Kit
from tests.ingestion.packages import odt as write_odt

DATE = re.compile(rb"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")
WORDS = [
    "the",
    "supplier",
    "delivers",
    "goods",
    "quay",
    "storm",
    "permit",
    "meeting",
    "budget",
    "clause",
    "notice",
    "party",
    "agreement",
    "invoice",
    "schedule",
    "risk",
    "engineer",
    "harbour",
    "crane",
    "delay",
    "cost",
    "supervisor",
    "report",
    "annex",
    "winter",
    "contract",
    "tender",
    "lease",
    "review",
    "audit",
]


def sentence(kit: Kit, words: int = 12) -> str:
    return " ".join(kit.rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def prose(kit: Kit, sentences: int = 4) -> str:
    return " ".join(sentence(kit) for _ in range(sentences))


def rows(kit: Kit) -> list[list[str]]:
    head = ["Item", "Quantity", "Place"]
    return [head, *([kit.rng.choice(WORDS), str(kit.rng.randrange(100)), kit.rng.choice(WORDS)] for _ in range(5))]


def pdf(kit: Kit, pages: int = 2) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=True)
    for page in range(pages):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(60, 780, f"Part {page + 1}")
        canvas.setFont("Helvetica", 10)
        for line in range(8):
            canvas.drawString(60, 740 - 14 * line, sentence(kit))
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def plain_pdf(kit: Kit) -> bytes:
    """With streams that are not packed, so that what spoils bytes spoils operators."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf(kit))) as document:
        document.save(
            out,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            deterministic_id=True,
        )
    return out.getvalue()


def word(kit: Kit) -> bytes:
    document = docx.Document()
    document.add_heading("Report", 1)
    for _ in range(3):
        document.add_paragraph(prose(kit))
    table = document.add_table(0, 3)
    for row in rows(kit):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    return saved(document)


def workbook(kit: Kit) -> bytes:
    book = openpyxl.Workbook()
    for row in rows(kit):
        book.active.append(row)
    book.create_sheet("Second").append([prose(kit)])
    return saved(book)


def deck(kit: Kit) -> bytes:
    presentation = pptx.Presentation()
    for _ in range(2):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = sentence(kit, 4)
        slide.placeholders[1].text = prose(kit)
    return saved(presentation)


def saved(document) -> bytes:
    """The package, with no time of today in it."""
    out = io.BytesIO()
    document.save(out)
    with zipfile.ZipFile(out) as archive:
        return packed({name: DATE.sub(b"2026-01-01T00:00:00", archive.read(name)) for name in archive.namelist()})


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in members.items():
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def odt(kit: Kit, body: str | None = None) -> bytes:
    out = io.BytesIO()
    write_odt(out, body or "".join(f"<text:p>{prose(kit)}</text:p>" for _ in range(4)))
    with zipfile.ZipFile(out) as archive:
        return packed({name: archive.read(name) for name in archive.namelist()})


def html(kit: Kit, body: str | None = None) -> bytes:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows(kit))
    inside = body or f"<h1>Report</h1><p>{prose(kit)}</p><table>{cells}</table><p>{prose(kit)}</p>"
    return f"<!DOCTYPE html><html><head><title>Report</title></head><body>{inside}</body></html>".encode()


def markdown(kit: Kit) -> bytes:
    table = "\n".join(f"| {' | '.join(row)} |" for row in [rows(kit)[0], ["---"] * 3, *rows(kit)[1:]])
    return f"# Report\n\n{prose(kit)}\n\n- {sentence(kit)}\n- {sentence(kit)}\n\n{table}\n\n{prose(kit)}\n".encode()


def table(kit: Kit) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows(kit))
    return out.getvalue().encode()


def mail(kit: Kit, *attached: tuple[str, bytes]) -> bytes:
    message = email.message.EmailMessage()
    message["Subject"], message["From"], message["To"] = sentence(kit, 4), "a@example.org", "b@example.org"
    message.set_content(prose(kit))
    message.add_alternative(html(kit).decode(), subtype="html")
    for name, content in attached or (("note.txt", prose(kit).encode()),):
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    message.set_boundary("outer")
    for number, part in enumerate(message.walk()):
        if part.is_multipart() and number:
            part.set_boundary(f"inner{number}")
    return bytes(message)


def text(kit: Kit) -> bytes:
    return "\n\n".join(prose(kit) for _ in range(4)).encode()


# extension → how a good one is made
SEEDS = {
    "pdf": pdf,
    "docx": word,
    "xlsx": workbook,
    "pptx": deck,
    "odt": odt,
    "html": html,
    "md": markdown,
    "csv": table,
    "eml": mail,
    "txt": text,
}
