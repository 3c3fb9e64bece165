"""Cutting one paragraph into pieces that fit: sentences, rows of a table, lines of code, and words where nothing else
helps. A piece is a slice of its paragraph, so that passages can always say where they come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ingestion.documents import Kind
from text.sentences import find_sentences, trim_span

TABLE_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")
Fits = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class TextSlice:
    """A slice of the text of paragraph number `paragraph`, not blank at its ends."""

    paragraph: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """Characters start to end of the text of one paragraph."""

    paragraph_id: Hashable
    start: int
    end: int


def split_pieces(paragraph: int, text: str, kind: Kind, fits: Fits) -> Iterator[TextSlice]:
    """Slices that together hold every word of `text`, in order. `fits` says whether a text may be a passage."""
    head = measure_table_header(text) if kind == "table" else 0
    if head:
        yield from (TextSlice(paragraph, a, b) for a, b in _split_to_fit(text, 0, head - 1, fits))
    for start, end in _split_lines(text, head) if kind in ("table", "code") else find_sentences(text):
        yield from (TextSlice(paragraph, a, b) for a, b in _split_to_fit(text, start, end, fits))


def measure_table_header(text: str) -> int:
    """Length of the header of a Markdown table with its rule and line break, 0 for anything else."""
    lines = text.split("\n", 2)
    if len(lines) < 3 or not TABLE_RULE.fullmatch(lines[1]):
        return 0
    return len(lines[0]) + len(lines[1]) + 2


def _split_lines(text: str, begin: int) -> Iterator[tuple[int, int]]:
    for match in re.compile(r"[^\n]+").finditer(text, begin):
        if match.group().strip():
            yield trim_span(text, match.start(), match.end())


def _split_to_fit(text: str, start: int, end: int, fits: Fits) -> Iterator[tuple[int, int]]:
    """The slice itself where it fits, else as many words at a time as do, else as many characters."""
    while start < end and not fits(text[start:end]):
        fits_to = partial(_fits_from, text, start, fits)
        words = [start + match.end() for match in re.finditer(r"\S+", text[start:end])]
        cut = _find_last_good(words, fits_to) or _find_last_good(range(start + 1, words[0] + 1), fits_to) or start + 1
        yield start, cut
        start, end = trim_span(text, cut, end)
    if start < end:
        yield start, end


def _fits_from(text: str, start: int, fits: Fits, stop: int) -> bool:
    return fits(text[start:stop])


def _find_last_good(stops: Sequence[int], good: Callable[[int], bool]) -> int | None:
    """The last of the ascending stops that is good, where all before a good one are good too."""
    low, high = 0, len(stops)
    while low < high:
        middle = (low + high) // 2
        if good(stops[middle]):
            low = middle + 1
        else:
            high = middle
    return stops[low - 1] if low else None
