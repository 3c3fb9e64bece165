"""Sets a demo document as a PDF: A4, embedded fonts, running header and footer, outline, metadata, no raster image."""

import html
import io
import os
import re
from datetime import UTC, datetime, time
from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from .figures import draw_figure
from .source import (
    Block,
    Clause,
    DemoDocument,
    DemoNote,
    DemoPageBreak,
    DemoTable,
    Figure,
    Heading,
    Items,
    Prose,
    Signatures,
)
from .styles import AMBER, BOLD, GREY, LINE, SANS, WASH, build_paragraph_styles, register_fonts

WIDTH, HEIGHT = A4
MARGIN = 22 * mm


def _mark_up_inline(text: str) -> str:
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text, quote=False)))


def _build_table(grid: DemoTable, styles: dict[str, ParagraphStyle], tint: HexColor, width: float) -> list[Flowable]:
    def build_row(cells: tuple[str, ...], left: str, right: str) -> list[Paragraph]:
        return [Paragraph(_mark_up_inline(c), styles[right if i in grid.right else left]) for i, c in enumerate(cells)]

    rows = [build_row(grid.header, "head", "headnumber"), *(build_row(cells, "cell", "number") for cells in grid.rows)]
    unit = width / sum(grid.widths)
    table = Table(rows, colWidths=[unit * w for w in grid.widths], repeatRows=1)
    table.setStyle(TableStyle([
        ("BACKGROUND", (0, 0), (-1, 0), tint),
        ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, WASH]),
        ("GRID", (0, 0), (-1, -1), 0.4, LINE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 3.4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ("LEFTPADDING", (0, 0), (-1, -1), 5),
        ("RIGHTPADDING", (0, 0), (-1, -1), 5),
        *(("RIGHTPADDING", (i, 0), (i, -1), 14) for i in grid.right if i + 1 < len(grid.header)),
    ]))  # fmt: skip
    caption: list[Flowable] = []
    if grid.caption and len(rows) > 12:
        caption = [CondPageBreak(40 * mm), Paragraph(_mark_up_inline(grid.caption), styles["longcaption"])]
    elif grid.caption:
        caption = [Paragraph(_mark_up_inline(grid.caption), styles["caption"])]
    return [*caption, table, Spacer(1, 10)]


def _build_signatures(block: Signatures, styles: dict[str, ParagraphStyle], width: float) -> Flowable:
    left, right = block.parties
    gap = 10 * mm
    signed = [Paragraph(f"Signed for <b>{_mark_up_inline(party)}</b>", styles["cell"]) for party in (left, right)]
    rows: list[list[Any]] = [[signed[0], "", signed[1]]]
    for line in ("Signature", "Name", "Date"):
        rows.append([Paragraph(f"{line}:", styles["label"]), "", Paragraph(f"{line}:", styles["label"])])
    half = (width - gap) / 2
    table = Table(rows, colWidths=[half, gap, half], rowHeights=[18, 34, 24, 24])
    lines = [("LINEBELOW", (i, 1), (i, 3), 0.5, LINE) for i in (0, 2)]
    table.setStyle(TableStyle([("VALIGN", (0, 0), (-1, -1), "BOTTOM"), *lines]))
    return KeepTogether([Spacer(1, 8), table])


def _build_flow(block: Block, styles: dict[str, ParagraphStyle], tint: HexColor, width: float) -> list[Flowable]:
    match block:
        case Heading(level=level, text=text):
            return [Paragraph(_mark_up_inline(text), styles[f"h{level}"])]
        case Prose(text=text):
            return [Paragraph(_mark_up_inline(text), styles["body"])]
        case Clause(number=number, text=text):
            style = styles["subclause" if number.startswith("(") else "clause"]
            return [Paragraph(_mark_up_inline(text), style, bulletText=number)]
        case DemoNote(text=text):
            box = Table([[Paragraph(_mark_up_inline(text), styles["note"])]], colWidths=[width])
            box.setStyle(TableStyle([
                ("BACKGROUND", (0, 0), (-1, -1), WASH),
                ("LINEBEFORE", (0, 0), (0, -1), 3, AMBER),
                ("LEFTPADDING", (0, 0), (-1, -1), 10),
                ("TOPPADDING", (0, 0), (-1, -1), 7),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
            ]))  # fmt: skip
            return [Spacer(1, 2), box, Spacer(1, 10)]
        case Items(ordered=ordered, items=items):
            marks = [f"{n}." if ordered else "•" for n in range(1, len(items) + 1)]
            lines = [
                Paragraph(_mark_up_inline(t), styles["item"], bulletText=m) for t, m in zip(items, marks, strict=True)
            ]
            return [*lines, Spacer(1, 5)]
        case DemoTable():
            return _build_table(block, styles, tint, width)
        case Figure(name=name, caption=caption):
            return [
                KeepTogether([draw_figure(name, width, tint), Paragraph(_mark_up_inline(caption), styles["caption"])])
            ]
        case DemoPageBreak():
            return [PageBreak()]
        case Signatures():
            return [_build_signatures(block, styles, width)]


def _build_facts(document: DemoDocument, styles: dict[str, ParagraphStyle], width: float) -> list[Flowable]:
    if not document.facts:
        return []
    rows = [[Paragraph(a, styles["label"]), Paragraph(_mark_up_inline(b), styles["cell"])] for a, b in document.facts]
    table = Table(rows, colWidths=[width * 0.24, width * 0.76])
    table.setStyle(TableStyle([
        ("LINEABOVE", (0, 0), (-1, 0), 1.2, AMBER),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
    ]))  # fmt: skip
    return [table, Spacer(1, 12)]


def _draw_mark(canvas: Any, x: float, y: float, size: float, tint: HexColor, paper: HexColor, waves: bool) -> None:
    """The company's mark: two waves for Harbour & Vale, contour lines for anybody else."""
    canvas.setFillColor(tint)
    canvas.roundRect(x, y, size, size, size * (0.18 if waves else 0.5), stroke=0, fill=1)
    canvas.setStrokeColor(paper)
    canvas.setLineWidth(size * 0.09)
    if not waves:
        for radius in (0.12, 0.27):
            canvas.circle(x + size * 0.5, y + size * 0.5, size * radius, stroke=1, fill=0)
        return
    for row in (0.32, 0.54):
        path = canvas.beginPath()
        path.moveTo(x + size * 0.18, y + size * row)
        path.curveTo(x + size * 0.38, y + size * (row + 0.28), x + size * 0.6, y + size * (row - 0.16),
                     x + size * 0.82, y + size * (row + 0.1))  # fmt: skip
        canvas.drawPath(path)


class _Template(BaseDocTemplate):
    """Page furniture and outline of one document; `pages` is its page count, known from a first pass."""

    def __init__(self, target: io.BytesIO, document: DemoDocument, pages: int) -> None:
        super().__init__(
            target, pagesize=A4, invariant=1, lang="en-GB", title=document.title,
            author=document.author, subject=document.subject, keywords=document.keywords, creator=document.company,
        )  # fmt: skip
        self.document, self.pages, self.tint = document, pages, HexColor(document.colour)
        self.waves = document.company.startswith("Harbour")
        frame = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
        first = Frame(MARGIN, 24 * mm, WIDTH - 2 * MARGIN, HEIGHT - 66 * mm, **frame)
        later = Frame(MARGIN, 24 * mm, WIDTH - 2 * MARGIN, HEIGHT - 52 * mm, **frame)
        self.addPageTemplates([
            PageTemplate("first", [first], onPage=self._draw_first_page),
            PageTemplate("later", [later], onPage=self._draw_later_page),
        ])  # fmt: skip

    def _draw_footer(self, canvas: Any) -> None:
        canvas.setStrokeColor(LINE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, 17 * mm, WIDTH - MARGIN, 17 * mm)
        canvas.setFont(SANS, 7.6)
        canvas.setFillColor(GREY)
        canvas.drawString(MARGIN, 12.5 * mm, f"{self.document.reference} · {self.document.dated:%-d %B %Y}")
        canvas.drawRightString(WIDTH - MARGIN, 12.5 * mm, f"Page {canvas.getPageNumber()} of {self.pages}")

    def _draw_first_page(self, canvas: Any, _template: Any) -> None:
        canvas.setFillColor(self.tint)
        canvas.rect(0, HEIGHT - 28 * mm, WIDTH, 28 * mm, stroke=0, fill=1)
        canvas.setFillColor(AMBER)
        canvas.rect(0, HEIGHT - 29.2 * mm, WIDTH, 1.2 * mm, stroke=0, fill=1)
        _draw_mark(canvas, MARGIN, HEIGHT - 20 * mm, 12 * mm, white, self.tint, self.waves)
        canvas.setFillColor(white)
        canvas.setFont(BOLD, 14)
        canvas.drawString(MARGIN + 17 * mm, HEIGHT - 15.8 * mm, self.document.company)
        canvas.setFont(SANS, 9)
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 15.8 * mm, self.document.reference)
        self._draw_footer(canvas)

    def _draw_later_page(self, canvas: Any, _template: Any) -> None:
        _draw_mark(canvas, MARGIN, HEIGHT - 18.5 * mm, 6 * mm, self.tint, white, self.waves)
        canvas.setFont(BOLD, 8.4)
        canvas.setFillColor(self.tint)
        canvas.drawString(MARGIN + 9 * mm, HEIGHT - 16.6 * mm, self.document.company)
        canvas.setFont(SANS, 8.4)
        canvas.setFillColor(GREY)
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 16.6 * mm, self.document.title)
        canvas.setStrokeColor(LINE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, HEIGHT - 21 * mm, WIDTH - MARGIN, HEIGHT - 21 * mm)
        self._draw_footer(canvas)

    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, Paragraph) and flowable.style.name in ("h1", "h2"):
            key = f"section-{self.seq.nextf('outline')}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(flowable.getPlainText(), key, level=int(flowable.style.name[1]) - 1, closed=1)


def _build_pdf(document: DemoDocument, pages: int) -> tuple[bytes, int]:
    styles, tint, width = build_paragraph_styles(document), HexColor(document.colour), WIDTH - 2 * MARGIN
    story: list[Flowable] = [NextPageTemplate("later"), Paragraph(_mark_up_inline(document.title), styles["title"])]
    story += [Paragraph(_mark_up_inline(document.subtitle), styles["subtitle"]), *_build_facts(document, styles, width)]
    for block in document.blocks:
        story += _build_flow(block, styles, tint, width)
    target = io.BytesIO()
    template = _Template(target, document, pages)
    template.build(story)
    return target.getvalue(), template.page


def render_pdf(document: DemoDocument) -> bytes:
    """The document as PDF bytes, the same bytes on every run; its creation date is the document's own date."""
    register_fonts()
    moment = datetime.combine(document.dated, time(9), UTC)
    os.environ["SOURCE_DATE_EPOCH"] = str(int(moment.timestamp()))
    _first, pages = _build_pdf(document, 0)
    return _build_pdf(document, pages)[0]
