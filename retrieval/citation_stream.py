"""Markers in streamed model text: known ones in one form, invented ones gone, code left alone (design §6).

`[3]`, `[citation:3]`, `[src:a1b2c3d4]`, lists like `[1, 3]` and ranges like `[1-3]` become `[citation:3]`, each number
its own, where the number is known; unknown ones are dropped and counted. Text inside code spans, fenced and indented
code blocks, and after a backslash stays as it is. What comes out is the same however the stream was cut: a decision is
only made when no text still to come can change it, so what may still become a marker or a code span is held back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

PREFIX = r"(?:citation:[ \t]?)?"
DASH = "[-\u2010-\u2014]"
# The ends of a range have three digits at most: "[2019-2021]" are years.
NUMBER = rf"(?:{PREFIX}\d{{1,3}}[ \t]?{DASH}[ \t]?{PREFIX}\d{{1,3}}|{PREFIX}\d{{1,9}})"
ITEM = re.compile(rf"(\d+)(?:[ \t]?{DASH}[ \t]?{PREFIX}(\d+))?", re.IGNORECASE | re.ASCII)
MAX_RANGE = 16
MARKER = re.compile(
    rf"\[[ \t]?(?:({NUMBER}(?:[ \t]?[,;][ \t]?{NUMBER}){{0,15}})|src:[ \t]?([0-9a-f]{{8}}))[ \t]?\]",
    re.IGNORECASE | re.ASCII,
)
# Every beginning of a marker, and little else.
UNFINISHED = re.compile(
    r"\[[ \t]?(?:[a-z]{0,8}:?[ \t]?[0-9a-f]{0,9})"
    r"(?:[ \t]?[,;\u2010-\u2014-][ \t]?(?:[a-z]{0,8}:?[ \t]?)?\d{0,9})*[ \t]?",
    re.IGNORECASE | re.ASCII,
)
LONGEST_MARKER = 600
PLAIN = re.compile(r"[^\\`\[ \t\n]+")
BLANKS = re.compile(r"[ \t]+")
TICKS = re.compile(r"`+")
LINE_HEAD = re.compile(r"[ \t>]*")
LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
PARAGRAPH_END = re.compile(r"\n[ \t]*(?=\n)|\n[ \t>]*(?:`{3,}|~{3,})")
APART = "  "  # no marker has two blanks in it
NO_SPACE_BEFORE = frozenset(".,;:!?)\n")


@dataclass(frozen=True)
class NormalisedText:
    """cited: numbers in order of first use. dropped: markers that stood for nothing."""

    text: str
    cited: tuple[int, ...]
    dropped: int


@dataclass(frozen=True)
class _Marker:
    size: int
    known: tuple[int, ...]
    unknown: int


class CitationStream:
    """Feed pieces, get the text that may be shown so far; `close` gives the rest.

    known: whether a number has been given out. by_src: the number of an eight-hex form, or None. Both are asked when a
    marker is complete; numbers given out while the stream runs count.
    """

    def __init__(self, known: Callable[[int], bool], by_src: Callable[[str], int | None] = lambda src: None) -> None:
        self.known = known
        self.by_src = by_src
        self.cited: list[int] = []
        self.dropped = 0
        self._held = ""
        self._final = False
        self._line_start = True
        self._after_blank = True
        self._in_list = False
        self._fence = ""
        self._verbatim_line = False
        self._after_drop = False
        self._tail = ""

    def feed(self, piece: str) -> str:
        self._held += piece
        return self._drain_buffer()

    def close(self) -> str:
        """The end of the text. The stream takes nothing after it."""
        self._final = True
        return self._drain_buffer()

    def _drain_buffer(self) -> str:
        out: list[str] = []
        while self._held:
            taken = self._read_next()
            if taken is None:
                break
            size, shown = taken
            self._held = self._held[size:]
            if shown:
                out.append(shown)
                self._tail = (self._tail + shown)[-LONGEST_MARKER:]
        return "".join(out)

    def _read_next(self) -> tuple[int, str] | None:
        """(characters consumed, text shown) of what stands first, or None while more text is needed."""
        if self._line_start:
            return self._begin_any_line()
        if self._verbatim_line:
            return self._read_rest_of_line()
        first = self._held[0]
        if first == "\n":
            self._line_start = True
            self._after_drop = False
            return 1, first
        if first in " \t":
            return self._read_blanks()
        self._after_drop = False
        if first == "\\":
            return (2, self._held[:2]) if len(self._held) > 1 and self._held[1] != "\n" else self._read_backslash()
        if first == "`":
            return self._read_code_span()
        if first == "[":
            return self._read_bracket()
        plain = PLAIN.match(self._held)
        assert plain is not None
        return plain.end(), plain.group()

    def _read_backslash(self) -> tuple[int, str] | None:
        return (1, "\\") if self._final or len(self._held) > 1 else None

    # Lines: fences and indented code

    def _begin_any_line(self) -> tuple[int, str] | None:
        """Decide what kind of line begins here. Consumes nothing but what surely stays as it is."""
        line, ended, _ = self._held.partition("\n")
        complete = bool(ended) or self._final
        head = LINE_HEAD.match(line)
        assert head is not None
        rest = line[head.end() :]
        if not rest and not complete:
            return None
        if self._fence:
            return self._begin_fenced_line(rest, complete)
        if rest[:1] in ("`", "~") and rest[:3] in ("`", "``", "```", "~", "~~", "~~~"):
            if not complete:
                return None
            fence = FENCE.match(rest)
            if fence:
                self._fence = fence[1]
                return self._begin_line(verbatim=True)
        if not complete and re.fullmatch(r"[-*+]|\d{1,9}[.)]?", rest):
            return None
        if not rest:
            self._after_blank = True
            return self._begin_line(verbatim=False, blank=True)
        indented = head.group().startswith(("    ", "\t"))
        if LIST_ITEM.match(rest) and not (indented and not self._in_list):
            self._in_list = True
        elif self._after_blank and not head.group():
            self._in_list = False
        code = indented and self._after_blank and not self._in_list
        return self._begin_line(verbatim=code, blank=code)

    def _begin_line(self, *, verbatim: bool, blank: bool = False) -> tuple[int, str]:
        # After a line of indented code the next indented line is code as well, hence `blank`.
        self._line_start = False
        self._verbatim_line = verbatim
        self._after_blank = blank
        return 0, ""

    def _begin_fenced_line(self, rest: str, complete: bool) -> tuple[int, str] | None:
        mark = self._fence[0]
        if rest.startswith(mark):
            if not complete and not rest.strip(f"{mark} \t"):
                return None
            run = len(rest) - len(rest.lstrip(mark))
            if run >= len(self._fence) and not rest.lstrip(mark).strip():
                self._fence = ""
        return self._begin_line(verbatim=True)

    def _read_rest_of_line(self) -> tuple[int, str]:
        line, ended, _ = self._held.partition("\n")
        if ended:
            self._line_start = True
            self._verbatim_line = False
        return len(line) + len(ended), line + ended

    # Within a line

    def _read_blanks(self) -> tuple[int, str] | None:
        """Blanks wait for what follows: those before a dropped marker go with it where punctuation follows."""
        blanks = BLANKS.match(self._held)
        assert blanks is not None
        after = self._held[blanks.end() : blanks.end() + 1]
        if not after and not self._final:
            return None
        if after == "[":
            marker = self._find_marker_at(blanks.end())
            if marker is None:
                return None
            if marker.size and not marker.known:
                self._count_marker(marker)
                self._held = blanks.group() + self._held[blanks.end() + marker.size :]
                self._after_drop = True
                return 0, ""
        dropped, self._after_drop = self._after_drop, False
        if dropped:
            closes = not after or after in NO_SPACE_BEFORE
            return blanks.end(), APART if self._is_half_open() else "" if closes else " "
        return blanks.end(), blanks.group()

    def _read_code_span(self) -> tuple[int, str] | None:
        """A run of backticks opens a span if the same run closes it in the paragraph; else it is text."""
        opening = TICKS.match(self._held)
        assert opening is not None
        if opening.end() == len(self._held) and not self._final:
            return None
        end = PARAGRAPH_END.search(self._held, opening.end())
        for run in TICKS.finditer(self._held, opening.end(), end.start() if end else len(self._held)):
            if run.end() == len(self._held) and not self._final:
                return None
            if len(run.group()) == len(opening.group()):
                return run.end(), self._held[: run.end()]
        return (opening.end(), opening.group()) if end or self._final else None

    def _read_bracket(self) -> tuple[int, str] | None:
        marker = self._find_marker_at(0)
        if marker is None:
            return None
        if not marker.size:
            return 1, "["
        self._count_marker(marker)
        # What is left after a drop must not close up into a marker of its own.
        gone = APART if self._is_half_open() else ""
        return marker.size, "".join(f"[citation:{n}]" for n in marker.known) or gone

    def _find_marker_at(self, start: int) -> _Marker | None:
        """The marker at `start`, of size 0 where there is none; None while undecided."""
        found = MARKER.match(self._held, start)
        if found:
            numbers = _list_numbers(found[1]) if found[1] else [self.by_src(found[2].lower())]
            if not numbers:
                return _Marker(0, (), 0)
            known = tuple(n for n in numbers if n is not None and self.known(n))
            return _Marker(found.end() - start, known, len(numbers) - len(known))
        rest = self._held[start : start + LONGEST_MARKER]
        part = UNFINISHED.match(rest)
        if part and part.end() == len(rest) < LONGEST_MARKER and not self._final:
            return None
        return _Marker(0, (), 0)

    def _count_marker(self, marker: _Marker) -> None:
        self.dropped += marker.unknown
        self.cited += [n for n in dict.fromkeys(marker.known) if n not in self.cited]

    def _is_half_open(self) -> bool:
        at = self._tail.rfind("[")
        part = UNFINISHED.match(self._tail, at) if at >= 0 else None
        return part is not None and part.end() == len(self._tail)


def _list_numbers(items: str) -> list[int | None]:
    """The numbers of "1, 3-5"; none where a range runs backwards or is longer than anybody cites: that is text."""
    numbers: list[int | None] = []
    for first, last in ITEM.findall(items):
        span = range(int(first), int(last or first) + 1)
        if not 1 <= len(span) <= MAX_RANGE:
            return []
        numbers += span
    return numbers


def normalise_citations(
    text: str, known: Callable[[int], bool], by_src: Callable[[str], int | None] = lambda src: None
) -> NormalisedText:
    """`CitationStream` for a text that is whole."""
    stream = CitationStream(known, by_src)
    shown = stream.feed(text) + stream.close()
    return NormalisedText(shown, tuple(stream.cited), stream.dropped)
