"""Hebrew, Arabic and other scripts that run from right to left: words that are sorted by place, in the order they are
read (after the Unicode Bidirectional Algorithm, UAX 9, whole words at a time)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Word

RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
LETTER = re.compile(r"[^\W\d_]")


def order_words(words: Sequence[Word]) -> Sequence[Word]:
    """Words of one line from left to right, as they are read."""
    if not any(RIGHT_TO_LEFT.search(word.text) for word in words):
        return words
    sides = [_choose_side(word.text) for word in words]
    backwards = sides.count("right") > sides.count("left")
    kept = "left" if backwards else "right"
    out: list[Word] = []
    for turned, group in groupby(range(len(words)), key=lambda n: _is_within(sides, n, kept)):
        numbers = list(group)
        out += [words[n] for n in (reversed(numbers) if turned else numbers)]
    return out[::-1] if backwards else out


def _choose_side(text: str) -> str:
    if RIGHT_TO_LEFT.search(text):
        return "right"
    return "left" if LETTER.search(text) else ""


def _is_within(sides: Sequence[str], number: int, side: str) -> bool:
    """Whether a word belongs to a run of that side: it is of it, or a number between two that are."""
    if sides[number]:
        return sides[number] == side
    before = next(filter(None, sides[:number][::-1]), "")
    after = next(filter(None, sides[number + 1 :]), "")
    return before == after == side


def order_letters(text: str, places: Iterable[float]) -> str:
    """A word whose letters came in the order of the eye: by their places from left to right, as they are read. Digits
    and other letters within it keep their order."""
    placed = list(zip(text, places, strict=False))
    if len(placed) < 2 or len(placed) != len(text) or not RIGHT_TO_LEFT.search(text):
        return text
    first, last = (next(x for letter, x in row if RIGHT_TO_LEFT.match(letter)) for row in (placed, placed[::-1]))
    if first >= last:
        return text
    seen = "".join(letter for letter, _ in sorted(placed, key=lambda letter: -letter[1]))
    return "".join(
        "".join(group)[::-1] if kept else "".join(group) for kept, group in groupby(seen, key=_runs_to_the_right)
    )


def _runs_to_the_right(letter: str) -> bool:
    return letter.isdecimal() or (letter.isascii() and letter.isalpha())
