"""Answers that are totals: the amount that those before it add up to, or the line that a part of it is."""

import re
from collections.abc import Sequence
from decimal import Decimal

from llm.quoting.long_questions import has_term
from llm.quoting.pairs import Pair, read_pairs
from llm.quoting.reading import PromptPassage, get_document_title
from llm.quoting.row_answers import read_contexts
from text.papers import PAPERS
from text.terms import extract_terms, stem_word

MAX_QUOTES = 3
TOTAL = re.compile(r"\b(?:total|sum|amount due|altogether|gesamt\w*|summe|montant|importe)\b", re.IGNORECASE)
TOTAL_OF = re.compile(
    r"\btotal (?:(?P<without>without|excluding|before|net of)|of) (?:(?:the|an?|our|your) )?(?P<what>[^?]{1,100})",
    re.IGNORECASE,
)
"""Asks for the total of a part, or without one: "the total of the deposit", "the total without VAT"."""
WITHOUT = re.compile(r"\b(?:without|excl|before|net|ohne)", re.IGNORECASE)
AMOUNT = re.compile(r"([-−]?)[$€£¥]?\s?(\d{1,3}(?:[.,'’ ]\d{3}){0,3}|\d{1,9})[.,](\d\d)(?!\d)")
AMOUNT_TERM = stem_word("amount")
MAX_ADDED = 6
"""Amounts in a row that make a total."""


def extract_total_terms(question: str) -> set[str]:
    """The terms of that whose total is asked for; none where it is only called a paper."""
    asked = TOTAL_OF.search(question)
    return set(extract_terms(asked["what"])) - PAPERS if asked else set()


def find_priced_lines(question: str, found: list[PromptPassage]) -> list[Pair] | None:
    """Of "What is the total of the deposit?" the line that the deposit is, for the total is of the whole paper; of "the
    total without VAT" the line that says so. None where no line is what is asked for: then a total may be its.
    """
    asked, terms = TOTAL_OF.search(question), extract_total_terms(question)
    if asked is None:
        return None
    called = asked["what"].strip().casefold()
    lines = [
        pair
        for passage in found
        for pair in read_pairs(passage)
        if _read_amount(pair.value) is not None
        and not pair.about
        and (terms and terms <= set(extract_terms(pair.label)) or " " in called and pair.label.casefold() == called)
    ]
    if asked["without"]:
        return [pair for pair in lines if WITHOUT.search(pair.label)][:MAX_QUOTES]
    return lines[:MAX_QUOTES] or None


def find_totals(question: str, asked: Sequence[str], found: list[PromptPassage]) -> list[Pair]:
    """Where a total is asked for: of each document the largest amount that those before it add up to, whatever its
    label says in whatever language. Its document has all else that is asked for.
    """
    if not TOTAL.search(question):
        return []
    about = [term for term in asked if not (TOTAL.search(term) or term in PAPERS or term == AMOUNT_TERM)]
    documents: dict[str, list[tuple[Decimal, Pair]]] = {}
    contexts = read_contexts(found)
    for passage in found:
        title = get_document_title(passage)
        if all(has_term(term, contexts[title]) for term in about):
            amounts = ((_read_amount(pair.value), pair) for pair in read_pairs(passage))
            documents.setdefault(title, []).extend((amount, pair) for amount, pair in amounts if amount is not None)
    totals = map(_find_total, documents.values())
    return [total for total in totals if total is not None][:MAX_QUOTES]


def _find_total(amounts: list[tuple[Decimal, Pair]]) -> Pair | None:
    best: tuple[Decimal, Pair] | None = None
    for at, (amount, pair) in enumerate(amounts):
        runs = (amounts[at - count : at] for count in range(2, min(at, MAX_ADDED) + 1))
        if (best is None or amount > best[0]) and any(sum(value for value, _ in run) == amount for run in runs):
            best = (amount, pair)
    return best[1] if best else None


def _read_amount(value: str) -> Decimal | None:
    """The last amount with its cents in the value of a label: 1234.56 of "21 % 1.234,56"."""
    figures = AMOUNT.findall(value)
    if not figures:
        return None
    sign, whole, cents = figures[-1]
    return Decimal(f"{'-' if sign else ''}{re.sub(r'[^0-9]', '', whole)}.{cents}")
