"""What an answer is, and the fields of records that answer."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from llm.quoting.asked import asks_for_account, extract_name_terms
from llm.quoting.long_questions import measure_term
from llm.quoting.passage_fit import IMPLIED
from llm.quoting.question_kinds import asks_for_time, find_kind
from llm.quoting.reading import FIELDS, PromptPassage
from text.terms import extract_terms


@dataclass(frozen=True)
class Quote:
    """A sentence and the number of its passage; 0 for a field of the record."""

    sentence: str
    n: int


@dataclass(frozen=True)
class Answered:
    """Up to three quotes in reading order, none when nothing answers well enough. score: of the best, 0 for none."""

    quotes: list[Quote]
    score: float = 0.0


DATES = frozenset(extract_terms("date day"))
"""Of a question for a time: what its kind says."""
VAGUE = DATES | set(extract_terms("period address"))
"""Alone they name no field."""
DONE = frozenset(extract_terms("done complete finished ready"))
"""Whether it is so, a status says."""
YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|has|have|had|do|does|did|can|could|may|must|will|would|should|any)\b", re.IGNORECASE
)
PAST = re.compile(r"\bwhen\s+(?:was|were|did|has|had|have)\b", re.IGNORECASE)
OTHER_NAMES = {"ends": "end ending ended expire expires expiring", "due": "deadline finish end ends",
               "starts": "start starting begin begins", "started": "start join joined begin hired",
               "salary": "earn earns pay paid wage", "value": "worth amount price", "budget": "money",
               "owner": "manager responsible boss runs", "counterparty": "party partner"}  # fmt: skip
"""A word of a field's label -> its other names in a question for a date, an amount or a person."""
STATE_NAMES = {"phase": "stage progress", "status": "state progress", "title": "job role position",
               "email": "e-mail address", "severity": "bad serious severe"}  # fmt: skip
"""The same in any question."""


def find_field(question: str, name: str, noun: str, fields: Sequence[str]) -> str:
    """The field of the record at hand that a question asks for and asks nothing else: "When does the project end?" is
    "Due on: 30 June 2028". "" for none. name: the record's, noun: its type.
    """
    terms, names = set(extract_terms(question)), set(extract_terms(name))
    # A part of the name may be a thing of its own: "the crane" of "Crane hire".
    here = set(extract_terms(noun)) | (names if names <= terms else names & extract_name_terms(question))
    return next((line for line in fields if _is_asked_for(line, terms - here, question)), "")


def _is_asked_for(line: str, terms: Set[str], question: str) -> bool:
    """Whether the terms name a field by its label or by one other name, and its value is of the kind asked for."""
    kind, (label, _, value) = find_kind(question), line.partition(":")
    if asks_for_account(question) or (kind and not kind.value(value.strip())):
        return False
    timed = kind is not None and asks_for_time(kind)
    asked = terms - IMPLIED - (kind.implied if kind else set()) - (DATES if timed else set()) or terms
    if YES_OR_NO.match(question):
        return label == "Status" and bool(asked) and asked <= DONE
    words = re.findall(r"\w+", label.lower())
    own = set(extract_terms(" ".join([label, *(STATE_NAMES.get(word, "") for word in words)])))
    if asked <= own:
        return bool(asked - VAGUE) or asked == own != set()
    others = extract_terms(" ".join(OTHER_NAMES.get(word, "") for word in words)) if kind else []
    done = timed and PAST.search(question) and not label.startswith("Started")  # what is due need not have been done
    return len(asked) == 1 and asked <= set(others) and not done


def quote_fields(
    question: str, asked: list[str], fields: list[str], prose: list[PromptPassage], found: list[PromptPassage]
) -> Answered | None:
    """A field whose label is what the question asks for: of the record at hand, or of one that the question names."""
    if line := find_field(question, "", "", fields):
        return Answered([Quote(line, 0)], 1.0)
    for passage in found:
        head, *rest = passage.text.splitlines() if passage.kind == FIELDS else [""]
        named = {term for term in asked if measure_term(term, set(extract_terms(head)))}
        for line in rest if len(named) >= 2 else ():
            if _is_asked_for(line, set(asked) - named, question):
                return Answered([Quote(line, passage.n)], 0.9)
    return None
