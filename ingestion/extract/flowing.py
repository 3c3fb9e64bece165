"""Margins of pages that stand in the flow of a text: documents that were printed once and kept as one long page.

A filing that was made from a printed agreement has that one's page numbers and running lines between its paragraphs,
wherever its own pages end. A short paragraph is a page number when paragraphs of its form count up through the whole
text, about a page of text apart; what stands beside most of them and says the same is a running line. Numbers go; of
lines that say something, the first one stays (it may need a label) and stands for the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

NUMBER = re.compile(r"\d{1,4}(?!\d)")
LONGEST = 120
FEWEST = 3
A_PAGE = 700
"""Characters between two numbers of pages, at least: points of a list and rows stand closer."""
_PAGE = r"(?:page|seite|pagina|página)"
_OF = r"(?:of|von|de|van|di|/)"
BARE = re.compile(
    rf"[\s\-–—|/]*(?:{_PAGE}[\s\-–—]*)?(?:[A-Z]{{1,4}}\s*[-–]\s*)?#[\s\-–—|/]*(?:{_OF}\s*#)?[\s\-–—|/]*", re.I
)
CERTAIN = re.compile(rf"[\s\-–—|/]*{_PAGE}\s*#\s*{_OF}\s*#[\s\-–—|/]*", re.I)
NAMED = re.compile(rf"\b{_PAGE}\b[\s\-–—]*(?:[A-Z]{{1,3}}\s*[-–]\s*)?#", re.I)
PARTS = re.compile(
    r"\b(?:section|article|clause|exhibit|schedule|chapter|appendix|annex|attachment|part|item|step|phase|stage|year|"
    r"month|week|day|no|number|nr|figure|table|note|question|amendment|milestone|version|lot|unit|building|option)\b",
    re.I,
)
"""What is numbered itself: a line with such a word may be a heading."""
A_WORD = re.compile(r"[^\W\d_]{2,}")


def running(texts: Sequence[str], kinds: Sequence[str]) -> dict[int, int | None]:
    """Number of a paragraph that is a margin in the flow -> that of the one which stands for it; None for numbers that
    say nothing else. kinds: as `documents.Kind`.
    """
    ends: list[int] = []
    for text in texts:
        ends.append((ends[-1] if ends else 0) + len(text))
    forms: dict[str, list[int]] = defaultdict(list)
    for place, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        if kind in ("text", "heading", "list") and len(text) <= LONGEST and "#" not in text:
            forms[NUMBER.sub("#", text)].append(place)
    found: dict[int, int | None] = {}
    for form, places in forms.items():
        bare = BARE.fullmatch(form) is not None
        if len(places) >= FEWEST and (CERTAIN.fullmatch(form) or _is_margin(form, bare, texts, places, ends)):
            found |= dict.fromkeys(places, None if bare else places[0])
    beside = {place + step for place in found for step in (-2, -1, 1, 2)}
    for places in forms.values():
        near = sum(place in beside for place in places)
        if len(places) >= FEWEST and near >= 0.8 * len(places) and len({texts[place] for place in places}) == 1:
            found |= {place: places[0] for place in places if place not in found}
    return {place: first for place, first in found.items() if place != first}


def _is_margin(form: str, bare: bool, texts: Sequence[str], places: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether paragraphs of a form have the number of a page: one of their numbers goes up from each to the next, and a
    page of text stands between them. What names no page has to be a line of words, and to count without a gap.
    form: holds no "#" of a text's own.
    """
    named = bare or NAMED.search(form) is not None
    if not named and (PARTS.search(form) or len(A_WORD.findall(form)) < 3 or len(places) <= FEWEST):
        return False
    gaps = [ends[later - 1] - ends[place] for place, later in zip(places, places[1:], strict=False)]
    if median(gaps) < A_PAGE:
        return False
    columns = list(zip(*([int(n) for n in NUMBER.findall(texts[place])] for place in places), strict=True))
    # A line of words in which anything but the page differs says something of its own each time.
    if not bare and sum(len(set(column)) > 1 for column in columns) > 1:
        return False
    for column in columns:
        steps = [later - number for number, later in zip(column, column[1:], strict=False)]
        anew = min(sum(step <= 0 for step in steps), len(steps) // 4) if named else 0  # an exhibit begins at 1 again
        if sum(step in (1, 2) for step in steps) >= 0.8 * (len(steps) - anew):
            return True
    return False


def places_after(count: int, left_out: Mapping[int, int | None]) -> dict[int, int]:
    """Number of each paragraph that stays -> its number afterwards."""
    kept = [place for place in range(count) if place not in left_out]
    return {place: number for number, place in enumerate(kept)}
