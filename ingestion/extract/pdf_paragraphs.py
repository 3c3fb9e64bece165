"""From lines to paragraphs: where one ends, whether it is a heading, and its text with a box for every word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor
from operator import sub
from statistics import median

from ingestion.boxes import Boxes
from ingestion.documents import Kind
from ingestion.extract.clean import clean_line, is_plain
from ingestion.extract.pdf_lines import Line
from ingestion.extract.pdf_tables import PdfTable
from ingestion.extract.pdf_words import Word
from ingestion.extract.right_to_left import RIGHT_TO_LEFT, order_words

BULLETS = "•●○▪■◦‣⁃∙·➢❖✓"
SYMBOL_BULLETS = str.maketrans(dict.fromkeys("\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\uf02d\uf06f\uf0b6", "•"))
ODD = re.compile(f"[{''.join(map(chr, SYMBOL_BULLETS))}]|{RIGHT_TO_LEFT.pattern}")
MARKER = re.compile(rf"(?:[{BULLETS}]|[-–—*](?=\s)|\(?(?:\d{{1,2}}|[a-zA-Z]|[ivxIVX]{{1,5}})[.)](?=\s|$))")
NUMBERED = re.compile(
    r"(?:article|section|chapter|part|schedule|annex|exhibit|appendix)?\s*(\d{1,3}(?:\.\d{1,3})*)\.?\s", re.I
)
CAPTION = re.compile(r"(?:table|figure|fig\.?|tabelle|abbildung|abb\.?|tableau|tabla|tabella|tabel)\s+\d", re.I)
ENDS = tuple(".!?:;")
CLOSERS = "\"'”’)»]"
HYPHENED = re.compile(r"[^\W\d_]{2}[-\u2010]$")
LETTERS, SIGN = re.compile(r"[^\W\d_]+"), re.compile(r"[^\w-]")
ENTRY = re.compile(r"^[^\W\d_][^.!?:]{0,40}(?::(?:\s|$)|#)|\d[%‰°$€£¥).]{0,2}(?:\s(?:[A-Z]{3}|[%$€£¥]))?$")
"""A line of a form: a label with its colon or number sign, or what ends in a figure."""
LARGER = 1.12  # times the body's size
LONGEST_HEADING = 160


@dataclass(frozen=True, slots=True)
class Hyphenation:
    """Tells `con-tract`, parted at the end of a line, from `cutting-edge`, which is written so.

    words: those of the document, lower case, with inner hyphens. usual: whether many lines end in a hyphen, so that
    the program that set the text must have parted words.
    """

    words: frozenset[str]
    usual: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Hyphenation:
        texts = {word.text for line in lines for word in line.words}
        words = frozenset(_strip_signs(text.lower()) for text in texts)
        ends = sum(_is_hyphened(line.words[-1].text) for line in lines if line.words)
        return cls(words, ends > 0.02 * len(lines))

    def is_parted(self, last: str, first: str) -> bool:
        """Whether the hyphen at the end of the word `last` is there for the line's sake alone."""
        if not _is_hyphened(last) or (tail := LETTERS.match(first)) is None or not first[0].islower():
            return False
        head, rest = _strip_signs(last[:-1].lower()), tail.group().lower()
        if head + rest in self.words:
            return True
        if f"{head}-{rest}" in self.words or (len(rest) > 2 and head in self.words and rest in self.words):
            return False
        return self.usual


def _strip_signs(text: str) -> str:
    return text if text.isalpha() else SIGN.sub("", text)


def _is_hyphened(text: str) -> bool:
    return ("-" in text or "\u2010" in text) and HYPHENED.search(text) is not None


def _has_leaders(text: str) -> bool:
    return "...." in text or ". . . . " in text or "……" in text


def _begins_with_marker(text: str) -> bool:
    return MARKER.match(text if text.isascii() else text.translate(SYMBOL_BULLETS)) is not None


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """One paragraph of a page, or one table. level: of a heading, smaller is further out. seen: some of it
    was read off a picture."""

    text: str
    kind: Kind
    boxes: Boxes
    level: float | None = None
    table: PdfTable | None = None
    seen: bool = False


def build_blocks(lines: Sequence[Line], page: int, body: float, hyphenation: Hyphenation) -> Iterator[PdfBlock]:
    """The paragraphs of one group of lines. body: the document's usual font size in points."""
    for run in _runs(lines):
        table = run[0].table
        if table is not None:
            yield PdfBlock("", "table", Boxes(), table=table)
            continue
        text, boxes = _join_lines(run, page, hyphenation)
        if not text:
            continue
        level = _compute_heading_level(run, text, body)
        kind: Kind = "heading" if level is not None else "list" if MARKER.match(text) else "text"
        yield PdfBlock(text, kind, boxes, level, seen=any(line.seen for line in run))


def _runs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    texts = [line for line in lines if line.table is None]
    right = max((line.x1 for line in texts), default=0.0)
    left = min((line.x0 for line in texts), default=0.0)
    leading = _compute_leading(texts)
    current: list[Line] = []
    for line in lines:
        if current and (
            line.table is not None or current[-1].table is not None or _breaks(current, line, left, right, leading)
        ):
            yield current
            current = []
        current.append(line)
    if current:
        yield current


def _compute_leading(lines: Sequence[Line]) -> float:
    """The usual distance of base lines, in font sizes."""
    steps = [
        (line.base - last.base) / last.size
        for last, line in zip(lines, lines[1:], strict=False)
        if last.size > 0 and abs(last.size - line.size) < 0.5 and 0 < line.base - last.base < 2.6 * last.size
    ]
    return min(median(steps), 2.2) if steps else 1.25


def _breaks(current: list[Line], line: Line, left: float, right: float, leading: float) -> bool:
    """Whether `line` begins a new paragraph after the lines of `current`."""
    last = current[-1]
    size = max(last.size, 1.0)
    step = line.base - last.base
    if step < 0 or step > max(1.28 * leading, 1.2) * max(size, line.size):
        return True
    if abs(last.size - line.size) > 0.1 * size:
        return True
    fits = _compute_room_left(last, line, right)
    if last.bold != line.bold and (fits > 0 or len(current) == 1):
        return True
    ended = last.text.rstrip(CLOSERS).endswith(ENDS)
    if _begins_with_marker(line.text) and (line.text[0] in BULLETS or line.text[0] > "\ue000" or ended or fits > 0):
        return True
    if ended and fits > 0 and not line.text[:1].islower():
        return True
    indented = line.x0 - last.x0 > 0.8 * size
    if indented and ended and not _begins_with_marker(current[0].text):
        return True
    outdented = len(current) > 1 and last.x0 - line.x0 > 0.8 * size and abs(current[0].x0 - last.x0) < 0.8 * size
    return outdented and (ended or fits > 0)


def _compute_room_left(last: Line, line: Line, right: float) -> float:
    """Points by which the first word of `line` would have fitted on the line before: above 0, the break was meant."""
    first = line.words[0]
    return right - last.x1 - (first.x1 - first.x0) - 0.6 * max(last.size, 1.0)


def _compute_heading_level(run: list[Line], text: str, body: float) -> float | None:
    """Larger than the body, or bold, or in capitals with a number; short, and not a sentence.

    Levels: 100 - size for larger type; at body size, bold capitals 100.3 - body, bold 100.5 - body, capitals
    100.6 - body, each a little deeper for every part of a section number.
    """
    if len(run) > 3 or len(text) > LONGEST_HEADING or not any(letter.isalpha() for letter in text):
        return None
    if CAPTION.match(text):
        return None
    size = max(line.size for line in run)
    bold = all(line.bold for line in run)
    capitals = text.upper() == text != text.lower() and sum(letter.isalpha() for letter in text) >= 4
    number = NUMBERED.match(text)
    depth = 0.01 * (number.group(1).count(".") if number else 0)
    if text.endswith((",", ";")) or _has_leaders(text) or (text.endswith(".") and not number and not capitals):
        return None
    if size > LARGER * body:
        return round(100 - size, 1) + depth
    if size < 0.93 * body or text[0] in BULLETS or text[0].islower():
        return None
    if bold:
        return round((100.3 if capitals else 100.5) - body + depth, 3)
    if capitals and len(text) <= 90 and len(run) <= 2 and len(text.split()) > 1 and not text.endswith((":", "_")):
        return round(100.6 - body + depth, 3)
    return None


def _join_lines(run: list[Line], page: int, hyphenation: Hyphenation) -> tuple[str, Boxes]:
    """Lines put together: a hyphen at the end of a line goes when it only parted a word, and a line that ended early
    on purpose (an address, a table of contents) keeps its break, as do lines of a form: "Date: 3 May", "Tax 4.20"."""
    pieces: list[str] = []
    words: list[Word] = []
    lengths: list[int] = []
    steps: list[int] = []  # from the end of the word before to that of each
    right = max(line.x1 for line in run)
    for index, line in enumerate(run):
        joint = "" if index == 0 else " "
        if index:
            last = run[index - 1]
            end = last.words[-1]
            hyphened = _is_hyphened(end.text)
            if hyphened and hyphenation.is_parted(end.text, line.words[0].text):
                pieces[-1], joint = pieces[-1][:-1], ""
                lengths[-1] -= 1
                steps[-1] -= 1
            elif end.split or hyphened:
                joint = ""
            elif (
                _compute_room_left(last, line, right) > 0.25 * (right - last.x0)
                or _has_leaders(last.text)
                or (ENTRY.search(last.text) and ENTRY.search(line.text))
            ):
                joint = "\n"
        if is_plain(line.text) and line.text.count(" ") == len(line.words) - 1 and not ODD.search(line.text):
            pieces += (joint, line.text)
            words += line.words
            told = [len(word[0]) for word in line.words]
            lengths += told
            steps.append(len(joint) + told[0])
            steps += [length + 1 for length in told[1:]]
            continue
        for word in order_words(line.words):
            shown = clean_line(word.text.translate(SYMBOL_BULLETS))
            if shown:
                pieces += (joint, shown)
                words.append(word)
                lengths.append(len(shown))
                steps.append(len(joint) + len(shown))
                joint = " "
    ends = list(accumulate(steps))
    return "".join(pieces), _build_boxes(page, words, list(map(sub, ends, lengths)), ends)


def _build_boxes(page: int, words: Sequence[Word], starts: Sequence[int], ends: Sequence[int]) -> Boxes:
    """Rounded to a tenth of a point, never inwards."""
    if not words:
        return Boxes()
    flat = [page] * (7 * len(words))
    _, x0, y0, x1, y1, *_ = zip(*words, strict=True)
    flat[1::7] = [floor(x * 10) for x in x0]
    flat[2::7] = [floor(y * 10) for y in y0]
    flat[3::7] = [ceil(x * 10) for x in x1]
    flat[4::7] = [ceil(y * 10) for y in y1]
    flat[5::7], flat[6::7] = starts, ends
    return Boxes.from_packed(flat)


def round_outwards(word: Word) -> tuple[float, float, float, float]:
    """The corners of a word, rounded likewise."""
    return floor(word.x0 * 10) / 10, floor(word.y0 * 10) / 10, ceil(word.x1 * 10) / 10, ceil(word.y1 * 10) / 10
