"""A new PDF of pictures and text. Nothing of another PDF is in it but the pixels that it is given."""

import io
import re
from collections.abc import Sequence

import pikepdf
from pikepdf import Array, Dictionary, Name

from ingestion.extract.right_to_left import RIGHT_TO_LEFT
from ingestion.pdf_bars import HEIGHT, Bar
from ingestion.pdf_drawing import PageJpeg
from ingestion.pdf_fonts import UNSEEN, GlyphlessFont, VisibleFont, clean_text, measure_width
from ingestion.visible_pdf import CutPage, PlacedText, SetLine

A4 = (595.0, 842.0)
MARGIN = 56.0
SIZES = {"text": 10.5, "heading": 13.0, "note": 9.0}
LEADING = 1.35
RUN = re.compile(rf"{RIGHT_TO_LEFT.pattern}(?:[\W_]*{RIGHT_TO_LEFT.pattern})*")
SLANT = 4.0  # points from one line of a hatched bar to the next
STRIP = 14.0  # points: height of a line below a page that says what else is on it


class Writer:
    def __init__(self) -> None:
        self.pdf = pikepdf.new()
        self.unseen, self.seen, self.bold = GlyphlessFont(), VisibleFont(), VisibleFont(bold=True)
        self.fonts = self.pdf.make_indirect(Dictionary())

    def add_cut_page(self, page: CutPage, picture: PageJpeg) -> None:
        """A page as it was drawn, with its text over it, and below it what else it has."""
        below = STRIP * len(page.requires)
        content, objects = [], Dictionary()
        if picture.jpeg:
            image = self.pdf.make_stream(picture.jpeg)
            image.Type, image.Subtype, image.Filter = Name.XObject, Name.Image, Name.DCTDecode
            image.Width, image.Height = picture.across, picture.down
            image.ColorSpace, image.BitsPerComponent = Name.DeviceRGB, 8
            objects.I = image
            content.append(f"q {picture.width:.2f} 0 0 {picture.height:.2f} 0 {below:.2f} cm /I Do Q")
        content += [draw_bar(bar, picture.height + below) for bar in page.bars]
        content += [self._draw_piece(piece, picture.height + below) for piece in page.pieces if piece.text]
        for number, sentence in enumerate(page.requires):
            y = below - STRIP * (number + 1) + 4
            content.append(self._draw_line(sentence, "note", 36.0, y))
        self._add_page(content, objects, (picture.width, picture.height + below))

    def add_lines(self, lines: Sequence[SetLine]) -> None:
        """Text on as many sheets as it needs."""
        content: list[str] = []
        top = A4[1] - MARGIN
        for line in lines:
            size = SIZES[line.kind]
            for part in wrap_lines(line.text, size, A4[0] - 2 * MARGIN, bold=line.kind == "heading"):
                if top - size * LEADING < MARGIN:
                    self._add_page(content, Dictionary(), A4)
                    content, top = [], A4[1] - MARGIN
                top -= size * LEADING
                content.append(self._draw_line(part, line.kind, MARGIN, top))
            top -= 0.6 * size
        if content:
            self._add_page(content, Dictionary(), A4)

    def bytes(self) -> bytes:
        if not self.pdf.pages:
            self._add_page([], Dictionary(), A4)
        self.fonts.U = self.unseen.object(self.pdf)
        for font in (self.seen, self.bold):
            for name, given in font.objects(self.pdf):
                self.fonts[f"/{name}"] = given
        output = io.BytesIO()
        self.pdf.save(output, static_id=True)
        return output.getvalue()

    def _draw_piece(self, piece: PlacedText, height: float) -> str:
        text = reorder_for_display(clean_text(piece.text))
        x, y, size = piece.x0, height - piece.y1 + 0.2 * (piece.y1 - piece.y0), max(1.0, piece.y1 - piece.y0)
        wide, word = max(1.0, piece.x1 - piece.x0), text.rstrip() or " "
        if piece.copied:
            scale = 100 * wide / (len(word) * UNSEEN * size / 1000)
            return f"BT 3 Tr /U {size:.2f} Tf {scale:.2f} Tz {x:.2f} {y:.2f} Td {self.unseen.code(text)} Tj ET"
        scale = 100 * wide / (measure_width(word, 0.8 * size) or 1)
        shown = " ".join(f"/{font} {0.8 * size:.2f} Tf {code} Tj" for font, code in self.seen.runs(text))
        return f"BT 0 Tr 0 g {scale:.2f} Tz {x:.2f} {y:.2f} Td {shown} ET"

    def _draw_line(self, text: str, kind: str, x: float, y: float) -> str:
        font = self.bold if kind == "heading" else self.seen
        shown = " ".join(
            f"/{name} {SIZES[kind]} Tf {code} Tj" for name, code in font.runs(reorder_for_display(clean_text(text)))
        )
        return f"BT 0 Tr {0.4 if kind == 'note' else 0} g 100 Tz {x:.2f} {y:.2f} Td {shown} ET"

    def _add_page(self, content: Sequence[str], objects: pikepdf.Object, size: tuple[float, float]) -> None:
        page = Dictionary(
            Type=Name.Page,
            MediaBox=Array([0, 0, round(size[0], 2), round(size[1], 2)]),
            Resources=Dictionary(Font=self.fonts, XObject=objects),
            Contents=self.pdf.make_stream("\n".join(content).encode("ascii")),
        )
        self.pdf.pages.append(pikepdf.Page(self.pdf.make_indirect(page)))


def draw_bar(bar: Bar, height: float) -> str:
    """A grey bar with slanted lines. height: of the page, in points."""
    x, y, end = bar.x, height - bar.y - HEIGHT, bar.x + bar.width
    starts = [x - HEIGHT + SLANT * number for number in range(1, int((bar.width + HEIGHT) / SLANT) + 1)]
    lines = " ".join(f"{start:.2f} {y:.2f} m {start + HEIGHT:.2f} {y + HEIGHT:.2f} l" for start in starts)
    area = f"{x:.2f} {y:.2f} {end - x:.2f} {HEIGHT:.2f} re"
    return f"q {area} W n 0.94 g {area} f 0.72 G 0.6 w {lines} S 0.6 G {area} S Q"


def reorder_for_display(text: str) -> str:
    """Letters from left to right: a run of words that are read from right to left the other way round."""
    return RUN.sub(lambda run: run[0][::-1], text) if RIGHT_TO_LEFT.search(text) else text


def wrap_lines(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    """Lines of at most `width` points. A word that is longer is cut."""
    lines = []
    for given in text.splitlines():
        line = ""
        for word in given.split():
            longer = f"{line} {word}" if line else word
            if measure_width(longer, size, bold=bold) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            while measure_width(word, size, bold=bold) > width:
                most = max(1, int(len(word) * width / measure_width(word, size, bold=bold)))
                lines.append(word[:most])
                word = word[most:]
            line = word
        lines.append(line)
    return lines


def write_pdf(pages: Sequence[tuple[CutPage, PageJpeg]], lines: Sequence[SetLine]) -> bytes:
    """The pages, and behind them sheets with `lines`."""
    writer = Writer()
    for page, picture in pages:
        writer.add_cut_page(page, picture)
    writer.add_lines(lines)
    return writer.bytes()
