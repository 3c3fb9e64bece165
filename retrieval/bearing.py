"""Whether a sentence that follows from its passage answers the question, as far as words can tell.

Two things are asked: does the sentence follow from the passage (`retrieval.support`), and does it bear on the question.
A quotation always follows, and two thirds of the wrong answers measured held most words of their questions. So a
quotation counts as supported only where it has all that the question says; else it is called what it is, a quotation.
"""

import re
from collections.abc import Sequence

from llm.offline.asked import extract_name_terms, split_parts
from llm.offline.aspects import Aspect
from llm.offline.long_questions import cut_question, measure_coverage
from llm.offline.opposites import has_denials
from llm.offline.overview_questions import plan_reading
from llm.offline.particulars import find_numbered, has_numbered
from llm.offline.question_kinds import find_kind, has_asked
from llm.offline.sentences import split_sentences
from retrieval.support import Support, check_support, is_quote
from text.terms import extract_terms, stem_word

HALF = 0.5
"""Share of a question's content words that a passage must hold to bear on it."""
MIN_TERMS = 2
"""Content words of a question that a sentence can be compared with."""
ASKS_WHAT = re.compile(r"\W{0,9}(?:and\s+)?(?:what|which)\b", re.IGNORECASE)
STATES = re.compile(
    r"\b((?:[\w'’-]+\s+){1,4})(?:is|are|was|were|means?|amounts? to|equals?|shall be|will be|refers? to)\b",
    re.IGNORECASE,
)
"""The words before a verb that says what they are."""


def judge_support(question: str, sentences: Sequence[str], passage: str, section: str = "", names: str = "") -> Support:
    """The support check of sentences that cite a passage under `section`, of the file and record called `names`.

    question: that they answer, "" for none: then only the first thing is asked.
    """
    verdict = check_support(sentences, f"{section}\n{passage}")
    if verdict is not Support.SUPPORTED or not question:
        return verdict
    question = cut_question(question)
    quoted = all(is_quote(sentence, passage) for sentence in sentences)
    plan = plan_reading(question, names)
    if plan is not None and (plan.general or not plan.aspects):
        # A summary is of whatever a document says.
        pieces = [section, *split_sentences(passage)] if plan.aspects else []
        asked = zip(split_parts(question), plan.aspects, strict=True) if plan.aspects else ()
        fits = not plan.aspects or any(
            is_answer_to_aspect(part, aspect, one, pieces) for part, aspect in asked for one in sentences
        )
        return Support.QUOTED if quoted else Support.SUPPORTED if fits else Support.WEAK
    there = f"{names} {section}\n{passage}"
    parts = [part for part in split_parts(question) if has_what_is_asked(part, sentences, there)]
    if not parts:
        return Support.WEAK
    if quoted:
        holds = any(holds_question(part, sentence) for part in parts for sentence in sentences)
        return Support.SUPPORTED if holds else Support.QUOTED
    share = max(measure_coverage(part, f"{' '.join(sentences)} {there}") for part in parts)
    return Support.SUPPORTED if share >= HALF else Support.WEAK


def holds_question(question: str, sentence: str) -> bool:
    """Whether a sentence by itself states what a question asks: it has every word of it, and the date, amount or person
    that is asked for, or goes on from one of the words with what it is.

    What a quotation says to a question of yes or no, or how and why, only its reader can tell.
    """
    asked = set(extract_terms(cut_question(question)))
    if len(asked) < MIN_TERMS or not asked <= set(extract_terms(sentence)):
        return False
    kind = find_kind(question)
    if kind is not None:
        return kind.must and kind.has(sentence, question)
    return bool(ASKS_WHAT.match(question)) and any(
        stem_word(part) in asked for stated in STATES.findall(sentence) for part in stated.split()
    )


def is_answer_to_aspect(question: str, aspect: Aspect, sentence: str, pieces: Sequence[str]) -> bool:
    """Whether a sentence says what a question asks of a whole document: in the words of the aspect, or in others where
    its passage has those words. The person, date or amount that is asked for stands in the sentence itself.

    pieces: of the passage, its section among them.
    """
    return aspect.fits(sentence) or (
        has_asked(question, sentence)
        and (aspect.also is None or bool(aspect.also.search(sentence)))
        and any(aspect.has.search(piece) for piece in pieces)
    )


def has_what_is_asked(question: str, sentences: Sequence[str], passage: str) -> bool:
    """Whether one of the sentences has what a part of a question asks for (a person, a date, an amount …), and what its
    names and numbers name stands in the passage. passage: with its section and the names of its file and record.
    """
    if not any(has_asked(question, sentence) and has_denials(question, sentence) for sentence in sentences):
        return False
    there, about = set(extract_terms(passage)), extract_name_terms(question)
    return all(has_numbered(noun, number, passage) for noun, number in find_numbered(question)) and (
        not about or len(about & there) * 2 >= len(about)
    )
