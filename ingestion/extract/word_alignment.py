"""Where the words stand that a model read off a picture: recognition of the same picture knows, or the page's own text.

A model gives text without places. Its words are laid beside those that were found on the picture, in whatever order
either tells them: first a word whose neighbours are the same, then one that was read otherwise between two that fit. A
paragraph of which too little is found again stands somewhere on the picture, and its box says no more than that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.boxes import Box
from ingestion.extract.pdf_paragraphs import round_outwards
from ingestion.extract.pdf_words import Word
from ingestion.picture_reading import Region

WORD = re.compile(r"\S+")
SIGN = re.compile(r"[\W_]+")
AROUND = 3  # neighbours on either side that are compared
MOST = 200  # places of one word that are compared: a page says none of them so often
LONG = 5  # letters: so long a word that stands once is itself without neighbours
FOUND = 1 / 3  # share of the words of a paragraph from which on their places are believed


@dataclass(frozen=True, slots=True)
class _ModelWord:
    """A word of the model. text: number of its paragraph; start, end: its slice of that."""

    key: str
    text: int
    start: int
    end: int


def find_boxes(texts: Sequence[str], words: Sequence[Word], page: int, area: Region) -> list[list[Box]]:
    """Boxes for each of `texts`, the paragraphs that a model told of one picture. words: what was found on it, with
    places. area: where the picture lies; a paragraph that is not found again has it as its only box, of no word."""
    told = [
        _ModelWord(key, number, match.start(), match.end())
        for number, text in enumerate(texts)
        for match in WORD.finditer(text)
        if (key := _fold_word(match[0]))
    ]
    found = [word for word in words if _fold_word(word.text)]
    places = align_words([word.key for word in told], [_fold_word(word.text) for word in found])
    boxes: list[list[Box]] = [[] for _ in texts]
    for word, place in zip(told, places, strict=True):
        if place is not None:
            boxes[word.text].append(Box(page, *round_outwards(found[place]), word.start, word.end))
    counts = [0] * len(texts)
    for word in told:
        counts[word.text] += 1
    return [
        some if some and len(some) >= FOUND * count else [Box(page, *area)]
        for some, count in zip(boxes, counts, strict=True)
    ]


def align_words(told: Sequence[str], found: Sequence[str]) -> list[int | None]:
    """For each word of one list its place in the other; no place is given twice."""
    where: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(found):
        if len(where[word]) < MOST:
            where[word].append(place)
    places: list[int | None] = []
    used: set[int] = set()
    last = -1
    for number, word in enumerate(told):
        at = _find_next(told, found, where.get(word, ()), number, last, used)
        places.append(at)
        if at is not None:
            used.add(at)
            last = at
    _fill_gaps(places, used, len(found))
    return places


def _find_next(
    told: Sequence[str], found: Sequence[str], options: Sequence[int], number: int, last: int, used: set[int]
) -> int | None:
    after = last + 1
    if last >= 0 and after < len(found) and found[after] == told[number] and after not in used:
        return after
    free = [place for place in options if place not in used]
    if not free:
        return None
    alike, _, place = max(
        (_count_alike_neighbours(told, found, number, place), -abs(place - after), place) for place in free
    )
    alone = len(options) == 1 and (len(told[number]) >= LONG or len(told) == 1)
    return place if alike or alone else None


def _count_alike_neighbours(told: Sequence[str], found: Sequence[str], number: int, place: int) -> int:
    """Neighbours on either side that are the same words."""
    steps = [step for step in range(-AROUND, AROUND + 1) if step]
    return sum(
        told[number + step] == found[place + step]
        for step in steps
        if 0 <= number + step < len(told) and 0 <= place + step < len(found)
    )


def _fill_gaps(places: list[int | None], used: set[int], count: int) -> None:
    """Words that either side read otherwise, between two that fit, as many here as there."""
    start = 0
    while start < len(places):
        end = start
        while end < len(places) and places[end] is None:
            end += 1
        before = places[start - 1] if start else -1
        after = places[end] if end < len(places) else count
        some = start or end < len(places)  # one side fits at least
        if some and end > start and before is not None and after is not None and after - before - 1 == end - start:
            between = range(before + 1, after)
            if used.isdisjoint(between):
                places[start:end] = between
                used.update(between)
        start = end + 1


def _fold_word(text: str) -> str:
    return SIGN.sub("", text).casefold()
