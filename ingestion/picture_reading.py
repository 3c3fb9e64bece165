"""What was read off a picture: of a page, or in a document (docs/ocr.md).

Crosses the boundary of the limited process, and is kept between steps, as one JSON list. Nothing here knows a database,
a file format or who does the reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Region = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class WantedPicture:
    """A picture that somebody should look at.

    key: `page 3`, or the name of a part of a package. page: 1-based, None where there are no pages. regions: rectangles
    of the page in points, origin at the top left of what is shown; none means the whole.
    """

    key: str
    page: int | None = None
    regions: tuple[Region, ...] = ()

    def to_json(self) -> list[Any]:
        return [self.key, self.page, [list(region) for region in self.regions]]

    @classmethod
    def from_json(cls, data: Any) -> WantedPicture:
        """Raises ValueError."""
        try:
            key, page, regions = data
            if not isinstance(key, str) or not (page is None or (type(page) is int and page > 0)):
                raise ValueError("not a picture that is wanted")
            return cls(key, page, tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in regions))
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a picture that is wanted: {error}") from error


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word and where it stands, in points on the picture turned upright. base: y of its base line. size: estimated
    size of the type in points. confidence: 0 to 100."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    confidence: float


@dataclass(frozen=True, slots=True)
class PictureReading:
    """What one picture gave.

    width, height: of the picture turned upright, in points; 0 where there was no optical recognition, or of parts of a
    page only. turned: degrees clockwise (0, 90, 180, 270) by which what is shown was turned to be upright. ink: share
    of the picture that is not paper. words: by optical recognition. text: Markdown by a model that looked at it, ""
    where none did. said: texts with their names that the file of the picture has beside its pixels. more: it has
    something that nobody can read.
    """

    width: float
    height: float
    turned: int = 0
    ink: float = 0.0
    words: tuple[SeenWord, ...] = ()
    text: str = ""
    said: tuple[tuple[str, str], ...] = ()
    more: bool = False

    @property
    def confidence(self) -> float:
        """Of the recognition, 0 to 100: that of its words, by their length."""
        letters = sum(len(word.text) for word in self.words)
        return sum(word.confidence * len(word.text) for word in self.words) / letters if letters else 0.0

    def rotate_to_page(self, box: Sequence[float]) -> Region:
        """A rectangle of the upright picture as it lies on what is shown."""
        x0, y0, x1, y1 = box
        if self.turned == 90:
            return y0, self.width - x1, y1, self.width - x0
        if self.turned == 180:
            return self.width - x1, self.height - y1, self.width - x0, self.height - y0
        if self.turned == 270:
            return self.height - y1, x0, self.height - y0, x1
        return x0, y0, x1, y1

    def to_json(self) -> list[Any]:
        words = [
            [w.text, *(round(n, 1) for n in (w.x0, w.y0, w.x1, w.y1, w.base, w.size, w.confidence))] for w in self.words
        ]
        size = [round(self.width, 1), round(self.height, 1), self.turned, round(self.ink, 5)]
        return [*size, words, self.text, [list(pair) for pair in self.said], self.more]

    @classmethod
    def from_json(cls, data: Any) -> PictureReading:
        """Raises ValueError: the limited process is not trusted."""
        try:
            width, height, turned, ink, words, text, *beside = data
            said, more = beside or ((), False)  # what an earlier version kept has neither
            if turned not in (0, 90, 180, 270) or not isinstance(text, str):
                raise ValueError("turned or text")
            texts = tuple((str(name), str(value)) for name, value in said)
            numbers = float(width), float(height), turned, float(ink)
            return cls(*numbers, tuple(map(_read_word, words)), text, texts, bool(more))
        except (TypeError, ValueError) as error:
            raise ValueError(f"not what a picture gives: {error}") from error


def _read_word(data: Any) -> SeenWord:
    text, *numbers = data
    if not isinstance(text, str) or len(numbers) != 7:
        raise ValueError("not a word")
    return SeenWord(text, *map(float, numbers))
