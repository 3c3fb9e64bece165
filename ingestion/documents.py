"""What extraction hands on: paragraphs with their place, and what could not be read (design.md §4, Extract).

Nothing here knows a database or a file format. Values cross the boundary of the limited process as JSON, so each
class that travels has `to_json` / `from_json`; `from_json` raises ValueError for anything that is not of the form.

The *canonical text* of a document is its paragraphs joined by one blank line. `ParagraphText.start` and `.end` are
offsets into it, and the boxes of a paragraph tie slices of its text to rectangles of a page: together they are the
span map from canonical text to the raw pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

Kind = Literal["heading", "text", "table", "list", "code"]
KINDS: frozenset[str] = frozenset(get_args(Kind))
JOIN = "\n\n"
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle that one word takes on a page.

    page: 1-based. x0, y0, x1, y1: points (1/72 inch) to a tenth, rounded outwards, origin at the top left of the page
    *as it is shown*, that is after its rotation and relative to its crop box. start, end: the slice of the
    paragraph's text that stands in the rectangle.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """One paragraph in reading order.

    page: 1-based, None where the format has no pages. boxes: one per word, in the order of the text; they may lie on
    several pages (a running header is one paragraph with a box on every page that shows it), so a page is cleared
    only when every paragraph with a box on it is. heading_path: the headings above, outermost first, without the
    paragraph itself. lang: ISO 639-1. start, end: span in the canonical text.
    """

    text: str
    kind: Kind
    page: int | None
    boxes: tuple[Box, ...]
    heading_path: tuple[str, ...]
    lang: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """Something in the file that extraction could not read; it blocks the original (design.md §2.3).

    code: a word for programs. detail: a sentence for people. page: 1-based or None.
    """

    code: str
    detail: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything one file gave. strategy: `text` or `layout` (pages with tables were read with pdfplumber)."""

    media_type: str
    pages: int | None
    paragraphs: tuple[ParagraphText, ...]
    unaccounted: tuple[Unaccounted, ...]
    strategy: str

    @property
    def text(self) -> str:
        """The canonical text."""
        return JOIN.join(paragraph.text for paragraph in self.paragraphs)

    def to_json(self) -> dict[str, Any]:
        return {
            "media_type": self.media_type,
            "pages": self.pages,
            "strategy": self.strategy,
            "paragraphs": [_paragraph_to_json(p) for p in self.paragraphs],
            "unaccounted": [[u.code, u.detail, u.page] for u in self.unaccounted],
        }

    @classmethod
    def from_json(cls, data: Any) -> Extraction:
        """Raises ValueError: the other side of the process boundary is not trusted."""
        try:
            paragraphs: list[ParagraphText] = []
            paths: dict[tuple[str, ...], tuple[str, ...]] = {}
            start = 0
            for row in data["paragraphs"]:
                paragraph = _paragraph_from_json(row, start, paths)
                paragraphs.append(paragraph)
                start = paragraph.end + len(JOIN)
            return cls(
                media_type=_text(data["media_type"]),
                pages=_page(data["pages"]),
                paragraphs=tuple(paragraphs),
                unaccounted=tuple(Unaccounted(_text(c), _text(d), _page(p)) for c, d, p in data["unaccounted"]),
                strategy=_text(data["strategy"]),
            )
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"not an extraction: {error}") from error


def boxes_to_json(boxes: tuple[Box, ...], text: str) -> list[int]:
    """Flat list of integers: `[page, x0, y0, x1, y1, …]` in tenths of a point when the boxes stand for the words of
    `text` one by one; otherwise a leading 0 and seven numbers a box, the last two being the slice."""
    flat: list[int] = []
    if [(b.start, b.end) for b in boxes] == [match.span() for match in WORD.finditer(text)]:
        for b in boxes:
            flat += (b.page, round(b.x0 * 10), round(b.y0 * 10), round(b.x1 * 10), round(b.y1 * 10))
        return flat
    flat.append(0)
    for b in boxes:
        flat += (b.page, round(b.x0 * 10), round(b.y0 * 10), round(b.x1 * 10), round(b.y1 * 10), b.start, b.end)
    return flat


def boxes_from_json(flat: Any, text: str) -> tuple[Box, ...]:
    """The inverse of `boxes_to_json`; raises ValueError."""
    if not isinstance(flat, list) or any(type(number) is not int for number in flat):
        raise ValueError("boxes must be a list of integers")
    if not flat:
        return ()
    if flat[0] == 0:
        if (len(flat) - 1) % 7:
            raise ValueError("boxes must come in groups of seven")
        return tuple(_box(flat[i : i + 5], flat[i + 5], flat[i + 6]) for i in range(1, len(flat), 7))
    spans = [match.span() for match in WORD.finditer(text)]
    if len(flat) != 5 * len(spans):
        raise ValueError("there must be one box for each word")
    return tuple(_box(flat[5 * i : 5 * i + 5], *span) for i, span in enumerate(spans))


def _box(numbers: list[int], start: int, end: int) -> Box:
    page, x0, y0, x1, y1 = numbers
    return Box(page, x0 / 10, y0 / 10, x1 / 10, y1 / 10, start, end)


def _paragraph_to_json(paragraph: ParagraphText) -> list[Any]:
    return [
        paragraph.text,
        paragraph.kind,
        paragraph.page,
        boxes_to_json(paragraph.boxes, paragraph.text),
        list(paragraph.heading_path),
        paragraph.lang,
    ]


def _paragraph_from_json(row: Any, start: int, paths: dict[tuple[str, ...], tuple[str, ...]]) -> ParagraphText:
    text, kind, page, boxes, path, lang = row
    if kind not in KINDS:
        raise ValueError(f"not a kind of paragraph: {kind!r}")
    heading_path = tuple(_text(heading) for heading in path)
    return ParagraphText(
        text=_text(text),
        kind=kind,
        page=_page(page),
        boxes=boxes_from_json(boxes, text),
        heading_path=paths.setdefault(heading_path, heading_path),  # thousands of paragraphs share a few paths
        lang=_text(lang),
        start=start,
        end=start + len(text),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not text: {value!r:.40}")
    return value


def _page(value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"not a page: {value!r:.40}")
    return value
