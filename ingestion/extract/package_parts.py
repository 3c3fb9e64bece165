"""What an office file holds beside the text that is read: the strings of every part and of the archive around them, and
on record what is no text. A part that is on no list here is an unknown part."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from ingestion.extract.build import Builder
from ingestion.extract.eyes import Eyes
from ingestion.extract.font_strings import is_font
from ingestion.extract.package import DAMAGE, Package, get_attribute, get_local_name
from ingestion.extract.sweep_package import list_texts_of_archive, list_texts_of_part
from ingestion.extract.sweep_picture import sweep_picture

# {what}: the kind of document, in a word.
DETAILS = {
    "image": "There are pictures in this {what}; text in them, if any, was not read.",
    "drawing": "There are charts, shapes or diagrams in this {what}; they were not read.",
    "embedded_object": "Other files or controls are embedded in this {what}; they were not read.",
    "macros": "There are macros in this {what}; they were neither run nor read.",
    "media": "There is sound or film in this {what}; it was not read.",
    "thumbnail": "There is a small picture of this {what} in it, which was not read.",
    "font": "There are fonts in this {what}; they were not read.",
    "formula": "Some formulas have no value kept with them; what they show was not read. Save the {what} again.",
    "damaged_part": "A part of this {what} is damaged; it was not read.",
    "unknown_part": "This {what} has parts that are not known here; they were not read.",
}
# Parts that are no text, by their names and what is on record of them. Every other such part is unknown.
PARTS = (
    (re.compile(r"docProps/thumbnail\..*|Thumbnails/.*"), "thumbnail"),
    (re.compile(r"(?:.*/)?fonts/.*", re.I), "font"),
    (re.compile(r"(?:.*/)?(?:media|Pictures)/[^/]*\.(?:mp[34]|m4[av]|wav|avi|mov|wmv|wma|aiff?|midi?)", re.I), "media"),
    (re.compile(r"(?:.*/)?(?:media|Pictures)/.*|ObjectReplacements/.*", re.I), "image"),
    (re.compile(r".*/(?:embeddings|activeX|ctrlProps|afchunk.*|externalLinks)/.*|Object.*"), "embedded_object"),
    (re.compile(r".*/(?:vba.*|macrosheets/.*)|(?:Basic|Scripts|Dialogs)/.*"), "macros"),
)
UNDESCRIBED = frozenset({"picture", "image", "name of file"})  # what programs write where nobody described a picture
# Drawings and what they say to who cannot see them, hints of their links, letters as shapes (watermarks).
SHAPES = ("shape", "group", "rect", "roundrect", "oval", "line", "polyline", "curve", "arc", "image")
DESCRIBED = {
    "docPr": ("title", "descr"),
    "cNvPr": ("title", "descr"),
    "hlinkClick": ("tooltip",),
    "hlinkHover": ("tooltip",),
    "textpath": ("string",),
    **dict.fromkeys(SHAPES, ("title", "alt")),
}


def record_miss(builder: Builder, code: str, what: str, page: int | None = None) -> None:
    """Records one of DETAILS."""
    builder.miss(code, DETAILS[code].format(what=what), page)


def list_descriptions(root: Any, left_out: Callable[[Any], bool] = lambda _: False) -> Iterator[str]:
    """What the drawings in `root` say beside their text, without those that are `left_out`."""
    for element in root.iter(*(f"{{*}}{name}" for name in DESCRIBED)):
        said = " ".join(filter(None, (get_attribute(element, key) for key in DESCRIBED[get_local_name(element)])))
        if said and said.lower() not in UNDESCRIBED and not left_out(element):
            yield said


def sweep_package(
    package: Package, builder: Builder, what: str, eyes: Eyes, read: Collection[str] = frozenset()
) -> None:
    """Gathers the strings of every part; pictures are looked at, and what is no text is recorded. read: parts that the
    reader has read itself: pictures in their places, embedded files."""
    try:
        builder.add_remainder(list_texts_of_archive(package.path, lambda: record_miss(builder, "unknown_part", what)))
    except DAMAGE:  # its parts can be read all the same
        record_miss(builder, "damaged_part", what)
    for name in package.names:
        code = next((code for pattern, code in PARTS if pattern.fullmatch(name)), "unknown_part")
        try:
            texts, more = list_texts_of_part(package, name)
            if texts is not None:
                builder.add_remainder(texts, packed=True)
                if more:
                    record_miss(builder, "unknown_part", what)
                continue
            if code == "font" and not is_font(package.content(name)):
                code = "unknown_part"
            if code in ("image", "thumbnail"):
                sweep_picture(package.content(name), builder)
        except DAMAGE:
            code = "damaged_part"
        if name in read:
            continue
        if code == "image":
            eyes.picture(builder, name, code, DETAILS[code].format(what=what))
        else:
            record_miss(builder, code, what)
