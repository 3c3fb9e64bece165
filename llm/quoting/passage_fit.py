"""Whether a passage bears on a question at all, before any of its sentences is weighed."""

import re

from llm.quoting.asked import extract_name_terms
from llm.quoting.long_questions import has_term, keep_content_terms, measure_term, trim_question
from llm.quoting.particulars import find_numbered, has_numbered
from llm.quoting.question_kinds import find_kind
from llm.quoting.reading import FIELDS, PromptPassage, get_document_title
from text.pieces import split_sentences
from text.terms import STOP, extract_content_words, extract_terms, stem_word
from text.words import words

# Of so many of the rarest words of a question this share stands in a passage that is about it.
RAREST = 4
SHARE_OF_RAREST = 0.6
MIN_SHARE_IN_PASSAGE = 0.5
"""More than this share of what is asked about stands in a passage that answers, where no person, date or amount is
asked for, which would show in the sentence.
"""
MAX_SHORT_TERMS = 3
"""Content words of a short question, besides names."""
UNSPECIFIC = frozenset(
    map(
        stem_word,
        words(
            "next last first new only same whole full exact right usual total annual current actual own date day left"
        ),
    )
)
"""Words that say nothing that a document must have."""
MIN_TERMS_ELSEWHERE = 2
MAX_TERMS_OF_ONE_SENTENCE = 3
MIN_SHARE_ELSEWHERE = 1.0
"""Of the content words of a question, in a passage far from the record in which it is asked."""
GENERIC = frozenset(
    map(
        stem_word,
        words(
            """total amount sum price cost payment pay due date number case invoice order patient customer client tenant
            landlord author title address phone telephone fax contact signature deadline status"""
        ),
    )
)
"""What every paper of its kind has. A question for nothing else is about the papers at hand."""
AT_HAND_NOUN = (
    r"the\s+(?:patient|tenant|landlord|customer|client|insured|author|case|invoice|order|receipt|letter|booking)"
)
AT_HAND = re.compile(
    rf"\b{AT_HAND_NOUN}"
    r"(?=\W*$|[,;)]|['’]s|\s+(?:is|was|are|were|has|have|had|do|does|did|can|may|must|should|shall|will|would|needs?"
    r"|takes?|pays?|owes?|wants?|lives?|works?|signs?|gets?|gives?|receives?|leaves?|due|of|for|in|to|on|at|by|from|with"
    r"|and|or|who|that|when|if|not|now|today|still|currently|\w{3,}ed)\b)"
    rf"|\b(?:do|does|did|can|may|must|should|shall|will|would)\s+{AT_HAND_NOUN}\s+\w+"
    r"(?=\W*$|\s+(?:the|an?|any|it|this|that|his|her|its|their|in|out|up|to|on|at|by|for|from|with|about|last|first)\b)"
    rf"|^\W*(?:is|was|are|were)\s+{AT_HAND_NOUN}\s+\w+\W*$",
    re.I,
)
"""Whoever or whatever the papers at hand are about: no other record has the same one. Not the first word of a name of
something else: "the client portal", "the order book".
"""
COUNTED_OF = re.compile(r"\bhow (?:much|many)\s+([a-zß-öø-ÿ]{3,})\b", re.IGNORECASE)
QUALIFIED = re.compile(
    r"(?<![\w'’-])(?:the|an?|our|your|his|her|their|its|of|for|will|does|do|did|is|are|was|any|each|per)\s+"
    r"(?!\w*(?:s|ed|ing|ly|est)\b|(?:the|any|our|your|her|their|that|each|there|they|you|not|all"
    r"|next|last|first|new|only|same|whole|full|exact|right|usual|total|annual|current|actual|own)\b)([a-zß-öø-ÿ]{3,})\s+([a-zß-öø-ÿ]{3,})\b",
    re.MULTILINE,
)
IMPLIED = frozenset(
    map(
        stem_word,
        words(
            """money time person people somebody someone anything something anyone anybody nobody everybody name names
            called take takes taken according commonly typically usually generally mostly basically specifically
            happened actually along besides"""
        ),
    )
)
"""Of a question: that a person is asked for, which the kind of the question says; and what says nothing."""


def is_about(
    passage: PromptPassage,
    question: str,
    asked: list[str],
    weights: dict[str, float],
    names: set[str],
    there: set[str],
    own: set[str],
) -> bool:
    """Whether every name, number and qualifier of the question stands in the passage, and most of its rarest words."""
    if any(not measure_term(name, there) for name in names):
        return False
    if not all(
        has_numbered(noun, number, f"{passage.title} {passage.text}") for noun, number in find_numbered(question)
    ):
        return False
    kind = find_kind(question)
    if any(not has_term(term, there) for term in read_qualifiers(question) - (kind.implied if kind else set())):
        return False
    if any(not has_term(term, own) for term in read_counted(question)):
        return False
    if not _has_enough(asked, names, there):
        return False
    known = [term for term in asked if measure_term(term, there if term in names else own)]
    if len(known) <= MIN_SHARE_IN_PASSAGE * len(asked) and not (kind and kind.must):
        return False
    rarest_few = sorted(asked, key=lambda term: -weights[term])[:RAREST]
    return sum(measure_term(term, there) > 0 for term in rarest_few) >= round(SHARE_OF_RAREST * len(rarest_few))


def _has_enough(asked: list[str], names: set[str], there: set[str]) -> bool:
    """Whether a document has every word of a short question; one that has its names, half of the others."""
    plain = [term for term in asked if term not in names | UNSPECIFIC]
    known = sum(has_term(term, there) for term in plain)
    if len(plain) > MAX_SHORT_TERMS:
        return True
    return 2 * known >= len(plain) if names else known == len(plain)


def read_qualifiers(question: str) -> set[str]:
    """Terms that say which one is meant: of "When does the tuna season open?" the tuna."""
    return {
        term
        for match in QUALIFIED.finditer(question)
        if match[2].lower() not in STOP
        for term in extract_terms(match[1])
    }


def read_counted(question: str) -> set[str]:
    """Terms of what there is a number of: of "How much contingency is left?" the contingency."""
    return {term for match in COUNTED_OF.finditer(question) for term in extract_terms(match[1])} - IMPLIED


def bears_on(question: str, passage: PromptPassage, found: list[PromptPassage]) -> bool:
    """Whether a passage, or what else was found of its record, has every name of a question; where it names nothing, as
    good as every content word, two at least (all of three, three of four), more than half of them in the
    passage itself.
    """
    names = extract_name_terms(question)
    content = dict.fromkeys(term for term in extract_terms(trim_question(question)) if term not in IMPLIED)
    asked = keep_content_terms(list(content), names)
    own = set(extract_terms(f"{passage.title} {passage.text}"))
    there = own | record_terms(passage, found)
    if names:
        return all(measure_term(name, there) for name in names)
    shares = [sum(measure_term(term, known) > 0 for term in asked) / max(1, len(asked)) for known in (own, there)]
    if GENERIC.issuperset(asked) or AT_HAND.search(question):
        return False
    if len(asked) <= MAX_TERMS_OF_ONE_SENTENCE and not any(
        all(measure_term(term, bag) and not is_loose(term, question, sentence, bag) for term in asked)
        for sentence in split_sentences(passage.text)
        for bag in [set(extract_terms(sentence))]
    ):
        return False
    return len(asked) >= MIN_TERMS_ELSEWHERE and shares[0] > MIN_SHARE_IN_PASSAGE and shares[1] >= MIN_SHARE_ELSEWHERE


def record_terms(passage: PromptPassage, found: list[PromptPassage]) -> set[str]:
    """Terms of what else was found of the passage's document, and of its record's own fields."""
    record, document = read_record(passage), get_document_title(passage)
    near = [p for p in found if get_document_title(p) == document or p.kind == FIELDS and read_record(p) == record]
    return {term for p in near for term in extract_terms(p.text)}


def read_record(passage: PromptPassage) -> str:
    """The record that a document's title names: "Lease.pdf (Quay lease), 2 Rent" is of "Quay lease"."""
    inside = re.search(r" \((.+)\)(?:, |$)", passage.title)
    return inside[1] if inside else passage.title


def is_loose(term: str, question: str, sentence: str, bag: set[str]) -> bool:
    """Whether only the stem of a word of the question stands in the sentence: "leaving" is no "leave"."""
    if term not in bag:
        return False
    forms = {form for word in extract_content_words(question) if stem_word(word) == term for form in _list_forms(word)}
    parts = {part for word in extract_content_words(sentence) for part in (word, *word.split("-"))}
    return bool(forms) and not forms & {form for part in parts for form in _list_forms(part)}


def _list_forms(word: str) -> list[str]:
    """A word, and what it may be the plural or the past of: "cancel" of "cancelled"."""
    word = word.lower()
    return [word, *(word.removesuffix(end) for end in ("s", "d", "ed", "led") if word.endswith(end))]
