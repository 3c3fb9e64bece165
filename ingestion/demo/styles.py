"""Fonts, colours and paragraph styles of the demo's PDF documents."""

from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from .source import DemoDocument

FONT_FOLDERS = (Path("/usr/share/fonts/truetype/liberation"), Path("/usr/share/fonts/liberation"))
FACES = {"normal": "Regular", "bold": "Bold", "italic": "Italic", "boldItalic": "BoldItalic"}
SANS, BOLD = "LiberationSans-Regular", "LiberationSans-Bold"
INK = HexColor("#1D2733")
GREY = HexColor("#66727F")
LINE = HexColor("#CBD3DA")
WASH = HexColor("#F3F6F8")
AMBER = HexColor("#D98A1F")
PALE = HexColor("#B9C6D1")
WATER = HexColor("#D5E6EF")


def register_fonts() -> None:
    """Make the Liberation faces known to reportlab. Exits with a sentence when they are not installed."""
    folder = next((f for f in FONT_FOLDERS if f.is_dir()), None)
    if folder is None:
        raise SystemExit("The Liberation fonts are missing: install them (Debian: fonts-liberation) and run again.")
    for family in ("Sans", "Serif"):
        names = {face: f"Liberation{family}-{suffix}" for face, suffix in FACES.items()}
        for name in names.values():
            pdfmetrics.registerFont(TTFont(name, folder / f"{name}.ttf"))
        pdfmetrics.registerFontFamily(f"Liberation{family}-Regular", **names)


def build_paragraph_styles(document: DemoDocument) -> dict[str, ParagraphStyle]:
    """The styles of one document by name: serif for agreements, sans for everything else, headings in its colour."""
    family = "LiberationSerif-Regular" if document.style == "agreement" else "LiberationSans-Regular"
    size = 10.5 if document.style == "agreement" else 9.8
    tint = HexColor(document.colour)
    sheet: dict[str, ParagraphStyle] = {}

    def add_style(name: str, parent: str | None = None, **options: Any) -> None:
        sheet[name] = ParagraphStyle(name, parent=sheet[parent] if parent else None, **options)

    add_style("body", fontName=family, fontSize=size, leading=size * 1.42, textColor=INK, spaceAfter=8.5,
        bulletFontName=family, bulletFontSize=size, allowWidows=0, allowOrphans=0)  # fmt: skip
    add_style("title", "body", fontName=BOLD, fontSize=23, leading=28, textColor=tint, spaceAfter=3)
    add_style("subtitle", "body", fontSize=10.6, leading=15, textColor=GREY, spaceAfter=10)
    add_style("heading", "body", fontName=BOLD, keepWithNext=1)
    add_style("h1", "heading", fontSize=14, leading=18, textColor=tint, spaceBefore=12, spaceAfter=6)
    add_style("h2", "heading", fontSize=10.8, leading=14, spaceBefore=6, spaceAfter=4)
    add_style("clause", "body", leftIndent=11 * mm, bulletIndent=0)
    add_style("subclause", "body", leftIndent=19 * mm, bulletIndent=11 * mm)
    add_style("item", "body", leftIndent=6 * mm, bulletIndent=1.5 * mm, spaceAfter=4)
    add_style("note", "body", spaceAfter=0)
    add_style("cell", "body", fontName=SANS, fontSize=8.4, leading=11, spaceAfter=0)
    add_style("number", "cell", alignment=TA_RIGHT)
    add_style("head", "cell", fontName=BOLD, textColor=white)
    add_style("headnumber", "head", alignment=TA_RIGHT)
    add_style("label", "cell", fontName=BOLD, textColor=GREY)
    add_style("caption", "label", spaceBefore=5, spaceAfter=4, keepWithNext=1)
    add_style("longcaption", "caption", keepWithNext=0)
    return sheet
