"""The result type of every recogniser, and how their patterns are written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing recognised. `start`, `end`: offsets in the text. `kind` is safe to store: it never quotes the text."""

    kind: str
    start: int
    end: int


def phrases(listing: str) -> str:
    """An alternation of the semicolon-separated patterns in `listing`; a space in one stands for any white space."""
    parts = (r"\s+".join(part.split()) for part in listing.split(";"))
    return "(?:" + "|".join(part for part in parts if part) + ")"


def words(listing: str) -> frozenset[str]:
    """The white-space-separated words of `listing`."""
    return frozenset(listing.split())


def matches(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    """Every match of `pattern` as a finding of `kind`; a group called `hit` narrows the span."""
    has_hit = "hit" in pattern.groupindex
    for match in pattern.finditer(text):
        start, end = match.span("hit") if has_hit and match["hit"] else match.span()
        yield Finding(kind, start, end)


def sentence_spans(text: str) -> list[tuple[int, int]]:
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


def any_inside(findings: Iterable[Finding], start: int, end: int) -> bool:
    """Whether a finding begins in [start, end)."""
    return any(start <= finding.start < end for finding in findings)


def any_overlap(finding: Finding, others: Iterable[Finding]) -> bool:
    """Whether `finding` shares a character with another."""
    return any(other.start < finding.end and finding.start < other.end for other in others)


def in_one_sentence(text: str, first: list[Finding], second: list[Finding]) -> bool:
    """Whether some sentence has a finding of both."""
    if not first or not second:
        return False
    return any(any_inside(first, *span) and any_inside(second, *span) for span in sentence_spans(text))
