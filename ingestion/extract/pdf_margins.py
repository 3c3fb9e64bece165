"""Running headers, running footers and page numbers: found in a sample of pages, read once, left out after.

A line counts as running when it stands at the same height on several pages and says the same, but for the number of
the page. What differs by anything else says something of its own page and stays in its place. The first occurrence of
a running line stays a paragraph (it may say something that needs a label) and gets the boxes of all the others; lines
that are nothing but a page number are left out, also where they end pages that are filled to different heights.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ingestion.boxes import Box
from ingestion.extract.page_numbers import CERTAIN, NUMBER, find_page_numbers, is_bare, split_numbers
from ingestion.extract.pdf_lines import Line, join_whole_lines, split_segments
from ingestion.extract.pdf_words import Word

ZONE = 0.14  # of the page's height, at either end
LAST = -1  # instead of a height: the lowest line of a page, wherever that is
MAX_OFFSET = 20  # pages that came before those of a document, for a number that shares its line
APART = 3.0  # font sizes between a page number and the rest of its line
SEPARATORS = frozenset("|•·–—/-")
NUMBERED = ("no", "nr", "no.", "nr.", "number", "nummer", "id", "#", ":", "№", "nº")
"""How a name ends whose number follows."""
Drawn = TypeVar("Drawn", Word, Line)


@dataclass(frozen=True, slots=True)
class Signature:
    """A line with `#` for every number, the numbers, and its height in steps of three points. of_page: which of the
    numbers may be that of the page."""

    template: str
    height: int
    numbers: tuple[int, ...]
    of_page: frozenset[int]


def build_signature(line: Line, pages: int) -> Signature:
    template, numbers = split_numbers(line.text)
    of_page = find_page_numbers(template)
    if not of_page and is_bare(template, numbers, pages):
        of_page = set(range(len(numbers)))
    elif not of_page:
        of_page = _set_apart(line, len(numbers), pages + MAX_OFFSET)
    return Signature(template, round(line.base / 3), numbers, frozenset(of_page))


def _set_apart(line: Line, count: int, largest: int) -> set[int]:
    """The number at either end of a line that a wide gap or a separator parts from a text of several words. A name
    whose number this is ("Invoice no.") is no such text, and a number above `largest` is no page of this document.
    """
    found = set()
    for number, near, place in ((line.words[0], line.words[1:], 0), (line.words[-1], line.words[-2::-1], count - 1)):
        rest = [word for word in near if word.text not in SEPARATORS]
        if len(rest) < 2 or not NUMBER.fullmatch(number.text) or int(number.text) > largest:
            continue
        room = max(rest[0].x0 - number.x1, number.x0 - rest[0].x1)
        if near[0].text not in SEPARATORS and room < APART * max(line.size, 1.0):
            continue
        if not rest[0].text.lower().endswith(NUMBERED):
            found.add(place)
    return found


def list_lines_at_edge(words: list[Word], height: float) -> list[Line]:
    """Lines across the full width of the page that may run: near its edges, and the lowest."""
    return join_whole_lines(split_segments(select_at_edge(words, height)))


def select_at_edge(drawn: list[Drawn], height: float) -> list[Drawn]:
    upper, lower = 0.15 * height, 0.85 * height
    lowest = max((one.base for one in drawn), default=0.0) - 2
    return [one for one in drawn if one.y1 < upper or one.y0 > lower or one.base > lowest]


def drop_words(runs: list[Line], lines: Sequence[Line]) -> list[Line]:
    """Runs without the words of some lines; of a run that holds only such words nothing is left."""
    dropped = {id(word) for line in lines for word in line.words}
    if not dropped:
        return runs
    kept = [(run, [word for word in run.words if id(word) not in dropped]) for run in runs]
    return [run if len(words) == len(run.words) else Line(words) for run, words in kept if words]


def select_candidates(lines: Iterable[Line], height: float) -> list[Line]:
    return [line for line in lines if line.table is None and (line.y1 < ZONE * height or line.y0 > (1 - ZONE) * height)]


def find_last_number(lines: Sequence[Line], pages: int) -> Signature | None:
    """The lowest line, where it is nothing but the number of a page."""
    lowest = max(lines, key=lambda line: line.base, default=None)
    if lowest is None or lowest.table is not None:
        return None
    sign = build_signature(lowest, pages)
    return sign if len(sign.numbers) == 1 and is_bare(sign.template, sign.numbers, pages) else None


@dataclass(slots=True)
class RunningLine:
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

    def repeats(self, sign: Signature, page: int) -> bool:
        """The same line, or one whose page number moved on as far as the pages did."""
        return all(
            now == then or (place in sign.of_page and now - then == page - self.first_page)
            for place, (now, then) in enumerate(zip(sign.numbers, self.numbers, strict=True))
        )


class Margins:
    """What runs through the sampled pages. sample: page number (1-based) to its lines and height. pages: of the
    whole document."""

    def __init__(self, sample: Mapping[int, tuple[list[Line], float]], pages: int) -> None:
        self._pages = pages
        met: dict[tuple[str, int], list[tuple[int, Signature]]] = defaultdict(list)
        for page, (lines, height) in sample.items():
            for line in select_candidates(lines, height):
                sign = build_signature(line, pages)
                met[sign.template, sign.height].append((page, sign))
            if (lowest := find_last_number(lines, pages)) is not None:
                met[lowest.template, LAST].append((page, lowest))
        enough = 2 if len(sample) < 6 else max(3, len(sample) // 5)
        self._running: dict[tuple[str, int], list[RunningLine]] = {}
        for key, places in met.items():
            found: list[RunningLine] = []
            left = places
            while len(left) >= enough:  # a line may change with the chapter
                page, sign = left[0]
                running = RunningLine(page, sign.numbers, is_bare(sign.template, sign.numbers, pages))
                same = {at for at, other in left if running.repeats(other, at)}
                if len(same) >= enough:
                    found.append(running)
                left = [(at, other) for at, other in left[1:] if not running.repeats(other, at)]
            if found:
                self._running[key] = found

    def running(self, lines: Sequence[Line], page: int, height: float) -> Iterator[tuple[Line, RunningLine]]:
        """The running lines among `lines`, from either edge of the page inwards up to the first that does not run:
        a text that begins alike on every page is no header."""
        near = sorted(select_candidates(lines, height), key=lambda line: line.base)
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
        sign = find_last_number(lines, self._pages)
        found = self._find_repeated((sign.template, LAST), sign, page) if sign is not None else None
        if found is not None:
            last = max(lines, key=lambda line: line.base)
            if all(last is not line for line in told):
                yield last, found

    def _find(self, line: Line, page: int) -> RunningLine | None:
        sign = build_signature(line, self._pages)
        for step in (0, -1, 1):
            running = self._find_repeated((sign.template, sign.height + step), sign, page)
            if running is not None:
                return running
        bare = self._pages > 1 and is_bare(sign.template, sign.numbers, self._pages)
        if CERTAIN.fullmatch(sign.template) or (bare and page in sign.numbers):
            return RunningLine(page, sign.numbers, page_number_only=True)
        return None

    def _find_repeated(self, key: tuple[str, int], sign: Signature, page: int) -> RunningLine | None:
        return next((one for one in self._running.get(key, ()) if one.repeats(sign, page)), None)
