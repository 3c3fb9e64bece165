"""Words as people see them: letters that were set apart are put together, and what was printed twice is read once.

Titles are spaced out letter by letter, and programs without a bold face print a word twice, a little aside. Signs that
stand one below the other (labels of drawings, Japanese) run downwards, and are read in the order they were written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingestion.extract.pdf_words import Word

WITHOUT_BLANKS = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
"""Signs of Chinese and Japanese, which set no blanks between words."""
SINGLE = re.compile("1{4,}")
MIN_WORDS = 4  # of one letter
MAX_GAP = 1.0  # font sizes between letters of a word
UNEVEN = 0.2  # font sizes by which gaps within a word differ
STRIP = 8.0  # points: words whose base lines are near enough stand in one, or in neighbours
MAX_OFFSET = 0.12  # font sizes between the two printings of a word
TIER = 2.0  # font sizes of room that part a row of columns from the next one below it
DOWN = (0.7, 1.8)  # font sizes from one sign to the next below it


def unite_letters(words: list[Word]) -> list[Word]:
    """In the order they were given. Words of one letter in a row at even distances become the words they spell."""
    flags = "".join(["1" if len(word[0]) == 1 and word[0].isalnum() else "0" for word in words])
    found: list[Word] = []
    begin = 0
    for match in SINGLE.finditer(flags):
        found += words[begin : match.start()]
        found += _join_letters(words[match.start() : match.end()])
        begin = match.end()
    return found + words[begin:] if begin else words


def _join_letters(letters: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for row in _split_rows(letters, lambda a, b: _is_adjacent(a, b) or _is_below(a, b)):
        across = [_is_adjacent(a, b) for a, b in pairwise(row)]
        if len(row) < MIN_WORDS or any(across) != all(across):
            found += row
        elif all(across):
            found += _spell_words(row)
        else:
            found.append(_join_word(row)._replace(slanted=True))
    return found


def _spell_words(row: Sequence[Word]) -> list[Word]:
    """The words that a line of letters spells: a gap that is wider than the others parts two of them."""
    gaps = [b.x0 - a.x1 for a, b in pairwise(row)]
    size = max(row[0].size, 1.0)
    widest = median(gaps) + UNEVEN * size
    words = _split_rows(row, lambda a, b: b.x0 - a.x1 <= widest)
    if sum(len(word) > 1 for word in words) * 2 < len(words):  # "a b c d": signs of their own
        return list(row)
    return list(map(_join_word, words))


def _split_rows(letters: Sequence[Word], follows: Callable[[Word, Word], bool]) -> list[list[Word]]:
    rows = [[letters[0]]]
    for last, letter in pairwise(letters):
        if follows(last, letter):
            rows[-1].append(letter)
        else:
            rows.append([letter])
    return rows


def _is_adjacent(a: Word, b: Word) -> bool:
    size = max(a.size, 1.0)
    return abs(a.base - b.base) < 0.1 * size and 0 < b.x0 - a.x1 < 2.5 * MAX_GAP * size


def _is_below(a: Word, b: Word) -> bool:
    size = max(a.size, b.size, 1.0)
    return abs(a.x0 + a.x1 - b.x0 - b.x1) < 0.6 * size and DOWN[0] * size < b.base - a.base < DOWN[1] * size


def _join_word(letters: Sequence[Word]) -> Word:
    first = letters[0]
    return first._replace(
        text="".join(letter.text for letter in letters),
        x0=min(letter.x0 for letter in letters),
        y0=min(letter.y0 for letter in letters),
        x1=max(letter.x1 for letter in letters),
        y1=max(letter.y1 for letter in letters),
    )


def order_columns(words: list[Word]) -> list[Word]:
    """Chinese and Japanese columns that are set downwards are read from the right to the left, tier below tier; other
    words stay where they are."""
    places = [place for place, word in enumerate(words) if not word[0].isascii() and _runs_down(word)]
    if not places:
        return words
    columns: list[tuple[int, int, float, Word]] = []
    tier, bottom = 0, 0.0
    for word in sorted((words[place] for place in places), key=lambda word: word.y0):
        size = max(word.size, 1.0)
        tier += bool(columns) and word.y0 > bottom + TIER * size
        bottom = max(bottom, word.y1)
        columns.append((tier, -round(word.x1 / size), word.y0, word))
    columns.sort(key=lambda column: column[:3])
    found = list(words)
    for place, (*_, word) in zip(places, columns, strict=True):
        found[place] = word._replace(slanted=True)
    return found


def _runs_down(word: Word) -> bool:
    if len(word.text) < 2 or WITHOUT_BLANKS.match(word.text) is None:
        return False
    return word.y1 - word.y0 > 1.5 * (word.x1 - word.x0)


def drop_second_prints(words: list[Word]) -> list[Word]:
    """Without words that stand where the same word stands already, but for a fraction of a letter."""
    farthest = MAX_OFFSET * max([1.0, *(word[6] for word in words)])
    counts = Counter([word[0] for word in words])
    suspects = _find_near([(word[0], word[1]) for word in words if counts[word[0]] > 1], farthest)
    if suspects:  # beside each other, and one upon the other: few words are both
        suspects &= _find_near([(word[0], word[5]) for word in words if word[0] in suspects], farthest)
    if not suspects:
        return words
    met: dict[str, dict[float, list[Word]]] = {}  # by text and strip of the page
    found = []
    for word in words:
        text, base, size = word[0], word[5], word[6]
        if text not in suspects:
            found.append(word)
            continue
        strips = met.get(text)
        if strips is None:
            met[text] = {base // STRIP: [word]}
        else:
            most = MAX_OFFSET * max(size, 1.0)
            first, last = (base - most) // STRIP, (base + most) // STRIP
            if first == last:
                near = strips.get(first, ())
            elif most <= STRIP:
                near = [other for place in (first, first + 1, last) for other in strips.get(place, ())]
            else:  # letters of a poster
                near = [other for others in strips.values() for other in others]
            left = word[1]
            twins = [other for other in near if abs(left - other[1]) <= most and abs(base - other[5]) < 0.2 * size]
            if any(_is_second_print(word, other) for other in twins):
                continue
            strips.setdefault(base // STRIP, []).append(word)
        found.append(word)
    return found


def _find_near(rows: list[tuple[str, float]], farthest: float) -> set[str]:
    """Texts that stand at two places so near each other."""
    rows.sort()
    return {
        text
        for (text, place), (other, next_place) in pairwise(rows)
        if text == other and next_place - place <= farthest
    }


def _is_second_print(word: Word, other: Word) -> bool:
    most = MAX_OFFSET * max(word.size, 1.0)
    return (
        abs(word.x0 - other.x0) <= most
        and abs(word.base - other.base) <= most
        and abs(word.x1 - other.x1) <= 2 * most
        and word.invisible == other.invisible
    )
