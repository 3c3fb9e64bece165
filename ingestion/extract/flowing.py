"""Margins of pages that stand in the flow of a text: documents that were printed once and kept as one long page.

A filing that was made from a printed agreement has that one's page numbers and running lines between its paragraphs,
wherever its own pages end. A short paragraph is a page number when it says so, or is nothing but a number, and
paragraphs of its form count up through the whole text, about a page of text apart; what stands beside most of them and
says the same is a running line. Numbers go; of lines that say something, the first one stays (it may need a label) and
stands for the others. Any other line with a number ("Resolution 12") says something of its own and stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ingestion.extract.page_numbers import BARE, CERTAIN, MAX_AHEAD, find_page_numbers, split_numbers

LONGEST = 120
FEWEST = 3
A_PAGE = 700
"""Characters between two numbers of pages, at least: points of a list and rows stand closer."""
UNEVEN = 4.0
"""Times the usual distance that pages may be apart; chapters are longer and shorter than each other."""


def find_running_margins(texts: Sequence[str], kinds: Sequence[str]) -> dict[int, int | None]:
    """Number of a paragraph that is a margin in the flow -> that of the one which stands for it; None for numbers that
    say nothing else. kinds: as `documents.Kind`.
    """
    ends: list[int] = []
    for text in texts:
        ends.append((ends[-1] if ends else 0) + len(text))
    forms: dict[str, list[int]] = defaultdict(list)
    for place, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        if kind in ("text", "heading", "list") and len(text) <= LONGEST and "#" not in text:
            forms[split_numbers(text)[0]].append(place)
    found: dict[int, int | None] = {}
    for form, places in forms.items():
        bare = BARE.fullmatch(form) is not None
        if len(places) >= FEWEST and (CERTAIN.fullmatch(form) or _is_margin(form, texts, places, ends)):
            found |= dict.fromkeys(places, None if bare else places[0])
    beside = {place + step for place in found for step in (-2, -1, 1, 2)}
    for places in forms.values():
        near = sum(place in beside for place in places)
        if len(places) >= FEWEST and near >= 0.8 * len(places) and len({texts[place] for place in places}) == 1:
            found |= {place: places[0] for place in places if place not in found}
    return {place: first for place, first in found.items() if place != first}


def _is_margin(form: str, texts: Sequence[str], places: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether paragraphs of a form have the number of a page and differ in nothing else: it goes up from each to the
    next, and a page of text stands between them. form: holds no "#" of a text's own.
    """
    named = find_page_numbers(form)
    if not named and BARE.fullmatch(form) is None:
        return False
    gaps = [ends[later - 1] - ends[place] for place, later in zip(places, places[1:], strict=False)]
    if median(gaps) < A_PAGE or (not named and max(gaps) > UNEVEN * median(gaps)):
        return False
    columns = list(zip(*(split_numbers(texts[place])[1] for place in places), strict=True))
    if any(len(set(column)) > 1 for number, column in enumerate(columns) if named and number not in named):
        return False
    if not named and (max(columns[0]) > len(places) + MAX_AHEAD or {*columns[-1]} - {*columns[0]}):
        return False  # years, or months of one
    for column in columns:
        steps = [later - number for number, later in zip(column, column[1:], strict=False)]
        again = min(sum(step <= 0 for step in steps), len(steps) // 4)  # an exhibit begins at 1 again
        if sum(step in (1, 2) for step in steps) >= 0.8 * (len(steps) - again):
            return True
    return False


def renumber_paragraphs(count: int, left_out: Mapping[int, int | None]) -> dict[int, int]:
    """Number of each paragraph that stays -> its number afterwards."""
    kept = [place for place in range(count) if place not in left_out]
    return {place: number for number, place in enumerate(kept)}
