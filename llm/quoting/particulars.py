"""The things, months and years that a question names, and whether a text is of the same ones."""

import re

from llm.quoting.measures import MONTH_NAME
from llm.quoting.question_kinds import QuestionKind, asks_for_time
from text.terms import LETTER

MONTH = re.compile(
    rf"\b(?i:(?!may\b){MONTH_NAME})"
    r"|(?:(?<=\b(?:in|of|by)\s)|(?<=\bfor\s)|(?<=\bsince\s)|(?<=\d\s)|(?<=\d\.\s))May\b|(?<!^)\bMay(?=\s\d)"
)
"""Of "may" only what can be no verb."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
RELATIVE = re.compile(r"\b(?:before|after|until|till|since|by|from|between)\b", re.IGNORECASE)
WITHIN = re.compile(r"\bin (?:[^\W\d_]{1,12}\b\.? ?)?(?:\d{4})?\W{0,5}$")
"""The month or year that a question about a time ends with: "When is the next visit in May?"."""


def find_dates(question: str, kind: QuestionKind | None) -> str:
    """The part of a question whose months and years an answer must be of, "" for none. Of "When does the lease of 2019
    end?" the year only names the lease.
    """
    if RELATIVE.search(question):
        return ""
    if kind is None or not asks_for_time(kind):
        return question
    within = WITHIN.search(question)
    return f" {within.group()}" if within else ""


def has_dates(asked: str, text: str) -> bool:
    """Whether a text that names months, or years, names one of those that `find_dates` found, where there are any."""
    for pattern in (MONTH, YEAR):
        wanted, named = ({found.lower() for found in pattern.findall(each)} for each in (asked, text))
        if wanted and named and not wanted & named:
            return False
    return True


def find_numbered(question: str) -> list[tuple[str, str]]:
    """The things that a number or a letter names: ("Sector", "7"), ("lift", "b")."""
    lettered = [(match[1], match[2]) for match in LETTER.finditer(question)]
    return re.findall(r"\b([A-Z][a-z]+)s?\s(\d{1,9})\b", question) + lettered


def has_numbered(noun: str, number: str, text: str) -> bool:
    """ "Sector 7" stands in "Sector 7" and in "Sectors 5, 6 and 7"."""
    one = r"\d+" if number.isdigit() else r"[a-z]\b"
    lists = re.finditer(rf"\b{re.escape(noun)}s?\s((?:{one}(?:\s*(?:,|and|to|or|&|-|–)\s*)?)+)", text, re.IGNORECASE)
    return any(number.lower() in re.findall(one, listed[1].lower()) for listed in lists)
