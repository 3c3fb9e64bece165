"""PDFs for tests, drawn word by word, so that a test knows where everything stands."""

import io
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pikepdf
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = 595.0, 842.0
LOREM = (
    "The supplier shall deliver the goods in time and the customer shall accept them without delay. "
    "Each party bears the cost of its own counsel and keeps confidential what it learns of the other. "
    "Notices are given in writing and take effect on the day they are received at the stated address. "
)


def draw(path: Path, *pages: Callable[[Canvas], None], **options: object) -> Path:
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), **options)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def line(canvas: Canvas, x: float, top: float, text: str, size: float = 10, bold: bool = False) -> None:
    """Text whose base line is `top` points from the top."""
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    canvas.drawString(x, HEIGHT - top, text)


def prose(canvas: Canvas, x: float, top: float, width: float, text: str, size: float = 10) -> float:
    """Wrapped text; returns where the next line would stand."""
    canvas.setFont("Helvetica", size)
    current = ""
    for word in text.split():
        if canvas.stringWidth(f"{current} {word}".strip(), "Helvetica", size) > width:
            canvas.drawString(x, HEIGHT - top, current)
            top += 1.2 * size
            current = word
        else:
            current = f"{current} {word}".strip()
    canvas.drawString(x, HEIGHT - top, current)
    return top + 1.2 * size


def grid(canvas: Canvas, x: float, top: float, rows: list[list[str]], width: float = 110, height: float = 22) -> float:
    """A ruled table; returns where it ends."""
    bottom = top + height * len(rows)
    for index in range(len(rows) + 1):
        canvas.line(x, HEIGHT - top - index * height, x + width * len(rows[0]), HEIGHT - top - index * height)
    for index in range(len(rows[0]) + 1):
        canvas.line(x + index * width, HEIGHT - top, x + index * width, HEIGHT - bottom)
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            line(canvas, x + column * width + 4, top + row * height + 15, cell)
    return bottom


def picture(canvas: Canvas, x: float, top: float, width: float, height: float, shade: int = 0) -> None:
    from PIL import Image

    content = io.BytesIO()
    Image.new("RGB", (60, 40), (shade, 100, 100)).save(content, "PNG")
    content.seek(0)
    canvas.drawImage(ImageReader(content), x, HEIGHT - top - height, width, height)


def changed(path: Path, change: Callable[[pikepdf.Pdf], None]) -> Path:
    """The PDF at `path` written anew after a change of its structure."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(path)
    return path


def added(path: Path, objects: dict[int, bytes]) -> Path:
    """The PDF at `path` with a later version behind it, in which these objects are others, or new."""
    before = path.read_bytes()
    with pikepdf.open(path) as pdf:
        root, size = pdf.trailer.Root.objgen[0], max(int(pdf.trailer.Size), *(number + 1 for number in objects))
    last = int(before.rsplit(b"startxref", 1)[1].split()[0])
    written, table = before, b"xref\n"
    for number, content in objects.items():
        table += b"%d 1\n%010d 00000 n \n" % (number, len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    trailer = b"trailer\n<< /Size %d /Root %d 0 R /Prev %d >>\n" % (size, root, last)
    path.write_bytes(written + table + trailer + b"startxref\n%d\n%%%%EOF\n" % len(written))
    return path


def assembled(path: Path, objects: Sequence[bytes], trailer: bytes = b"", before: bytes = b"") -> Path:
    """A PDF of these objects, numbered from 1 and written as they are given; the first is the catalogue.

    before: stands behind the header, and the table says nothing of it.
    """
    written, table = b"%PDF-1.7\n" + before, b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number, content in enumerate(objects, start=1):
        table += b"%010d 00000 n \n" % len(written)
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    end = b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
    path.write_bytes(written + table + end + b"startxref\n%d\n%%%%EOF\n" % len(written))
    return path


def bomb(path: Path, rounds: int = 2, megabytes: int = 40) -> Path:
    """A few kilobytes whose page unpacks to 40 MB of blanks and then says hello, packed several times over."""
    content = b" " * (1 << 20)
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(content) for _ in range(megabytes))
    packed += packer.compress(b"BT /F1 12 Tf 72 700 Td (hello) Tj ET") + packer.flush()
    for _ in range(rounds - 1):
        packed = zlib.compress(packed, 9)
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(WIDTH, HEIGHT))
    stream = pikepdf.Stream(pdf, b"")
    stream.write(packed, filter=pikepdf.Array([pikepdf.Name.FlateDecode] * rounds))
    pdf.pages[0].Contents = pdf.make_indirect(stream)
    pdf.save(path, stream_decode_level=pikepdf.StreamDecodeLevel.none, recompress_flate=False)
    return path
