"""OpenDocument presentations: each slide a page with its title as heading, then its text and its notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line, paragraph
from ingestion.extract.eyes import Eyes
from ingestion.extract.odt import KNOWN_PARTS, SILENT_PARTS, Walk, properties_of, refuse_encrypted
from ingestion.extract.package import DAMAGE, Package, attribute, local
from ingestion.extract.package_parts import look_at_parts
from ingestion.sandbox.limits import Limits, Quarantined, Report

DECK = "presentation"
NOTES, ON_EVERY_SLIDE = "Speaker notes", "On every slide"


def extract(path: Path, *, limits: Limits, report: Report, eyes: Eyes) -> Extraction:
    """Raises Quarantined: bomb, corrupt, empty, encrypted, too_many_pages."""
    package = Package(path, limits, "LibreOffice")
    report("reading")
    builder = Builder()
    try:
        refuse_encrypted(package)
        content = package.root("content.xml")
        styles = package.root("styles.xml") if "styles.xml" in package.names else None
        slides = [page for page in content.iter("{*}page") if local(page.getparent()) == "presentation"]
        if len(slides) > limits.pages:
            detail = f"This presentation has {len(slides)} slides; up to {limits.pages} can be read. Split it."
            raise Quarantined("too_many_pages", detail)
        walk = Walk(builder, [content] if styles is None else [content, styles], package.names)
        walk.record(content)
        for number, slide in enumerate(slides, 1):
            report("reading", number, len(slides))
            builder.page = number
            _add_slide(slide, walk, builder)
        builder.page = None
        for master in styles.iter("{*}master-page") if styles is not None else ():
            for holder in [one for one in master if attribute(one, "class")]:
                master.remove(holder)  # what stands in it says what to write there
            builder.add_unsaid(_lines(master), ON_EVERY_SLIDE)
        look_at_parts(package, builder, SILENT_PARTS, KNOWN_PARTS, DECK, eyes)
        if "meta.xml" in package.names:
            builder.add_properties(properties_of(package.root("meta.xml")))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.missed():
        raise Quarantined("empty", "There is no text on these slides. Check that you chose the right file.")
    return builder.extraction(sniff.ODP, len(slides) or None, "layout")


def _add_slide(slide: Any, walk: Walk, builder: Builder) -> None:
    """The title first; the notes last."""
    notes: list[str] = []
    titled = False
    for child in list(slide):
        if local(child) == "notes":
            notes += _lines(child)
            slide.remove(child)
        elif attribute(child, "class") == "title" and not titled and (lines := _lines(child)):
            builder.add(one_line(" ".join(lines)), "heading", level=1.0)
            slide.remove(child)
            titled = True
    walk.add_blocks(slide, "text")
    builder.add(paragraph("\n".join(notes)), path=(NOTES,))


def _lines(element: Any) -> list[str]:
    """Paragraphs, without the numbers of pages that fields count."""
    lines = []
    for line in element.iter("{*}p", "{*}h"):
        said = [line.text or ""]
        for inner in line.iterdescendants():
            shown = "" if local(inner) in ("page-number", "date", "time") else inner.text or ""
            said += [" " if local(inner) in ("s", "tab", "line-break") else shown, inner.tail or ""]
        if text := one_line("".join(said)):
            lines.append(text)
    return lines
