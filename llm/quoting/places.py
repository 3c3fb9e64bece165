"""Whether a sentence says where something is."""

import re

from llm.quoting.asked import extract_name_terms
from llm.quoting.measures import DATE
from text.terms import extract_terms, stem_word

PLACE_LINE = re.compile(r"^\W*(?:location|place|venue|address|where|ort|adresse)\s*:", re.IGNORECASE)
PREPOSITION = re.compile(
    r"\b(?:in|at|on|near|behind|to|from|beside|besides|inside|outside|into|onto|upon|under|underneath|above|below|beneath"
    r"|over|opposite|within|between|among|along|across|around|against|next|by|off|beyond|past|through|throughout|via|up"
    r"|down|with|here|there|everywhere|anywhere|upstairs|downstairs|online|abroad|north|south|east|west)\b",
    re.IGNORECASE,
)
STATED_NAME = re.compile(r"(?:\b(?:is|are|was|were)|:)\s+(?:(?:the|our|called)\s+)?([A-ZÀ-Þ][\w’'-]+)")
HOUSE = re.compile(r"\b\d{1,5}[a-z]?\s[A-ZÀ-Þ]\w+\s[A-ZÀ-Þ]\w+")
IN_PLACE = re.compile(r"\b(?:in|at|near)\s(?:the\s)?[A-ZÀ-Þ]")
CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
TIMED = re.compile(rf"\b[a-z]+\s+(?:{DATE.pattern})", re.IGNORECASE)


def has_place(sentence: str, question: str) -> bool:
    """A place, by the word before it or by a name that the question does not have: "Our head office is Hamburg."."""
    known = set(extract_terms(question))
    named = any(name.isalpha() and stem_word(name) not in known for name in STATED_NAME.findall(sentence))
    timeless = CAPITALS.sub(" ", TIMED.sub(" ", sentence))  # "within 30 days" is no place, nor is "AGREED TO BY"
    if HOUSE.search(sentence) or PLACE_LINE.match(sentence):
        return True
    if set(extract_terms(question)) <= extract_name_terms(question):
        return bool(IN_PLACE.search(sentence))  # "between Arden Ltd and the bank" says not where Arden is
    return named or bool(PREPOSITION.search(timeless))
