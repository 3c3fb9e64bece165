"""What a packet of metadata (XMP, ISO 16684-1) says in words: of a PDF, of a part of it, or of a picture.

What programs note for programs is left out: dates, sizes, numbers of versions, names of software. All else was written
by somebody about what is in the file, and travels with the original.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from ingestion.extract.clean import one_line

PARSER: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "huge_tree": False,
    "recover": True,
    "remove_comments": True,
    "remove_pis": True,
}
# What a packet is made of, whatever it says.
FRAME = (
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}",
    "{adobe:ns:meta/}",
    "{http://www.w3.org/XML/1998/namespace}",
    "{http://ns.adobe.com/xmp/note/}",
)
# Schemas of what programs tell each other: histories, fonts, colours, settings of a camera, levels of a standard.
TECHNICAL = (
    "http://ns.adobe.com/xap/1.0/mm/",
    "http://ns.adobe.com/xap/1.0/sType/",
    "http://ns.adobe.com/xap/1.0/t/",
    "http://ns.adobe.com/xap/1.0/g/",
    "http://ns.adobe.com/xmp/InDesign/",
    "http://ns.adobe.com/illustrator/",
    "http://ns.adobe.com/camera-raw-",
    "http://ns.adobe.com/exif/1.0/aux/",
    "http://ns.adobe.com/pdfx/1.3/id",
    "http://ns.adobe.com/hdr",
    "http://ns.google.com/photos/",
    "http://ns.apple.com/",
    "http://cipa.jp/exif/",
    "http://www.aiim.org/pdf",
    "http://www.npes.org/pdfx/",
)
NAMES = {"creator": "Author", "description": "Subject", "subject": "Keywords", "title": "Title", "rights": "Copyright"}
SOFTWARE = frozenset(
    {"Producer", "PDFVersion", "Trapped", "CreatorTool", "format", "language", "type", "date", "identifier", "Rating"}
    | {"CreateDate", "ModifyDate", "MetadataDate", "DateCreated", "SourceModified", "Marked", "ColorMode", "ICCProfile"}
    | {"LegacyIPTCDigest", "DocumentAncestors", "CreationDate", "ModDate", "image", "GPSVersionID"}
)
OF_CAMERA = ("http://ns.adobe.com/exif/1.0/", "http://ns.adobe.com/tiff/1.0/")
TOLD_BY_CAMERA = frozenset({"UserComment", "GPSLatitude", "GPSLongitude", "ImageDescription", "Artist", "Copyright"})
NO_WORDS = re.compile(r"[\W\d_]*|true|false|(?:uuid|xmp\.[a-z]+|adobe):\S*|[0-9a-f-]{24,}|\d{4}-\d\d-\d\dT\S*", re.I)


class Unreadable(Exception):
    """There is something that is no XMP, or more than the words of it."""


def said_by(packet: bytes) -> dict[str, str]:
    """Texts by name, those of one name joined. Raises Unreadable."""
    content = packet.strip(b"\0 \t\r\n")
    if not content:
        return {}
    parser = etree.XMLParser(**PARSER)
    try:
        root = etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError):
        raise Unreadable from None
    torn = any(error.level == etree.ErrorLevels.FATAL for error in parser.error_log)  # some of it is left out
    if root is None or torn or root.getroottree().docinfo.doctype:
        raise Unreadable
    found: dict[str, dict[str, None]] = {}
    for element in root.iter():
        if not isinstance(element.tag, str):
            raise Unreadable  # an entity: its words stand elsewhere
        for name, text in [(element.tag, element.text or ""), *element.attrib.items()]:
            said = one_line(text)
            label = _label(element, name)
            if label and not NO_WORDS.fullmatch(said):
                found.setdefault(label, {})[said] = None
        if element.tail and (tail := one_line(element.tail)):
            found.setdefault("Metadata", {})[tail] = None
    return {name: "; ".join(texts) for name, texts in found.items()}


def _label(element: Any, name: str) -> str:
    """The name of the property that a text belongs to; "" of what programs note for programs."""
    given = name != element.tag
    if given and name.startswith(FRAME) and not name.endswith("}resource"):
        return ""
    tags = [name] * given + [element.tag, *(parent.tag for parent in element.iterancestors())]
    properties = [tag for tag in tags if not tag.startswith(FRAME)]
    if not properties or any(map(_is_technical, properties)):
        return "" if properties else "Metadata"
    local = properties[0].rpartition("}")[2]
    return NAMES.get(local, local[:1].upper() + local[1:])[:100]


def _is_technical(name: str) -> bool:
    space, _, local = name[1:].rpartition("}")
    if space in OF_CAMERA:
        return local not in TOLD_BY_CAMERA
    return local in SOFTWARE or local.startswith("MSIP_Label_") or space.startswith(TECHNICAL)
