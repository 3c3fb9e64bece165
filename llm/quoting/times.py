"""Whether a sentence says when something is, or until when."""

import re

from llm.quoting.measures import CLOCK, CLOCK_OR_DAY, DATE, DURATION

CONDITION = re.compile(r"\b(?:when|if|once|as soon as|until|after|before|while|during)\b", re.IGNORECASE)
# The date itself: not a day rate, nor what happens every day, nor what a working day is.
ASKED_DATE = re.compile(
    r"(?:^\W*the\s+(?=date\b)"
    r"|\b(?:what|which)\s+(?:(?:is|was|are|were)\s+)?(?:(?:the|our|your|its|their|his|her)\s+)?"
    r"(?:(?!(?:working|business|calendar|every|each|any|no)\s)[\w'’-]+\s+){0,2})"
    r"(?:date|day|deadline)\b(?!\s+(?:rates?|shifts?|crew|format|and\s+night)\b)",
    re.IGNORECASE,
)
UNTIL_WHEN = re.compile(r"\b(?:until|till|by|before) when\b|\bhow late\b", re.I)
LIMIT = re.compile(
    r"\b(?:until|till|by|before|within|no later|latest|at least|in advance|ends?|expires?|lapses?|deadline|due)\b", re.I
)
YEAR_STATED = re.compile(rf"{DATE.pattern}|(?:^|[:|] )1\d{{3}}\W*$", re.I)
WILL = re.compile(r"\bwhen\s+(?:will|can|does|do)\b", re.IGNORECASE)
SINCE = re.compile(rf"\bsince\s+(?:\w+\s+)?{DATE.pattern}", re.IGNORECASE)
WHEN = re.compile(r"\bwhen\b", re.I)


def has_time(value: str) -> bool:
    return bool(DATE.search(value) or CLOCK_OR_DAY.search(value))


def has_time_asked(sentence: str, question: str) -> bool:
    """A date or a condition; since when something is so does not say when it will be otherwise."""
    stated = SINCE.sub(" ", sentence) if WILL.search(question) else sentence
    return bool(has_time(stated) or CONDITION.search(stated))


def has_limit(sentence: str, question: str = "") -> bool:
    """Until when, or by when."""
    return has_time(sentence) and bool(LIMIT.search(sentence))


def has_year(text: str, question: str = "") -> bool:
    """A time, or a number behind a label that may be a year before 1900."""
    return bool(YEAR_STATED.search(text))


def has_duration(value: str) -> bool:
    return bool(DURATION.search(value) or has_time(value) and not CLOCK.search(value))
