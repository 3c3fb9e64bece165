"""Whether a passage bears on a question at all, before any of its sentences is weighed."""

import re

from llm.offline.asked import find_kind, has_numbered, name_terms, numbered
from llm.offline.long_questions import keep_content_terms, measure_term, trim_question
from llm.offline.ranking import terms
from llm.offline.reading import Passage

# Of so many of the rarest words of a question this share stands in a passage that is about it.
RAREST = 4
SHARE_OF_RAREST = 0.6
MIN_SHARE_IN_PASSAGE = 0.5
"""More than this share of what is asked about stands in a passage that answers, where no person, date or amount is
asked for, which would show in the sentence.
"""
MIN_TERMS_ELSEWHERE = 2
MIN_SHARE_ELSEWHERE = 0.75
"""Of the content words of a question, in a passage far from the record in which it is asked."""


def is_about(
    passage: Passage,
    question: str,
    asked: list[str],
    weights: dict[str, float],
    names: set[str],
    there: set[str],
    own: set[str],
) -> bool:
    """Whether every name and number of the question stands in the passage, and most of its rarest words do."""
    if any(not measure_term(name, there) for name in names):
        return False
    if not all(has_numbered(noun, number, f"{passage.title} {passage.text}") for noun, number in numbered(question)):
        return False
    known = [term for term in asked if measure_term(term, there if term in names else own)]
    kind = find_kind(question)
    if len(known) <= MIN_SHARE_IN_PASSAGE * len(asked) and not (kind and kind.must):
        return False
    rarest_few = sorted(asked, key=lambda term: -weights[term])[:RAREST]
    return sum(measure_term(term, there) > 0 for term in rarest_few) >= round(SHARE_OF_RAREST * len(rarest_few))


def bears_on(question: str, passage: Passage, found: list[Passage]) -> bool:
    """Whether a passage, or what else was found of its record, has every name of a question; where it names nothing, as
    good as every content word, two at least (all of three, three of four), more than half of them in the
    passage itself.
    """
    names = name_terms(question)
    asked = keep_content_terms(list(dict.fromkeys(terms(trim_question(question)))), names)
    own = set(terms(f"{passage.title} {passage.text}"))
    there = own | record_terms(passage, found)
    if names:
        return all(measure_term(name, there) for name in names)
    shares = [sum(measure_term(term, known) > 0 for term in asked) / max(1, len(asked)) for known in (own, there)]
    return len(asked) >= MIN_TERMS_ELSEWHERE and shares[0] > MIN_SHARE_IN_PASSAGE and shares[1] >= MIN_SHARE_ELSEWHERE


def record_terms(passage: Passage, found: list[Passage]) -> set[str]:
    """Terms of what else was found of the passage's record: its documents and its own fields."""
    record = _record_of(passage)
    near = [p for p in found if _record_of(p) == record or _record_of(p).startswith(f"{record}, ")]
    return {term for p in near for term in terms(p.text)}


def _record_of(passage: Passage) -> str:
    """The record that a document's title names: "Lease.pdf (Quay lease), 2 Rent" is of "Quay lease"."""
    inside = re.search(r" \((.+)\)(?:, |$)", passage.title)
    return inside[1] if inside else passage.title
