"""Whether a sentence that follows from its passage bears on the question, as far as words can tell.

Two things are asked: does the sentence follow from the passage (`retrieval.support`), and is the passage about what the
question names. A quotation always follows, and two thirds of the wrong answers measured held most words of their
questions. So a quotation counts as supported only where it has all that the question says; else it is called what it
is, a quotation.
"""

from collections.abc import Sequence

from retrieval.support import Support, check_support, extract_figures, is_quote
from text.terms import extract_terms, measure_share

MIN_SHARE = 0.5
"""Of a question's terms, which a passage with what it is cited for must hold more than this to bear on it."""
MIN_TERMS = 2
"""Terms of a question that a sentence can be compared with."""
MAX_QUESTION_CHARACTERS = 600


def judge_support(question: str, sentences: Sequence[str], passage: str, section: str = "", names: str = "") -> Support:
    """The support check of sentences that cite a passage under `section`, of the file and record called `names`.

    question: that they answer, "" for none: then only the first thing is asked.
    """
    verdict = check_support(sentences, f"{section}\n{passage}")
    question = question[-MAX_QUESTION_CHARACTERS:]
    if verdict is not Support.SUPPORTED or not extract_terms(question):
        return verdict
    there = "\n".join((*sentences, names, section, passage))
    bears = measure_share(question, there) > MIN_SHARE and extract_figures(question) <= extract_figures(there)
    if not bears:
        return Support.WEAK
    if all(is_quote(sentence, passage) for sentence in sentences):
        return Support.SUPPORTED if any(holds_question(question, one) for one in sentences) else Support.QUOTED
    return Support.SUPPORTED


def holds_question(question: str, sentence: str) -> bool:
    """Whether a sentence by itself has every word of a question."""
    asked = set(extract_terms(question))
    return len(asked) >= MIN_TERMS and asked <= set(extract_terms(sentence))
