"""The result type of every recogniser, and how their patterns are written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True)
class Finding:
    """One thing recognised. `start`, `end`: offsets in the text. `kind` is safe to store: it never quotes the text."""

    kind: str
    start: int
    end: int


# No semicolon of a set of characters, as in "[.;]".
SEPARATOR = re.compile(r";(?![^\[\]]{0,200}\])")


def phrases(listing: str) -> str:
    """An alternation of the semicolon-separated patterns in `listing`; a space in one stands for any white space.

    Patterns with the same first letters are tried together, so that most are left out by one look at a letter. What is
    found stays the same: only such change places as cannot begin alike.
    """
    return _join_patterns([r"\s+".join(part.split()) for part in SEPARATOR.split(listing) if part.strip()])


# A letter that a pattern begins with, and that is not repeated or left out.
FIRST_LETTER = re.compile(r"[^\W\d_](?![?*+{])")


def _join_patterns(parts: Sequence[str]) -> str:
    groups: list[tuple[str, list[str]]] = []
    for part in parts:
        first = FIRST_LETTER.match(part)
        letter = first[0] if first and not _has_bar(part) else ""
        same = next((rest for known, rest in _select_movable(groups) if known == letter), None) if letter else None
        if same is None:
            groups.append((letter, [part[len(letter) :]]))
        else:
            same.append(part[len(letter) :])
    rests = ((letter, rest[0] if len(rest) == 1 else _join_patterns(rest)) for letter, rest in groups)
    return "(?:" + "|".join(letter + rest for letter, rest in rests) + ")"


def _select_movable(groups: list[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str]]]:
    """Those behind the last pattern of which nobody knows how it begins."""
    return takewhile(lambda group: group[0], reversed(groups))


def _has_bar(pattern: str) -> bool:
    """Whether a pattern is an alternation itself, outside its brackets."""
    bare = re.sub(r"\\.|\[[^\]]*\]", "", pattern)
    while bare != (bare := re.sub(r"\([^()]*\)", "", bare)):
        pass
    return "|" in bare


DIGIT = re.compile(r"\d")


def matches(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    """Every match of `pattern` as a finding of `kind`; a group called `hit` narrows the span."""
    has_hit = "hit" in pattern.groupindex
    for match in pattern.finditer(text):
        start, end = match.span("hit") if has_hit and match["hit"] else match.span()
        yield Finding(kind, start, end)


def find_sentence_spans(text: str) -> list[tuple[int, int]]:
    """Rough sentence borders, for "in the same sentence" rules: full stops before a capital, but not those of
    initials, and line ends.
    """
    spans, start = [], 0
    for match in re.finditer(r"(?<=[.!?;])(?<!\b[A-Z]\.)\s+(?=[^\W\d_a-zß-öø-ÿ]|\d)|\n+", text):
        if match.start() > start:
            spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def has_any_inside(findings: Iterable[Finding], start: int, end: int) -> bool:
    """Whether a finding begins in [start, end)."""
    return any(start <= finding.start < end for finding in findings)


def has_any_overlap(finding: Finding, others: Iterable[Finding]) -> bool:
    """Whether `finding` shares a character with another."""
    return any(other.start < finding.end and finding.start < other.end for other in others)


def share_a_sentence(text: str, first: list[Finding], second: list[Finding]) -> bool:
    """Whether some sentence has a finding of both."""
    if not first or not second:
        return False
    return any(has_any_inside(first, *span) and has_any_inside(second, *span) for span in find_sentence_spans(text))
