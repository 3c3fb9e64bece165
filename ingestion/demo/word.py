"""Writes a demo document as DOCX with python-docx, then repacks it so that the same source gives the same bytes."""

import io
import re
import zipfile
from datetime import datetime, time
from typing import Any

from docx import Document as new_document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from .source import DemoDocument, DemoNote, DemoPageBreak, DemoTable, Heading, Items, Prose

SPAN = re.compile(r"(\*\*.+?\*\*|\*.+?\*)")


def _add_runs(paragraph: Any, text: str) -> Any:
    for part in SPAN.split(text):
        if part.startswith("**"):
            paragraph.add_run(part[2:-2]).bold = True
        elif part.startswith("*"):
            paragraph.add_run(part[1:-1]).italic = True
        elif part:
            paragraph.add_run(part)
    return paragraph


def _set_styles(word: Any, document: DemoDocument) -> None:
    red, green, blue = (int(document.colour[i : i + 2], 16) for i in (1, 3, 5))
    tint = RGBColor(red, green, blue)
    normal = word.styles["Normal"]
    normal.font.name, normal.font.size = "Liberation Sans", Pt(10)
    normal.element.rPr.rFonts.set(qn("w:eastAsia"), "Liberation Sans")
    normal.paragraph_format.space_after = Pt(7)
    for name, size in (("Title", 22), ("Heading 1", 13), ("Heading 2", 11)):
        style = word.styles[name]
        style.font.name, style.font.size, style.font.color.rgb = "Liberation Sans", Pt(size), tint
        for slot in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
            style.element.rPr.rFonts.attrib.pop(qn(slot), None)


def _repeat_header(row: Any) -> None:
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    row._tr.get_or_add_trPr().append(mark)


def _add_table(word: Any, grid: DemoTable) -> None:
    if grid.caption:
        _add_runs(word.add_paragraph(style="Caption"), grid.caption)
    table = word.add_table(rows=0, cols=len(grid.header), style="Light Grid Accent 1")
    table.alignment = WD_TABLE_ALIGNMENT.CENTER
    unit = 166 / sum(grid.widths)
    for cells in (grid.header, *grid.rows):
        row = table.add_row()
        for cell, text, width in zip(row.cells, cells, grid.widths, strict=True):
            cell.width = Mm(unit * width)
            _add_runs(cell.paragraphs[0], text).paragraph_format.space_after = Pt(2)
    _repeat_header(table.rows[0])
    word.add_paragraph()


def _write_document(document: DemoDocument) -> bytes:
    word: Any = new_document()
    _set_styles(word, document)
    section = word.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(22)
    core, moment = word.core_properties, datetime.combine(document.dated, time(9))
    core.title, core.author = document.title, document.author
    core.subject, core.keywords = document.subject, document.keywords
    core.created = core.modified = moment
    core.last_modified_by, core.revision, core.language, core.comments = document.author, 1, "en-GB", ""
    # The letterhead stands in the text: headers and footers of a DOCX are not read, and would block its download.
    _add_runs(word.add_paragraph(), f"**{document.company}** · {document.reference} · {document.dated:%-d %B %Y}")
    word.add_paragraph(document.title, style="Title")
    _add_runs(word.add_paragraph(), f"*{document.subtitle}*")
    for label, value in document.facts:
        _add_runs(word.add_paragraph(), f"**{label}:** {value}").paragraph_format.space_after = Pt(2)
    for block in document.blocks:
        match block:
            case Heading(level=level, text=text):
                word.add_heading(text, level=level)
            case Prose(text=text):
                _add_runs(word.add_paragraph(), text)
            case DemoNote(text=text):
                _add_runs(word.add_paragraph(style="Intense Quote"), text)
            case Items(ordered=ordered, items=items):
                for text in items:
                    _add_runs(word.add_paragraph(style="List Number" if ordered else "List Bullet"), text)
            case DemoTable():
                _add_table(word, block)
            case DemoPageBreak():
                word.add_page_break()
            case _:
                raise ValueError(f"{document.name}: {type(block).__name__} has no DOCX form")
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def render_docx(document: DemoDocument) -> bytes:
    """The document as DOCX bytes: members in name order, dated as the document is, without the template's thumbnail."""
    stamp = (document.dated.year, document.dated.month, document.dated.day, 9, 0, 0)
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_write_document(document))) as source, zipfile.ZipFile(target, "w") as packed:
        names = [n for n in source.namelist() if not n.startswith("docProps/thumbnail")]
        for name in sorted(names, key=lambda n: (n != "[Content_Types].xml", n)):
            content = source.read(name)
            if name == "_rels/.rels":
                content = re.sub(rb"<Relationship [^>]*thumbnail[^>]*/>", b"", content)
            member = zipfile.ZipInfo(name, stamp)
            member.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(member, content)
    return target.getvalue()
