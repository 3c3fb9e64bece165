"""Pictures among the text of PDF pages: what is read on them stands as paragraphs behind the text of their page.

What is seen of words of the page, or within a table, is no text of its own: who may not read those may not read it. A
picture that returns at the same place of other pages, such as a logo, is looked at once; its paragraphs get a box on
every page that shows it, so that a page is cleared only when they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ingestion.boxes import Boxes
from ingestion.extract.build import Builder
from ingestion.extract.eyes import IN_PICTURES, UNSURE, Eyes, note_doubt
from ingestion.extract.pdf_checks import SMALL, Key
from ingestion.extract.pdf_covers import find_hidden_pictures
from ingestion.extract.pdf_lines import group_in_reading_order, split_segments
from ingestion.extract.pdf_paragraphs import Hyphenation, build_blocks
from ingestion.extract.pdf_seen import Look, has_text_layer, is_ornament, is_over_text, list_unsaid_words
from ingestion.extract.pdf_shapes import is_drawing, is_unknown
from ingestion.extract.pdf_tables import build_last_row
from ingestion.extract.pdf_words import PageContent, PdfPicture, Word
from ingestion.extract.picture_text import join_in_a_row, list_words
from ingestion.picture_reading import PictureReading, Region

Place = tuple[Key, tuple[int, ...]]
HIDDEN = "This page does not show a picture whole; text in what is hidden, if any, was not read."
UNSHOWN = "This PDF holds a picture that no page shows; text in it, if any, was not read."
UNREAD = "This page has a picture; text in it, if any, was not read."
IN_LAYERS = "This page has a drawing, and the document layers that are not shown; text in those was not read."
DRAWN = "This page has a drawing; text in it, if any, was not read."
LETTERS = "The fonts of this page do not say what some of its letters are."
SIGNS = 3  # letters or digits of what is a word in a drawing, however hardly it is read
NO_TITLES = 1_000.0  # points: no type is larger than a body of that size, so nothing on a picture becomes a heading


@dataclass(slots=True)
class _PictureText:
    """What a picture said when it was met first."""

    paragraphs: list[tuple[int, Boxes]] = field(default_factory=list)


class Pictures:
    def __init__(self, builder: Builder, eyes: Eyes, hyphenation: Hyphenation) -> None:
        self._builder, self._eyes, self._hyphenation = builder, eyes, hyphenation
        self._told: dict[Place, _PictureText] = {}
        self._recorded: set[Key] = set()
        self._met: set[Key] = set()
        self._apart: set[Key] = set()
        self._frames: Sequence[Region] = ()
        self.explained: list[Region] = []  # where pictures of the page that was taken last stand that were read

    def take(self, number: int, content: PageContent, look: Look | None, frames: Sequence[Region] = ()) -> None:
        """The pictures of a page whose text has been read. frames: of its tables."""
        self.explained, self._frames = [], frames
        open_ones = [p for p in content.pictures if not is_ornament(p) and not has_text_layer(p, content.written)]
        self.explained += [clip_to_page(p, content) for p in content.pictures if has_text_layer(p, content.written)]
        open_ones += content.drawings
        fresh: list[PdfPicture] = []
        for picture in open_ones:
            told = self._told.get(_get_place(picture))
            if told is None:
                fresh.append(picture)
            elif not is_drawing(picture):
                self.explained.append(clip_to_page(picture, content))
            for paragraph, boxes in told.paragraphs if told else ():
                self._builder.add_boxes(paragraph, [replace(box, page=number) for box in boxes])
        regions = tuple(clip_to_page(picture, content) for picture in fresh)
        seen = self._eyes.look(f"page {number}", number, regions) if fresh and look is not None else None
        if seen is not None:
            self._read(number, content, list(zip(fresh, regions, strict=True)), seen)
            self.explained += [clip_to_page(p, content) for p in open_ones if not is_unknown(p) and not is_drawing(p)]
            return
        for picture in fresh:
            if picture.key not in self._recorded:
                self._recorded.add(picture.key)
                self._builder.miss(*_describe_unread(picture), number)
                self.explained.append(clip_to_page(picture, content))  # it is on record for this page

    def take_hidden(self, number: int, content: PageContent, layered: bool, first: int) -> None:
        """What a page does not show of its pictures; layered: it may show none of those in a layer. first: number of
        its first paragraph."""
        self._met |= {picture.key for picture in content.pictures}
        if layered and any(map(is_drawing, content.drawings)):
            self._builder.miss("drawing", IN_LAYERS, number)
        if not layered and not content.covers and not any(picture.cut for picture in content.pictures):
            return
        with_text = {n for n, picture in enumerate(content.pictures) if has_text_layer(picture, content.written)}
        for picture in content.pictures if layered else find_hidden_pictures(content, with_text):
            if max(picture.key[:2]) > SMALL and picture.key not in self._apart:
                self._apart.add(picture.key)
                self._builder.miss("image", HIDDEN, number)

    def take_unshown(self, keys: Iterable[Key]) -> None:
        """Those of the file that no page shows."""
        for key in keys:
            if key not in self._met:
                self._builder.miss("image", UNSHOWN)

    def _read(
        self, number: int, content: PageContent, pictures: list[tuple[PdfPicture, Region]], seen: PictureReading
    ) -> None:
        seen = _drop_specks(seen, [region for picture, region in pictures if is_drawing(picture)])
        note_doubt(seen, self._builder, number)
        left = list_unsaid_words(content.written, seen)
        for picture, region in pictures:
            told = self._told[_get_place(picture)] = _PictureText()
            inside = [word for word in left if _is_in(word, region)]
            if is_unknown(picture) and not any(_is_in(word, region) for word in list_words(seen)):
                self._builder.miss(*_describe_unread(picture), number)
            taken = {id(word) for word in inside}
            left = [word for word in left if id(word) not in taken]
            if not is_unknown(picture):
                inside = self._drop_over_text(number, content, inside)
            inside = self._add_to_tables(number, inside, told)
            for group in group_in_reading_order(split_segments(inside), content.width):
                for block in build_blocks(group, number, NO_TITLES, self._hyphenation):
                    paragraph = self._builder.add(
                        block.text, page=number, boxes=block.boxes, path=IN_PICTURES, read_by="ocr"
                    )
                    if paragraph is not None:
                        told.paragraphs.append((paragraph, block.boxes))

    def _drop_over_text(self, number: int, content: PageContent, words: list[Word]) -> list[Word]:
        """Without those that stand on words of the page, which are weighed for the original alone."""
        over = [word for word in words if is_over_text(word, content.written)]
        self._builder.add_remainder([join_in_a_row(over, number)[0]])
        dropped = {id(word) for word in over}
        return [word for word in words if id(word) not in dropped]

    def _add_to_tables(self, number: int, words: list[Word], told: _PictureText) -> list[Word]:
        """Without those within a table, which become a row of it, so that they have its label."""
        tables = self._builder.list_tables_on(number)
        tables += [(table, frame) for table, region in tables for frame in self._frames if _is_within(region, frame)]
        for table, region in tables:
            inside = [word for word in words if _is_in(word, region, around=0)]
            taken = {id(word) for word in inside}
            words = [word for word in words if id(word) not in taken]
            said = [word for word in inside if any(map(str.isalnum, word.text))]  # the others are its rules
            if said:
                longer, boxes = build_last_row(self._builder.list_from(table)[0], said, number)
                self._builder.extend_table(table, longer, boxes)
                told.paragraphs.append((table, Boxes(boxes)))
        return words


def _describe_unread(picture: PdfPicture) -> tuple[str, str]:
    if is_unknown(picture):
        return "unreadable_text", LETTERS
    return ("image", DRAWN if is_drawing(picture) else UNREAD)


def _drop_specks(seen: PictureReading, drawn: Sequence[Region]) -> PictureReading:
    """Shapes look like letters: signs in drawings that are hardly read are none."""
    if not drawn:
        return seen
    words = [
        word
        for word in seen.words
        if word.confidence >= UNSURE
        or sum(map(str.isalnum, word.text)) >= SIGNS
        or not any(a <= (word.x0 + word.x1) / 2 <= c and b <= (word.y0 + word.y1) / 2 <= d for a, b, c, d in drawn)
    ]
    return replace(seen, words=tuple(words))


def clip_to_page(picture: PdfPicture, content: PageContent) -> Region:
    """The part of a picture that shows."""
    return max(0.0, picture.x0), max(0.0, picture.y0), min(content.width, picture.x1), min(content.height, picture.y1)


def _get_place(picture: PdfPicture) -> Place:
    return picture.key, tuple(round(n) for n in (picture.x0, picture.y0, picture.x1, picture.y1))


def _is_within(inner: Region, outer: Region) -> bool:
    return (
        outer[0] <= inner[0] + 5 and outer[1] <= inner[1] + 5 and inner[2] <= outer[2] + 5 and inner[3] <= outer[3] + 5
    )


def _is_in(word: Word, region: Region, around: float = 5) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return region[0] - around <= x <= region[2] + around and region[1] - around <= y <= region[3] + around
