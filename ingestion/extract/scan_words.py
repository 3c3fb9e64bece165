"""From what Tesseract found, in pixels, to words with base lines and sizes of type, in points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from ingestion.extract.clean import clean_line
from ingestion.extract.tesseract import OcrWord
from ingestion.picture_reading import SeenWord

NOISE = 25.0  # confidence: below it, marks that were taken for letters
DESCENDERS = frozenset("gjpqyQ,;()[]{}|/")
HIGH = frozenset("bdfhklit0123456789()[]{}|/!?\"'%&§$€£")
ASCENT, X_HEIGHT, DESCENT = 0.72, 0.53, 0.21  # of the size of the type, in common fonts
ALIKE = 0.16  # sizes that differ by less are one size, read inexactly


def build_words(found: Sequence[OcrWord], scale: float) -> tuple[SeenWord, ...]:
    """scale: points a pixel. Every word of a line gets its base line and size, so that they stay one line."""
    lines: dict[tuple[int, int, int], list[OcrWord]] = defaultdict(list)
    for word in found:
        if word.confidence >= NOISE and clean_line(word.text):
            lines[word.line].append(word)
    sizes = {line: median(map(_estimate_size, words)) for line, words in lines.items()}
    letters = sorted(size for line, words in lines.items() for size in [sizes[line]] * sum(len(w.text) for w in words))
    usual = letters[len(letters) // 2] if letters else 0.0
    seen: list[SeenWord] = []
    for line, words in lines.items():
        size = usual if abs(sizes[line] - usual) < ALIKE * usual else sizes[line]
        base = median(word.top + word.height - (DESCENT * size if _has_descender(word.text) else 0) for word in words)
        seen += [
            SeenWord(
                clean_line(word.text),
                word.left * scale,
                word.top * scale,
                (word.left + word.width) * scale,
                (word.top + word.height) * scale,
                base * scale,
                size * scale,
                min(100.0, max(0.0, word.confidence)),
            )
            for word in words
        ]
    return tuple(seen)


def _has_descender(text: str) -> bool:
    return any(letter in DESCENDERS for letter in text)


def _estimate_size(word: OcrWord) -> float:
    """Size of the type, in pixels, from the height of its letters."""
    high = any(letter in HIGH or letter.isupper() for letter in word.text)
    extent = (ASCENT if high else X_HEIGHT) + (DESCENT if _has_descender(word.text) else 0)
    return word.height / extent
