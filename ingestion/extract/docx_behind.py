"""Words of a Word document that no paragraph shows: descriptions of drawings, instructions of fields, items of lists to
choose from, hints, watermarks, names of places. They are in the file, so they are classified like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingestion.extract.docx_text import DRAWN, FIELD, INSTRUCTION, SIMPLE_FIELD, is_gone, w
from ingestion.extract.fields import words_in_field
from ingestion.extract.package import attribute, local
from ingestion.extract.package_parts import described

# Elements by their local names, and the attributes in which the author's words stand.
SAID_IN = {
    "hyperlink": ("tooltip",),
    "tblCaption": ("val",),
    "tblDescription": ("val",),
    "alias": ("val",),
    "tag": ("val",),
    "listItem": ("displayText", "value"),
    "helpText": ("val",),
    "statusText": ("val",),
    "listEntry": ("val",),
    "default": ("val",),
    "attr": ("val",),
    "permStart": ("ed",),
    "bookmarkStart": ("name",),
    "webVideoPr": ("embeddedHtml",),
}
TAGS = (INSTRUCTION, FIELD, SIMPLE_FIELD, DRAWN, *(f"{{*}}{name}" for name in SAID_IN))
# Marks that programs set by themselves.
AUTOMATIC = re.compile(r"_.*|OLE_LINK\d+|bookmark[=\d].*|goog_rdk_\d+|(?:Text|Check|Dropdown)\d+|id\.\w+", re.I)


def words_behind(block: Any) -> Iterator[str]:
    """Of a block of the body, or of another part."""
    instruction, opens = "", False
    for element in block.iter(*TAGS):
        if is_gone(element):
            continue
        if element.tag == INSTRUCTION:
            instruction += element.text or ""
            continue
        if element.tag == FIELD:
            yield from words_in_field(instruction, opens=opens)
            instruction, opens = "", element.get(w("fldCharType")) == "begin"
        elif element.tag == SIMPLE_FIELD:
            yield from words_in_field(element.get(w("instr")) or "")
        elif element.tag == DRAWN:
            yield element.text or ""
        else:
            yield from _in_attributes(element)
    yield from words_in_field(instruction, opens=opens)
    yield from described(block, is_gone)


def _in_attributes(element: Any) -> Iterator[str]:
    name = local(element)
    if name == "default" and local(element.getparent()) != "textInput":
        return  # the number of an item, or whether a box is ticked
    for key in SAID_IN[name]:
        said = attribute(element, key) or ""
        if name not in ("bookmarkStart", "tag", "permStart") or not AUTOMATIC.fullmatch(said):
            yield said
