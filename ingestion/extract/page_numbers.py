"""Which lines of a text carry the number of a page, and nothing else that is theirs alone.

A payslip, an exhibit or a resolution has a page and a number of its own, and both go up together. So a line with a
number is a page number only where it says so ("Page 3 of 12"), or where nothing but a number stands on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NUMBER = re.compile(r"(?<!\d)(?:0|[1-9]\d{0,3})(?!\d)")
"""A number that pages may have. Bates stamps have more digits, or zeros before them."""
_PAGE = r"(?:pages?|seite|pagina|página|pág\.?|p\.)"
_OF = r"(?:of|von|de|van|di|/)"
_EDGE = r"[\s\-–—|/]*"
_PART = r"(?!(?:EX|NO|NR|ART|SEC)\b)(?:[A-Z]{1,2}|[IVX]{1,4})"
"""Before the page's number in appendices: "F-12", "III - 4"."""
MAX_AHEAD = 999
"""Pages that may come before those of a document. Numbers that are larger are years, or count something else."""
BARE = re.compile(rf"{_EDGE}(?:{_PAGE}[\s\-–—]*)?(?:{_PART}\s*[-–]\s*)?#{_EDGE}(?:{_OF}\s*#)?{_EDGE}", re.I)
CERTAIN = re.compile(rf"{_EDGE}{_PAGE}[\s\-–—]*#\s*{_OF}\s*#{_EDGE}", re.I)
NAMED = re.compile(rf"(?<!\w){_PAGE}[\s\-–—]*(?:[A-Z]{{1,3}}\s*[-–]\s*)?#(?:\s*{_OF}\s*#)?", re.I)


def split_numbers(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with `#` for every number that a page may have, and those numbers."""
    return NUMBER.sub("#", text), tuple(int(match.group()) for match in NUMBER.finditer(text))


def is_bare(form: str, numbers: Sequence[int], pages: int) -> bool:
    """Whether a line is nothing but the number of a page, or that and how many there are. pages: of the document."""
    if not numbers or BARE.fullmatch(form.strip(" .()[]")) is None:
        return False
    if NAMED.search(form) is not None:
        return True
    return numbers[0] <= pages + MAX_AHEAD and (len(numbers) < 2 or numbers[1] == pages)


def drop_page_numbers(texts: Iterable[str]) -> list[str]:
    """The margins of a document whose pages nobody counts, without those that are nothing but the number of a page."""
    return [text for text in texts if not is_bare(*split_numbers(text), pages=0)]


def find_page_numbers(form: str) -> set[int]:
    """Which of the numbers of a form are said to be that of a page, or how many pages there are. form: as
    `split_numbers` gives it."""
    found: set[int] = set()
    for match in NAMED.finditer(form):
        found |= {form.count("#", 0, match.start()) + place for place in range(match.group().count("#"))}
    return found
