"""Texts that are too long for one paragraph, cut where one notices it least."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.boxes import Box, Boxes
from ingestion.documents import Kind

LONGEST = 4_000  # characters: a paragraph is the unit that gets a label, so it must not be a chapter
_BLANK = re.compile(r"\s*")
_BREAKS = (re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+"), re.compile(r"\s+"))


def split_slices(text: str, kind: Kind) -> list[tuple[int, int]]:
    """Where to cut a text that is too long for one paragraph; tables and code between lines, prose after sentences."""
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > LONGEST:
        end = _cut_place(text, start, kind)
        pieces.append((start, end))
        blank = _BLANK.match(text, end)
        start = blank.end() if blank else end
    if start < len(text):
        pieces.append((start, len(text)))
    return pieces


def _cut_place(text: str, start: int, kind: Kind) -> int:
    window = text[start : start + LONGEST]
    for pattern in _BREAKS if kind in ("table", "code", "list") else _BREAKS[1:]:
        places = [match.start() for match in pattern.finditer(window)]
        if places and places[-1] > LONGEST // 3:
            return start + places[-1]
    return start + LONGEST


def cut_boxes(boxes: Sequence[Box], start: int, end: int) -> Boxes:
    """The boxes of text[start:end], their slices counted from `start`."""
    packed = boxes if isinstance(boxes, Boxes) else Boxes(boxes)
    if start == 0 and (not len(packed) or packed[-1].end <= end):
        return packed
    return packed.part(start, end)
