"""Words that were read off a picture, made into lines and paragraphs by the code that does it for PDFs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingestion.boxes import Box
from ingestion.extract.build import Builder
from ingestion.extract.eyes import UNSURE
from ingestion.extract.pdf_lines import group_in_reading_order, split_segments
from ingestion.extract.pdf_paragraphs import Hyphenation, build_blocks
from ingestion.extract.pdf_spacing import WITHOUT_BLANKS
from ingestion.extract.pdf_words import Word
from ingestion.extract.word_alignment import find_boxes
from ingestion.picture_reading import PictureReading, Region

SURE = 80.0  # confidence of words that a model is expected to tell as well
BY_OCR_ONLY = ("Read by OCR only",)
TOUCHING = 0.12  # font sizes between pieces of a word
PIECE = re.compile(r"[^\W_]+")


def list_words(seen: PictureReading) -> list[Word]:
    """For the code that makes lines and paragraphs; places are those of the upright picture."""
    return [
        Word(w.text, w.x0, w.y0, w.x1, w.y1, w.base, w.size, False, False, False, seen=True)
        for w in seen.words
        if any(letter.isalnum() for letter in w.text) or w.confidence >= UNSURE
    ]


def list_texts(seen: PictureReading) -> list[str]:
    """Paragraphs in reading order."""
    runs = split_segments(list_words(seen))
    width = max((run.x1 for run in runs), default=0.0)
    body = max((run.size for run in runs), default=10.0)
    hyphenation = Hyphenation.of(runs)
    return [
        block.text
        for group in group_in_reading_order(runs, width)
        for block in build_blocks(group, 1, 2 * body, hyphenation)
    ]


def place_boxes(boxes: Sequence[Box], seen: PictureReading) -> tuple[Box, ...]:
    """Boxes on the upright picture as they lie on the page that is shown."""
    if not seen.turned:
        return tuple(boxes)
    return tuple(Box(b.page, *seen.rotate_to_page((b.x0, b.y0, b.x1, b.y1)), b.start, b.end) for b in boxes)


def find_untranscribed_words(seen: PictureReading) -> list[Word]:
    """Words that recognition is sure of and a model that looked did not tell: what stands on a picture can talk a model
    into leaving something out (docs/adr/0029)."""
    told = {piece.lower() for piece in PIECE.findall(seen.text)}
    sure = list_words(replace(seen, words=tuple(word for word in seen.words if word.confidence >= SURE)))
    return [word for word in sure if not told.issuperset(piece.lower() for piece in PIECE.findall(word.text))]


def join_in_a_row(words: Sequence[Word], page: int) -> tuple[str, list[Box]]:
    """Words in the order they are given, as one text with a box for each."""
    text, boxes = "", []
    lowest = max((word.y1 for word in words), default=0.0)
    for place, word in enumerate(words):
        text += _choose_joint(words[place - 1], word, lowest) if text else ""
        boxes.append(Box(page, word.x0, word.y0, word.x1, word.y1, len(text), len(text) + len(word.text)))
        text += word.text
    return text, boxes


def _choose_joint(last: Word, word: Word, lowest: float) -> str:
    """What stands between two words. Chinese and Japanese have no blanks: a column goes on in the next one, unless it
    ends early. Text that runs upwards comes in pieces that touch each other. lowest: where columns end."""
    if WITHOUT_BLANKS.match(last.text[-1:]) and WITHOUT_BLANKS.match(word.text):
        return "" if last.y1 > lowest - 1.5 * word.size else "\n"
    if last.slanted and word.slanted:
        aside = max(word.x0 - last.x1, last.x0 - word.x1)
        above = max(word.y0 - last.y1, last.y0 - word.y1)
        if max(aside, above) < TOUCHING * word.size:
            return ""
    return " "


def add_markdown(
    seen: PictureReading, page: int | None, builder: Builder, words: Sequence[Word] = (), area: Region | None = None
) -> None:
    """What a model read on a page, as paragraphs of that page. words: of the same page, turned as `seen`, by which the
    paragraphs get their places. area: where the picture lies, turned likewise; None where nothing has a place.
    """
    from ingestion.extract import markdown

    first = len(builder)
    builder.page, builder.read_by = page, "vision"
    try:
        markdown.add_markdown(seen.text, builder)
    finally:
        builder.page, builder.read_by = None, ""
    if page is not None and area is not None:
        for number, boxes in enumerate(find_boxes(builder.list_from(first), words, page, area), start=first):
            builder.add_boxes(number, place_boxes(boxes, seen))
