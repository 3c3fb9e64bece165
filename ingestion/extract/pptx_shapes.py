"""Shapes of a slide: in which order, what they say, and which of them do not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingestion.extract.package import get_local_name

ORNAMENT = 48 * 12_700  # EMU: smaller pictures hold no text


def get_relationship_id(slide: Any) -> str:
    """The id of the relationship, not that of the slide."""
    return next((str(value) for key, value in slide.attrib.items() if key.endswith("}id")), "")


def walk_shapes(root: Any) -> Iterator[Any]:
    """Shapes in order, those of groups in their place; of alternatives, the one that today's programs show."""
    trees = [root]
    while trees:
        element = trees.pop()
        name = get_local_name(element)
        if name in ("sp", "pic", "graphicFrame", "cxnSp", "contentPart"):
            yield element
        elif name == "AlternateContent":
            trees += [*reversed([child for child in element if get_local_name(child) == "Choice"][:1])]
        elif name in ("sld", "sldLayout", "sldMaster", "notes", "cSld", "spTree", "grpSp", "Choice"):
            if name == "grpSp" and is_hidden(element):
                yield element
            else:
                trees += [*reversed(element)]


def get_placeholder_kind(shape: Any) -> str | None:
    """The kind of placeholder that a shape fills; "" where it does not say, None for no placeholder."""
    mark = next(shape.iter("{*}ph"), None)
    return None if mark is None else mark.get("type") or ""


def is_hidden(shape: Any) -> bool:
    properties = next(shape.iter("{*}cNvPr"), None)
    return properties is not None and properties.get("hidden") in ("1", "true")


def is_apart(element: Any) -> bool:
    """Whether it is a hint of a link, which is told with its address, hidden, or an older copy."""
    around = [element, *element.iterancestors()]
    hidden = (mark for one in around for mark in one.findall("./*/{*}cNvPr"))
    return (
        element.get("tooltip") is not None
        or any(get_local_name(one) == "Fallback" for one in around)
        or any(mark.get("hidden") in ("1", "true") for mark in hidden)
    )


def is_ornament(shape: Any) -> bool:
    extent = next((e for e in shape.iter("{*}ext") if e.get("cx") and e.get("cy")), None)
    return extent is not None and max(int(extent.get("cx")), int(extent.get("cy"))) <= ORNAMENT


def extract_paragraphs(shape: Any) -> Iterator[str]:
    """The text of each paragraph of a shape or a cell; numbers of slides, which fields count, are left out."""
    for line in shape.iter("{*}p"):
        said: list[str] = []
        for element in line.iter("{*}t", "{*}br"):
            field = element.getparent()
            if any(get_local_name(above) == "Fallback" for above in element.iterancestors()):
                continue
            if get_local_name(element) == "br":
                said.append("\n")
            elif not (get_local_name(field) == "fld" and (field.get("type") or "") == "slidenum"):
                said.append(element.text or "")
        yield "".join(said)
