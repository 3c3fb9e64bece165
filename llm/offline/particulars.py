"""The things, months and years that a question names, and whether a text is of the same ones."""

import re

from llm.offline.asked import MONTH_NAME

YEAR = r"\b(?:19|20)\d\d\b"
RELATIVE = re.compile(r"\b(?:before|after|until|till|since|by|from|between)\b", re.IGNORECASE)


def has_dates(question: str, text: str) -> bool:
    """Whether a text that names months, or years, names one of the question's, where that names any."""
    for pattern, length in ((MONTH_NAME, 3), (YEAR, 4)):
        asked, named = ({found[:length].lower() for found in re.findall(pattern, t, re.I)} for t in (question, text))
        if asked and named and not asked & named and not RELATIVE.search(question):
            return False
    return True


def find_numbered(question: str) -> list[tuple[str, str]]:
    """The things that a number names: ("Sector", "7")."""
    return re.findall(r"\b([A-Z][a-z]+)s?\s(\d{1,9})\b", question)


def has_numbered(noun: str, number: str, text: str) -> bool:
    """ "Sector 7" stands in "Sector 7", in "Sectors 5, 6 and 7" and in "Sectors 1 to 12"."""
    for listed in re.finditer(rf"\b{noun}s?\s((?:\d+(?:\s*(?:,|and|to|or|-|–)\s*)?)+)", text, re.IGNORECASE):
        if number in re.findall(r"\d+", listed[1]):
            return True
        ranges = re.findall(r"\b(\d{1,9})\s*(?:to|-|–)\s*(\d{1,9})\b", listed[1])
        if any(int(low) <= int(number) <= int(high) for low, high in ranges):
            return True
    return False
