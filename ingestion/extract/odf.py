"""What OpenDocument files have in common (ODF 1.3): passwords, properties, lines of text, drawings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.package import Package, get_attribute, get_local_name
from ingestion.extract.package_parts import record_miss
from ingestion.sandbox.limits import Quarantined

BLANKS = frozenset(["s", "tab", "line-break"])  # elements that stand for white space
COUNTED = frozenset(["page-number", "date", "time"])  # fields that each program fills anew
NAMED = frozenset(["title", "subject", "description", "keyword", "initial-creator", "creator", "user-defined"])
OBJECTS = {"object": "embedded_object", "object-ole": "embedded_object", "plugin": "media", "script": "macros"}

# What is drawn in or behind a paragraph, or on a page: it has paragraphs of its own, and words that describe it.
DRAWN = ("frame", "g", "custom-shape", "rect", "line", "polyline", "polygon", "regular-polygon", "path", "circle") + (
    ("ellipse", "connector", "caption", "measure", "page-thumbnail", "control", "scene")
)
DRAWINGS = tuple(f"{{*}}{name}" for name in DRAWN)


def list_drawing_descriptions(element: Any) -> list[str]:
    """The words that describe something drawn."""
    marks = element.iterchildren("{*}title", "{*}desc")
    return [text for mark in marks if (text := clean_paragraph("".join(mark.itertext())))]


def refuse_encrypted(package: Package) -> None:
    """Raises Quarantined: encrypted."""
    if "META-INF/manifest.xml" in package.names:
        manifest = package.root("META-INF/manifest.xml")
        if next(manifest.iter("{*}encryption-data"), None) is not None:
            raise Quarantined("encrypted", "This file is protected by a password. Save it without one and upload it.")


def add_properties(package: Package, builder: Builder) -> None:
    """What a document says of itself."""
    found: dict[str, str] = {}
    for element in package.root("meta.xml").iter() if "meta.xml" in package.names else ():
        name, text = get_local_name(element), clean_line(" ".join(element.itertext()))
        if name in NAMED and text:
            title = (get_attribute(element, "name") or name if name == "user-defined" else name).capitalize()
            found[title] = f"{found[title]}, {text}" if title in found else text
    builder.add_properties(found)


def read_line(element: Any) -> str:
    """What a paragraph says, without its comments."""
    parts = [element.text or ""]
    for inner in element:
        name = get_local_name(inner)
        if name in BLANKS:
            parts.append(" ")
        elif name and name not in COUNTED and name != "annotation":
            parts.append(read_line(inner))
        parts.append(inner.tail or "")
    return clean_line("".join(parts))


def read_lines(element: Any) -> Iterator[str]:
    """What each paragraph in an element says, without those in its notes and comments."""
    for line in element.iter("{*}p", "{*}h"):
        around = {get_local_name(above) for above in line.iterancestors()}
        if "annotation" not in around and (text := read_line(line)):
            yield text


def read_comments(element: Any) -> Iterator[str]:
    """Who commented, and what."""
    for comment in element.iter("{*}annotation"):
        yield ": ".join(
            text for part in comment.iter("{*}creator", "{*}p") if (text := clean_line("".join(part.itertext())))
        )


def record_objects(element: Any, package: Package, builder: Builder, what: str, page: int | None = None) -> None:
    """Records what is embedded in an element, and pictures that lie elsewhere: those in the package are looked at."""
    for inner in element.iter("{*}image", *(f"{{*}}{name}" for name in OBJECTS)):
        name = get_local_name(inner)
        if name != "image":
            record_miss(builder, OBJECTS[name], what, page)
        elif get_attribute(inner, "href") not in package.names:
            record_miss(builder, "image", what, page)
