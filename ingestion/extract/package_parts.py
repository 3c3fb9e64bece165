"""What stands in an office file beside the text that is read: every part of its package is known to be silent, or read
elsewhere, or recorded. A part that nobody thought of blocks the original."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingestion.extract.build import Builder
from ingestion.extract.clean import one_line
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import Package, attribute, local

# {what}: the kind of document, in a word.
DETAILS = {
    "comments": "There are comments in this {what}; they were not read.",
    "image": "There are pictures in this {what}; text in them, if any, was not read.",
    "drawing": "There are charts, shapes or diagrams in this {what}; they were not read.",
    "embedded_object": "Other files or controls are embedded in this {what}; they were not read.",
    "macros": "There are macros in this {what}; they were neither run nor read.",
    "media": "There is sound or film in this {what}; it was not read.",
    "hidden_data": "There is hidden data behind this {what}; it was not read.",
    "hidden_sheet": "There are hidden sheets in this {what}; they were not read.",
    "hidden_cells": "There are hidden rows or columns in this {what}; they were not read.",
    "hidden_slide": "There are hidden slides in this {what}; they were not read.",
    "hidden_text": "Some text of this {what} is formatted as hidden; it was not read.",
    "notes": "There are speaker notes in this {what}; they were not read.",
    "footnotes": "There are footnotes or endnotes in this {what}; they were not read.",
    "header_footer": "There is text in headers or footers of this {what}; it was not read.",
    "formula": "Some formulas have no value kept with them; what they show was not read. Save the {what} again.",
    "remote_reference": "This {what} refers to data elsewhere; it was neither fetched nor read.",
    "tracked_changes": "There are tracked changes in this {what}; what was deleted was not read.",
    "unknown_part": "This {what} has parts that are not known here; they were not read.",
}


UNDESCRIBED = frozenset({"picture", "image", "name of file"})  # what programs write where nobody described a picture
WORD = re.compile(r"\w+")
MOST_COMPARED = 2_000_000_000  # characters: beyond, what a text may say already is told again
# Drawings and what they say to who cannot see them, hints of their links, letters as shapes (watermarks).
SHAPES = ("shape", "group", "rect", "roundrect", "oval", "line", "polyline", "curve", "arc", "image")
DESCRIBED = {
    "docPr": ("title", "descr"),
    "cNvPr": ("title", "descr"),
    "hlinkClick": ("tooltip",),
    "hlinkHover": ("tooltip",),
    "textpath": ("string",),
    **dict.fromkeys(SHAPES, ("title", "alt", "href")),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Parts of a package by a pattern of their names, and how they are recorded.

    tags: local names of the elements that may hold words; only a part with words in them is recorded. Any words when
    empty; recorded in any case when None.
    """

    pattern: str
    code: str
    tags: tuple[str, ...] | None = None


def miss(builder: Builder, code: str, what: str, page: int | None = None) -> None:
    """Records one of DETAILS."""
    builder.miss(code, DETAILS[code].format(what=what), page)


def described(root: Any, left_out: Callable[[Any], bool] = lambda _: False) -> Iterator[str]:
    """What the drawings in `root` say beside their text, without those that are `left_out`."""
    for element in root.iter(*(f"{{*}}{name}" for name in DESCRIBED)):
        said = " ".join(filter(None, (attribute(element, key) for key in DESCRIBED[local(element)])))
        if said and said.lower() not in UNDESCRIBED and not left_out(element):
            yield said


def add_behind(
    builder: Builder, title: str, words: Iterable[str], first: int = 0, path: tuple[str, ...] | None = None
) -> None:
    """Words that nothing shows as a paragraph, each once, without those that the paragraphs from `first` on say."""
    lines = dict.fromkeys(said for word in words if (said := one_line(word)))
    text = builder.text_from(first).lower() if lines else ""
    known = frozenset(WORD.findall(text))
    maybe = [said for said in lines if known.issuperset(WORD.findall(said.lower()))]
    if len(maybe) * len(text) <= MOST_COMPARED:
        for said in {*maybe} - {*builder.unsaid(maybe, first)}:
            del lines[said]
    builder.add(f"{title}: {'; '.join(lines)}" if lines else "", path=path)


def look_at_parts(
    package: Package,
    builder: Builder,
    silent: re.Pattern[str],
    known: Iterable[Part],
    what: str,
    eyes: Eyes,
    read: Collection[str] = (),
) -> None:
    """Records every part that was not read and `silent` does not match, by the first of `known` that does; pictures are
    looked at."""
    for name in package.names:
        if name in read or silent.fullmatch(name):
            continue
        part = next((part for part in known if re.fullmatch(part.pattern, name)), Part("", "unknown_part"))
        if part.code == "image":
            eyes.picture(builder, name, part.code, DETAILS[part.code].format(what=what))
        elif part.tags is None or package.has_text(name, *part.tags):
            miss(builder, part.code, what)
