"""PowerPoint presentations: each slide a page with its title as heading, its text, its tables, and the rest by name.

Shapes are read in the order of the file, which is the order screen readers tell them in, titles first. Text that
layouts and masters put on every slide is told once. Speaker notes, comments and hidden slides are read; hidden shapes,
and what no shape shows, are of the remainder (package_parts.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ingestion.documents import Extraction
from ingestion.extract import sniff
from ingestion.extract.build import Builder
from ingestion.extract.clean import clean_line, clean_paragraph
from ingestion.extract.drawn_parts import add_drawing_text
from ingestion.extract.embedded_files import add_embedded
from ingestion.extract.eyes import Eyes
from ingestion.extract.package import DAMAGE, Package, Relationship, get_attribute, get_local_name, read_properties
from ingestion.extract.package_parts import DETAILS, list_descriptions, sweep_package
from ingestion.extract.pptx_shapes import (
    extract_paragraphs,
    get_placeholder_kind,
    get_relationship_id,
    is_apart,
    is_hidden,
    is_ornament,
    walk_shapes,
)
from ingestion.extract.rows import format_markdown_table
from ingestion.sandbox.limits import Limits, Quarantined, Report

DECK = "presentation"
TITLES = frozenset(["title", "ctrTitle"])
RUNNING = frozenset(["ftr", "hdr", "dt"])  # footers, headers and dates, told once
LISTED = frozenset(["body", "obj", ""])  # placeholders whose paragraphs are points of a list
COMMENTS = re.compile(r"ppt/(?:c|threadedC)omments/[^/]*\.xml")


def extract(path: Path, *, limits: Limits, report: Report, skip: Collection[int], eyes: Eyes) -> Extraction:
    """skip: slides (1-based) that broke an earlier attempt. Raises Quarantined: bomb, corrupt, empty, no_pages,
    too_many_pages."""
    package = Package(path, limits, "PowerPoint")
    report("reading")
    builder = Builder()
    try:
        deck = _Deck(package, builder, eyes)
        slides = deck.slides()
        pages = {name: number for number, name in enumerate(slides, 1)}
        if not slides:
            raise Quarantined("no_pages", "This presentation has no slides. Check that you chose the right file.")
        if len(slides) > limits.pages:
            raise Quarantined(
                "too_many_pages",
                f"This presentation has {len(slides)} slides; up to {limits.pages} can be read. Split it.",
            )
        for number, name in enumerate(slides, 1):
            report("reading", number, len(slides))
            deck.read(number, name, skip)
        report("finishing")
        if deck.failed == len(slides):
            raise package.corrupt()
        deck.finish()
        add_drawing_text(package, builder, pages)
        embedded = add_embedded(package, builder, limits, report)
        sweep_package(package, builder, DECK, eyes, {*deck.pictures, *embedded})
        builder.add_properties(read_properties(package))
    except DAMAGE:
        raise package.corrupt() from None
    if not len(builder) and not builder.has_gaps():
        raise Quarantined("empty", "There is no text on these slides. Check that you chose the right file.")
    return builder.build_extraction(sniff.PPTX, len(slides), "layout")


class _Deck:
    def __init__(self, package: Package, builder: Builder, eyes: Eyes) -> None:
        self._package, self._builder, self._eyes = package, builder, eyes
        self._part = package.main()
        self._running: set[str] = set()
        self.pictures: set[str] = set()
        self.failed = 0
        self._page: int | None = None
        self._path: tuple[str, ...] = ()

    def slides(self) -> list[str]:
        """Names of the parts of the slides, in order."""
        links = self._package.links(self._part)
        root = self._package.root(self._part)
        named = root.iter("{*}section", "{*}custShow")
        sections = dict.fromkeys(said for one in named if (said := clean_line(one.get("name") or "")))
        self._builder.add("Sections: " + ", ".join(sections) if sections else "", path=())
        return [
            links[get_relationship_id(slide)].target for slide in root.iter("{*}sldId") if get_relationship_id(slide)
        ]

    def read(self, number: int, name: str, skip: Collection[int]) -> None:
        """One slide; one that is damaged costs the others nothing."""
        self._page, self._path = number, ()
        try:
            if number in skip:
                raise ValueError
            root = self._package.root(name)
            self._read_slide(root, name)
        except DAMAGE:
            self.failed += 1
            self._builder.miss("page_failed", "This slide could not be read; the others were.", number)

    def finish(self) -> None:
        """What layouts and masters add, and comments."""
        self._page, self._path = None, ()
        for name in self._package.names:
            if re.fullmatch(r"ppt/slide(?:Layouts|Masters)/[^/]+\.xml", name):
                root, first = self._package.root(name), len(self._builder)
                for shape in walk_shapes(root):
                    if get_placeholder_kind(shape) is None:
                        self._read_shape(shape, name)
                self._read_shape_metadata(root, name, first)
            elif COMMENTS.fullmatch(name):
                for said in self._package.root(name).iter("{*}text", "{*}txBody"):
                    self._builder.add(clean_line(" ".join(said.itertext())), path=("Comments",))

    def _read_slide(self, root: Any, name: str) -> None:
        shapes = list(walk_shapes(root))
        first = len(self._builder)
        titles = [shape for shape in shapes if get_placeholder_kind(shape) in TITLES]
        for title in titles:
            text = clean_line(" ".join(extract_paragraphs(title)))
            if text:
                self._builder.add(text, "heading", level=1.0, page=self._page)
                self._path = (text,)
        for shape in shapes:
            if shape not in titles:
                self._read_shape(shape, name)
        self._read_shape_metadata(root, name, first)

    def _read_shape(self, shape: Any, part: str) -> None:
        if not is_hidden(shape):
            first = len(self._builder)
            self._read_content(shape, part)
            self._describe(shape, first)

    def _read_content(self, shape: Any, part: str) -> None:
        role = get_placeholder_kind(shape)
        if role == "sldNum":
            return
        self._add_pictures(shape, part)
        if get_local_name(shape) == "graphicFrame":
            self._read_frame(shape)
            return
        texts = [text for said in extract_paragraphs(shape) if (text := clean_paragraph(said))]
        if role in RUNNING or self._page is None:
            texts = [text for text in texts if text not in self._running]
            self._running.update(texts)
        for text in texts:
            self._add_paragraph(text, "list" if role in LISTED else "text")

    def _add_paragraph(self, text: str, kind: Any) -> None:
        self._builder.add(text, kind, page=self._page, path=self._path)

    def _read_frame(self, frame: Any) -> None:
        """A table; texts of a chart or a diagram are of the remainder."""
        for table in frame.iter("{*}tbl"):
            rows = [
                [clean_line(" ".join(extract_paragraphs(cell))) for cell in row.iter("{*}tc")]
                for row in table.iter("{*}tr")
            ]
            if len(rows) == 1:
                self._add_paragraph(" | ".join(cell for cell in rows[0] if cell), "text")
            else:
                self._add_paragraph(format_markdown_table(rows), "table")

    def _add_pictures(self, shape: Any, part: str) -> None:
        """Pictures are recorded once each."""
        blips = [blip for blip in shape.iter("{*}blip") if get_attribute(blip, "embed") or get_attribute(blip, "link")]
        if not blips:
            return
        links = self._package.links(part)
        for blip in blips:
            link = links.get(get_attribute(blip, "embed") or get_attribute(blip, "link") or "")
            key = link.target if link else ""
            if key not in self.pictures and not is_ornament(shape):
                self.pictures.add(key)
                self._read_picture(link)

    def _read_picture(self, link: Relationship | None) -> None:
        if link is not None and not link.external:
            detail = DETAILS["image"].format(what=DECK)
            self._eyes.picture(self._builder, link.target, "image", detail, self._page, self._path)

    def _describe(self, root: Any, first: int) -> None:
        """first: where what is described begins, which may say it itself."""
        texts = [clean_paragraph(line) for line in list_descriptions(root, is_apart)]
        if self._page is None:  # layouts repeat what others have
            texts = [text for text in texts if text not in self._running]
            self._running.update(texts)
        self._builder.describe_block(texts, first, page=self._page, path=self._path)

    def _read_shape_metadata(self, root: Any, name: str, first: int) -> None:
        """What belongs to a slide and does not stand on it: descriptions of groups, addresses and hints of links.
        first: where the slide begins."""
        for text in self._builder.find_missing_texts(map(clean_paragraph, list_descriptions(root, is_apart)), first):
            if self._page is not None or text not in self._running:
                self._add_paragraph(text, "text")
            self._running.update([text] if self._page is None else ())
        said = [element.get("tooltip") or "" for element in root.iter("{*}hlinkClick", "{*}hlinkHover")]
        for link in self._package.links(name).values():
            if link.external and link.kind == "hyperlink":
                said.append(link.target)
            elif link.kind == "notesSlide" and not link.external:
                self._read_notes(link.target)
        self._read_background(root, name)
        words = dict.fromkeys(text for word in said if (text := clean_line(word)))
        self._add_paragraph("Links: " + ", ".join(words) if words else "", "text")

    def _read_background(self, root: Any, part: str) -> None:
        background = next(root.iter("{*}bg"), None)
        blip = next(background.iter("{*}blip"), None) if background is not None else None
        if blip is None:
            return
        link = self._package.links(part).get(get_attribute(blip, "embed") or get_attribute(blip, "link") or "")
        key = link.target if link else ""
        if key not in self.pictures:
            self.pictures.add(key)
            self._read_picture(link)

    def _read_notes(self, name: str) -> None:
        for shape in walk_shapes(self._package.root(name)):
            if get_placeholder_kind(shape) not in ("sldNum", "sldImg", "dt", "hdr", "ftr"):
                for text in extract_paragraphs(shape):
                    self._builder.add(clean_paragraph(text), page=self._page, path=("Notes",))
