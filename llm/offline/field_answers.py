"""What an answer is, and the fields of records that answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llm.offline.asked import asks_for_account, asks_for_time, find_kind
from llm.offline.listing import WORDS_OF_FIELD
from llm.offline.long_questions import measure_term
from llm.offline.passage_fit import IMPLIED
from llm.offline.ranking import extract_terms
from llm.offline.reading import FIELDS, PromptPassage


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


def find_field(question: str, about: str, fields: Sequence[str]) -> str:
    """The field of the record at hand that a question asks for and asks nothing else: "When does the project end?" is
    "Due on: 30 June 2028". "" for none. about: the record's name and type.
    """
    kind, here = find_kind(question), set(extract_terms(about))
    terms = [term for term in extract_terms(question) if term not in here]
    implied = (
        IMPLIED | (kind.implied if kind else frozenset()) | (DATES if kind and asks_for_time(kind) else frozenset())
    )
    asked = [term for term in terms if term not in implied] or terms
    for line in [] if asks_for_account(question) or not asked else fields:
        label, _, value = line.partition(":")
        if set(asked) <= _list_names(label) and (kind is None or kind.value(value.strip()) or kind.value(line)):
            return line
    return ""


def _list_names(label: str) -> set[str]:
    """Terms of a field's label and of its other names."""
    return {
        term
        for word in re.findall(r"\w+", label.lower())
        for term in extract_terms(f"{word} {WORDS_OF_FIELD.get(word, '')}")
    }


def quote_fields(
    question: str, asked: list[str], fields: list[str], prose: list[PromptPassage], found: list[PromptPassage]
) -> Answered | None:
    """A field whose label is what the question asks for: of the record at hand, or of one that the question names."""
    if asks_for_account(question):
        return None
    if line := find_field(question, "", fields):
        return Answered([Quote(line, 0)], 1.0)
    for passage in found:
        head, *rest = passage.text.splitlines() if passage.kind == FIELDS else [""]
        named = set(extract_terms(head))
        for line in rest:
            label = _list_names(line.split(":", 1)[0])
            others = [term for term in asked if not measure_term(term, label) and not measure_term(term, named)]
            here = (
                any(measure_term(term, label) for term in asked)
                and sum(measure_term(term, named) > 0 for term in asked) >= 2
            )
            if here and not others:
                return Answered([Quote(line, passage.n)], 0.9)
    return None
