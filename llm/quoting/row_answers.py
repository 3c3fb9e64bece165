"""Answers that are rows of a table: those that are so, and those that are not."""

import re
from collections.abc import Sequence
from itertools import pairwise

from llm.quoting.long_questions import has_term
from llm.quoting.pairs import Pair, read_pairs
from llm.quoting.reading import PromptPassage, get_document_title
from text.terms import extract_terms, stem_word

MAX_ROWS = 30
"""Of an answer: of more a part would pass for all."""
UNDONE = re.compile(r"\b(?:not|never|non|nicht|part(?:ly|ial\w*)?|half|(?:to|will|must) be|teilweise)\b", re.IGNORECASE)
"""Beside a state: that it is not so, or not wholly."""
TOTALS = re.compile(r"^\W{0,4}(?:grand |sub-?)?(?:total|sum|gesamt|summe)", re.IGNORECASE)
WHICH = re.compile(r"^\W*(?:which|what|who|list|show|welche)\b", re.IGNORECASE)
NEGATED = re.compile(
    r"(?:\b(?:not|never|nicht)|n['’]t)\s+(?:(?:yet|been|be|noch)\s+){0,2}([^\W\d_]{3,})"
    r"|\b(?:un|non-?)((?:[^\W\d_]{2,}ed|paid|sent|sold)\b)",
    re.IGNORECASE,
)


def find_rows(question: str, asked: Sequence[str], names: set[str], found: list[PromptPassage]) -> list[Pair]:
    """Of "Which invoices are not paid?" the rows of a table that say nothing like "Paid" in the columns where some do;
    of "Who died in 2017?" those with 2017 under "Date of death". Their document has all else that is asked for.
    """
    if not WHICH.match(question):
        return []
    state = read_state(question)
    about = {term for term in asked if term not in (state, stem_word(f"un{state}"))}
    contexts = read_contexts(found)
    rows: dict[str, Pair] = {}
    for passage in found:
        if not state and names:
            valued = [pair for pair in read_pairs(passage) if pair.about and names <= set(extract_terms(pair.value))]
            rows |= {
                pair.text: pair
                for pair in valued
                if all(has_term(term, set(extract_terms(pair.label))) for term in about - names) and about - names
            }
            continue
        cells = [pair for pair in read_pairs(passage) if pair.about]
        columns = {pair.label for pair in cells if is_so(pair.value, state)}
        so = {pair.text for pair in cells if pair.label in columns and is_so(pair.value, state)}
        known = [pair for pair in cells if pair.text not in so and not TOTALS.match(pair.about)]
        if columns and all(has_term(term, contexts[get_document_title(passage)]) for term in about):
            # A row with one cell is the heading of others.
            rows |= {pair.text: pair for pair, other in pairwise(known) if pair.text == other.text}
    return list(rows.values()) if len(rows) <= MAX_ROWS else []


def read_state(question: str) -> str:
    """The term of what is not so, "" for none: "paid" of "Which invoices are not paid?"."""
    negated = NEGATED.search(question) if WHICH.match(question) else None
    return stem_word(negated[1] or negated[2]) if negated else ""


def is_so(cell: str, state: str) -> bool:
    """Whether a cell says that it is so: "Paid late", not "Partially paid"."""
    parts = re.split(r"[,;()]", cell)
    return any(state in map(stem_word, re.findall(r"\w+", part)) and not UNDONE.search(part) for part in parts)


def read_contexts(found: list[PromptPassage]) -> dict[str, set[str]]:
    """Title of a document -> the terms of all that was found of it."""
    documents: dict[str, set[str]] = {}
    for passage in found:
        documents.setdefault(get_document_title(passage), set()).update(
            extract_terms(f"{passage.title} {passage.text}")
        )
    return documents
