"""What OpenDocument spreadsheets and presentations have in common (ODF 1.3): passwords, properties, lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.package import Package, attribute, local
from ingestion.extract.package_parts import miss
from ingestion.sandbox.limits import Quarantined

BLANKS = frozenset(["s", "tab", "line-break"])  # elements that stand for white space
COUNTED = frozenset(["page-number", "date", "time"])  # fields that each program fills anew
NAMED = frozenset(["title", "subject", "description", "keyword", "initial-creator", "creator", "user-defined"])
OBJECTS = {"object": "embedded_object", "object-ole": "embedded_object", "plugin": "media", "script": "macros"}


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
        name, text = local(element), one_line(" ".join(element.itertext()))
        if name in NAMED and text:
            title = (attribute(element, "name") or name if name == "user-defined" else name).capitalize()
            found[title] = f"{found[title]}, {text}" if title in found else text
    builder.add_properties(found)


def read_line(element: Any) -> str:
    """What a paragraph says, without its comments."""
    parts = [element.text or ""]
    for inner in element:
        name = local(inner)
        if name in BLANKS:
            parts.append(" ")
        elif name and name not in COUNTED and name != "annotation":
            parts.append(read_line(inner))
        parts.append(inner.tail or "")
    return one_line("".join(parts))


def read_lines(element: Any) -> Iterator[str]:
    """What each paragraph in an element says, without those in its notes and comments."""
    for line in element.iter("{*}p", "{*}h"):
        around = {local(above) for above in line.iterancestors()}
        if "annotation" not in around and (text := read_line(line)):
            yield text


def read_comments(element: Any) -> Iterator[str]:
    """Who commented, and what."""
    for comment in element.iter("{*}annotation"):
        yield ": ".join(
            text for part in comment.iter("{*}creator", "{*}p") if (text := one_line("".join(part.itertext())))
        )


def record_objects(element: Any, package: Package, builder: Builder, what: str, page: int | None = None) -> None:
    """Records what is embedded in an element, and pictures that lie elsewhere: those in the package are looked at."""
    for inner in element.iter("{*}image", *(f"{{*}}{name}" for name in OBJECTS)):
        name = local(inner)
        if name != "image":
            miss(builder, OBJECTS[name], what, page)
        elif attribute(inner, "href") not in package.names:
            miss(builder, "image", what, page)
