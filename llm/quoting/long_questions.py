"""Long questions, as lawyers ask them: what they ask for is in a few words, the rest gives examples and definitions.

"Does one party have the right to terminate if the other undergoes a change of control, such as a merger?" asks about
terminate, change and control. Words that name the form of a clause stand in no clause.
"""

import re
from collections.abc import Mapping, Sequence, Set

from llm.quoting.asked import extract_name_terms
from llm.quoting.question_kinds import MAX_QUESTION_CHARS
from text.pieces import split_sentences
from text.terms import ALIKE, extract_terms, stem_word
from text.words import words

MIN_PREFIX = 5
"""Letters by which two terms begin alike that are forms of one word: "expire" and "expiration"."""
ALIKE_WEIGHT = 0.8
MIN_LONG_TERMS = 8
"""Content words from which a question is long."""
MIN_CONTENT_TERMS = 2
MAX_WEIGHED_TERMS = 4
EXAMPLES = re.compile(
    r"\s{0,5}\([^()]*\)"
    r"|(?:,?\s{0,5}\b(?:such as|for example|e\.g\.|including|in particular)|,\s{0,5}(?:like|whether|either))\b[^.?]*"
    r"|\s{0,5}\betc\.?",
    re.IGNORECASE,
)
ALTERNATIVES = re.compile(
    r"(?<![\w'’-])[\w'’-]++(?:,\s+[\w'’-]++){0,8},?(?:\s+(?:and/)?or\s+|\s?/\s?)(?:[\w'’-]+)", re.IGNORECASE
)
FORM = frozenset(
    stem_word(word)
    for word in words(
        """counterparty counterparties clause clauses contract agreement category provision provisions party parties
        requirement required require restriction restricted include includes contain contains terms event events
        whether subject certain ability commitment obligation obligations require requires type types similar either
        right rights ensure solely giving allowing respective provided described applicable relevant particular"""
    )
)


def cut_question(question: str) -> str:
    """What is read of a question, in one line: of a pasted text with one behind or before it, the end up to its last
    "?".
    """
    question = " ".join(question.split())
    if len(question) <= MAX_QUESTION_CHARS:
        return question
    end = question.rfind("?") + 1 or MAX_QUESTION_CHARS
    return question[max(0, end - MAX_QUESTION_CHARS) : end]


def trim_question(question: str) -> str:
    """Of a long question the sentences that ask and those before them that name something, without examples; any other
    question as it is. What stands behind the question defines its words.
    """
    question = cut_question(question)
    if len(set(extract_terms(question))) < MIN_LONG_TERMS:
        return question
    pieces = split_sentences(question)
    asking = [piece for piece in pieces if piece.rstrip('"”’)] ').endswith("?")]
    naming = [piece for piece in pieces[: pieces.index(asking[0])] if extract_name_terms(piece)] if asking else []
    trimmed = EXAMPLES.sub("", " ".join([*asking, *naming] or pieces)).strip(" ,;")
    return trimmed if len(trimmed.split()) >= 3 else question


def keep_content_terms(asked: Sequence[str], names: set[str]) -> list[str]:
    """The words that say what a question is about, without those of its form; of a long one its names and the first
    few: what follows defines and limits.
    """
    content = [term for term in asked if term not in FORM or term in names]
    if len(content) < MIN_CONTENT_TERMS:
        return list(asked)
    if len(asked) < MIN_LONG_TERMS:
        return content
    first = [term for term in content if term not in names][: max(0, MAX_WEIGHED_TERMS - len(names))]
    return [term for term in content if term in first or term in names]


def merge_alternatives(question: str) -> dict[str, str]:
    """Term -> the one that stands for it: of "books, records or locations" any will do."""
    merged: dict[str, str] = {}
    for listed in ALTERNATIVES.finditer(question):
        found = [term for term in extract_terms(re.sub(r"\b(?:and/)?or\b|/", " ", listed.group())) if term not in FORM]
        found = list(dict.fromkeys(found))
        merged |= {other: merged.get(found[0], found[0]) for other in found[1:]}
    return merged


def merge_terms(found: Sequence[str], merged: Mapping[str, str]) -> set[str]:
    """Terms of a text, with those that stand for them."""
    return {*found, *(merged[term] for term in found if term in merged)}


def measure_term(term: str, bag: Set[str]) -> float:
    """How much of a term's weight a text itself carries: less where it has only a word that means the same."""
    if term in bag:
        return 1.0
    return ALIKE_WEIGHT if any(stem_word(other) in bag for other in ALIKE.get(term, ())) else 0.0


def has_term(term: str, bag: Set[str]) -> bool:
    """Whether a text has a term, one that means the same, or another form of its word."""
    return bool(measure_term(term, bag)) or (
        len(term) >= MIN_PREFIX
        and any(len(o) >= MIN_PREFIX and (o.startswith(term) or term.startswith(o)) for o in bag)
    )
