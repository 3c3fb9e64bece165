"""Running headers, running footers and page numbers: told from a sample of pages, kept once, dropped after.

A line counts as running when it stands at the same height on several pages and says the same, but for numbers that
grow with the page. Its first occurrence stays a paragraph (it may say something that needs a label) and gets the boxes
of all the others; lines that are nothing but a page number are dropped, also where they end pages that are filled to
different heights.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ingestion.boxes import Box
from ingestion.extract.pdf_lines import Line, segments, whole_lines
from ingestion.extract.pdf_words import Word

ZONE = 0.14  # of the page's height, at either end
LAST = -1  # instead of a height: the lowest line of a page, wherever that is
NUMBER = re.compile(r"\d{1,4}(?!\d)")
ONLY_NUMBER = re.compile(
    r"[\s\-–—|/.()\[\]]*(page|seite|pagina|página|p)?[\s.]*#[\s\-–—|/]*((of|von|de|van|di|/)\s*#)?[\s\-–—|/.()\[\]]*",
    re.I,
)
Drawn = TypeVar("Drawn", Word, Line)


@dataclass(frozen=True, slots=True)
class Signature:
    """A line with `#` for every number, the numbers, and its height in steps of three points."""

    template: str
    height: int
    numbers: tuple[int, ...]


def signature(line: Line) -> Signature:
    text = line.text
    numbers = tuple(int(match.group()) for match in NUMBER.finditer(text))
    return Signature(NUMBER.sub("#", text), round(line.base / 3), numbers)


def lines_at_edge(words: list[Word], height: float) -> list[Line]:
    """Lines across the full width of the page that may run: near its edges, and the lowest."""
    return whole_lines(segments(at_edge(words, height)))


def at_edge(drawn: list[Drawn], height: float) -> list[Drawn]:
    upper, lower = 0.15 * height, 0.85 * height
    lowest = max((one.base for one in drawn), default=0.0) - 2
    return [one for one in drawn if one.y1 < upper or one.y0 > lower or one.base > lowest]


def candidates(lines: Iterable[Line], height: float) -> list[Line]:
    return [line for line in lines if line.table is None and (line.y1 < ZONE * height or line.y0 > (1 - ZONE) * height)]


def last_number(lines: Sequence[Line]) -> Signature | None:
    """The lowest line, where it is nothing but the number of a page."""
    lowest = max(lines, key=lambda line: line.base, default=None)
    if lowest is None or lowest.table is not None:
        return None
    sign = signature(lowest)
    return sign if len(sign.numbers) == 1 and ONLY_NUMBER.fullmatch(sign.template) else None


@dataclass(slots=True)
class Running:
    """One running line. first: where it was met first; paragraph: its number in the builder, once it has one. slices:
    of the paragraph's text, a word each.
    """

    first_page: int
    numbers: tuple[int, ...]
    page_number_only: bool
    paragraph: int | None = None
    slices: Sequence[tuple[int, int]] = ()
    boxes: list[Box] = field(default_factory=list)

    def stands_at(self, boxes: Sequence[Box]) -> None:
        """Also here, a box a word. A number may have more digits than where the line was met first, and where a word
        stands in the text is said of that one's."""
        alike = len(boxes) == len(self.slices)
        slices = self.slices if alike else [(0, 0)] * len(boxes)
        self.boxes += [replace(box, start=a, end=b) for box, (a, b) in zip(boxes, slices, strict=True)]

    def repeats(self, numbers: tuple[int, ...], page: int) -> bool:
        """The same numbers, or numbers that moved on as far as the pages did."""
        return all(
            now == then or now - then == page - self.first_page for now, then in zip(numbers, self.numbers, strict=True)
        )


class Margins:
    """What runs through the sampled pages. sample: page number (1-based) to its lines and height."""

    def __init__(self, sample: Mapping[int, tuple[list[Line], float]]) -> None:
        met: dict[tuple[str, int], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for page, (lines, height) in sample.items():
            for line in candidates(lines, height):
                sign = signature(line)
                met[sign.template, sign.height].append((page, sign.numbers))
            if (lowest := last_number(lines)) is not None:
                met[lowest.template, LAST].append((page, lowest.numbers))
        enough = 2 if len(sample) < 6 else max(3, len(sample) // 5)
        self._running: dict[tuple[str, int], Running] = {}
        for key, places in met.items():
            page, numbers = places[0]
            running = Running(page, numbers, bool(ONLY_NUMBER.fullmatch(key[0])) and "#" in key[0])
            same = sum(running.repeats(other, at) for at, other in places)
            if len({at for at, _ in places}) >= enough and same >= enough:
                self._running[key] = running

    def running(self, lines: Sequence[Line], page: int, height: float) -> Iterator[tuple[Line, Running]]:
        """The running lines among `lines`, from either edge of the page inwards up to the first that does not run:
        a text that begins alike on every page is no header."""
        near = sorted(candidates(lines, height), key=lambda line: line.base)
        upper = [line for line in near if line.base < height / 2]
        lower = [line for line in reversed(near) if line.base >= height / 2]
        told: list[Line] = []
        for side in (upper, lower):
            for line in side:
                found = self._find(line, page)
                if found is None:
                    break
                told.append(line)
                yield line, found
        sign = last_number(lines)
        found = self._running.get((sign.template, LAST)) if sign is not None else None
        if sign is not None and found is not None and found.repeats(sign.numbers, page):
            last = max(lines, key=lambda line: line.base)
            if all(last is not line for line in told):
                yield last, found

    def _find(self, line: Line, page: int) -> Running | None:
        sign = signature(line)
        for step in (0, -1, 1):
            running = self._running.get((sign.template, sign.height + step))
            if running is not None and running.repeats(sign.numbers, page):
                return running
        if ONLY_NUMBER.fullmatch(sign.template) and page in sign.numbers and len(line.words) <= 5:
            return Running(page, sign.numbers, page_number_only=True)
        return None
