"""OpenDocument presentations: each slide a page with its title as heading, then its text, comments and notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lxml import etree

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.eyes import Eyes
from ingestion.extract.odf import (
    DRAWN,
    add_properties,
    list_drawing_descriptions,
    read_comments,
    read_line,
    read_lines,
    record_objects,
    refuse_encrypted,
)
from ingestion.extract.package import DAMAGE, Package, get_attribute, get_local_name
from ingestion.extract.package_parts import sweep_package
from ingestion.extract.rows import format_markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

DECK = "presentation"
NOTES, COMMENTS, ON_EVERY_SLIDE = "Speaker notes", "Comments", "On every slide"


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted, too_many_pages."""
    package = Package(path, limits, "LibreOffice")
    report("reading")
    builder = Builder()
    try:
        refuse_encrypted(package)
        content = package.root("content.xml")
        slides = [page for page in content.iter("{*}page") if get_local_name(page.getparent()) == "presentation"]
        if len(slides) > limits.pages:
            detail = f"This presentation has {len(slides)} slides; up to {limits.pages} can be read. Split it."
            raise Quarantined("too_many_pages", detail)
        for number, slide in enumerate(slides, 1):
            report("reading", number, len(slides))
            builder.page = number
            _add_slide(slide, builder)
            record_objects(slide, package, builder, DECK, number)
        builder.page = None
        if "styles.xml" in package.names:
            _add_masters(package.root("styles.xml"), builder)
        sweep_package(package, builder, DECK, eyes)
        add_properties(package, builder)
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text on these slides. Check that you chose the right file.")
    return builder.build_extraction(sniff.ODP, len(slides) or None, "layout")


def _add_slide(slide: Any, builder: Builder) -> None:
    """The title first; the notes last."""
    notes = [text for child in slide if get_local_name(child) == "notes" for text in read_lines(child)]
    title = next(
        (child for child in slide if get_attribute(child, "class") == "title" and any(read_lines(child))), None
    )
    heading = clean_line(" ".join(read_lines(title))) if title is not None else ""
    path = (heading,) if heading else ()
    builder.add(heading, "heading", level=1.0)
    for child in slide:
        if child is not title and get_local_name(child) not in ("notes", "annotation"):
            _add_shape(child, builder, path)
    for comment in read_comments(slide):
        builder.add(comment, path=(COMMENTS,))
    builder.add(clean_paragraph("\n".join(notes)), path=(NOTES,))


def _add_shape(shape: Any, builder: Builder, path: tuple[str, ...]) -> None:
    """Paragraphs, points of lists, tables, and behind what is drawn the words that describe it."""
    begun: list[int] = []
    for event, element in etree.iterwalk(shape, events=("start", "end")):
        name = get_local_name(element)
        if name in DRAWN:
            if event == "start":
                begun.append(len(builder))
            else:
                builder.describe_block(list_drawing_descriptions(element), begun.pop(), path=path)
        if event == "end" or name not in ("p", "h", "table"):
            continue
        around = {get_local_name(above) for above in element.iterancestors()}
        if name == "table":
            rows = [
                [" ".join(read_lines(cell)) for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell")]
                for row in element.iter("{*}table-row")
            ]
            builder.add(
                format_markdown_table(rows) if len(rows) > 1 else " | ".join(*rows[:1] or [[]]), "table", path=path
            )
        elif "table" not in around and "annotation" not in around:
            text = read_line(element)
            builder.add(text, "list" if "list-item" in around else "text", path=path)


def _add_masters(styles: Any, builder: Builder) -> None:
    """What masters put on every slide. What stands in placeholders says only what to write there."""
    for master in styles.iter("{*}master-page"):
        shapes = [shape for shape in master if not get_attribute(shape, "class") and get_local_name(shape) != "notes"]
        builder.add_unsaid([text for shape in shapes for text in read_lines(shape)], ON_EVERY_SLIDE)
