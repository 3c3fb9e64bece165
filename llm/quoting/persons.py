"""Whether a sentence names a person or a party."""

import re

from llm.recognisers.people import find_people
from text.terms import extract_terms, stem_word
from text.words import words

CAPITALISED = re.compile(r"(?<![.!?:|]\s)(?<!^)\b[A-ZÀ-Þ][\w’'-]+")
NAMED_PLACE = re.compile(r"\b(?:at|in|near)\s+(?:\d+[a-z]?\s+)?[A-Z]\w+(?:\s[A-Z]\w+)*")
ROLE = re.compile(
    r"\b(?:[Tt]he|[Aa]|[Oo]ur|[Ee]ither|[Tt]heir)\s+(?:[a-z]+\s){0,2}?(crew|team|board|part(?:y|ies)|company|manager|lead|director|officer"
    r"|inspector|engineer|contractor|subcontractor|supplier|owner|hirer|tenant|landlord|employer|employee|buyer|seller)\b"
)
STAFF = re.compile(
    r"\b(?:[Oo]nly|[Aa]ll|[Aa]ny|trained|authori[sz]ed|qualified|certified)\s+(?:[a-z]+\s){0,2}?"
    r"(staff|personnel|employees?|members?|adults?|pupils?|students?|drivers?|users?|visitors?|guests?)\b"
)
PEOPLE_WORDS = ("person", "people", "man", "woman", "one")
NO_PERSON = frozenset(
    map(
        stem_word,
        words(
            """January February March April May June July August September October November December Monday Tuesday
            Wednesday Thursday Friday Saturday Sunday Sector Sectors Section Clause Schedule Grade Table Figure Works"""
        ),
    )
)
TO_WHOM = re.compile(r"\bwhom? (?:do|does|should|can|must|shall|may) (?:i|we|you|one|they) ([a-z]+)", re.I)
"""Asks for whoever is to be called, told or asked."""


def has_name(value: str) -> bool:
    return bool(re.match(r"\W*[^\W\d_a-zß-öø-ÿ][^\d:,]*(?:,|$)", value[:40]))


def has_person(sentence: str, question: str) -> bool:
    """A person or a party that the question does not name itself."""
    if (asked := TO_WHOM.search(question)) and re.search(
        rf"\b{asked[1]}\s+(?:the|our|your|an?)\s+[a-z]", sentence, re.I
    ):
        return True
    sentence = NAMED_PLACE.sub(" ", sentence)
    known = set(extract_terms(question))
    people = [sentence[f.start : f.end] for f in find_people(sentence)]
    if re.search(r"\b(?:to whom|whose)\b", question, re.IGNORECASE):
        return bool(people)  # an addressee has a name, and so has an owner
    if any(set(extract_terms(name)) - known for name in people):
        return True
    names = CAPITALISED.findall(sentence.strip("| "))
    return any(
        len(name) > 2 and name.isalpha() and stem_word(name) not in known | NO_PERSON
        for name in re.findall(r"[^\W_]+", " ".join(names))
    ) or (
        sentence.startswith("|")
        or any(stem_word(role) not in known for form in (ROLE, STAFF) for role in form.findall(sentence))
    )
