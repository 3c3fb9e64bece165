"""The words of a question: its names and sections, its parts, and what it says in other words than documents do."""

import re

from text.questions import ASKS
from text.sentences import ABBREVIATIONS
from text.terms import LETTER, STOP, extract_content_words, extract_terms

NAME = re.compile(r"\b(?:[A-ZÀ-Þ][\w&’'-]*\w|\d[\w.,/-]*)")
PLACE_NAMES = r"\b(?:section|clause|chapter|paragraph|article|abschnitt|ziffer|kapitel)"
PLACE_WORD = re.compile(rf"{PLACE_NAMES}\s+(?=\d)", re.IGNORECASE)
PLACE = re.compile(rf"{PLACE_NAMES}\s+(\d{{1,4}}(?:\.\d{{1,4}}){{0,4}}[a-z]?)\b", re.IGNORECASE)
BUYER = re.compile(r"\bdid the (?:customer|client|buyer|guest)\b", re.IGNORECASE)
"""Whoever the paper at hand is for, whom it need not call so."""
_WHOLE = r"(?:all in all|in all|in total|altogether)"
ALL_IN_ALL = re.compile(
    r"^\W*(?:(?:and|so) )?(?:what|how much) (?:do|does|did|will|would) (.{1,200}?) "
    rf"(?:(?:come|amount|add up) to(?: {_WHOLE})?|(?:cost|be) (?:us )?{_WHOLE})\W{{0,9}}$",
    re.IGNORECASE,
)
"""Asks for the total of something in other words: "What does the repair cost all in all?". What was paid of it may be
less.
"""
PARTS = re.compile(
    r"(?:,|(?<!\s))\s++and\s++(?=(?:(?:to|by|from|for|in|until|since)\s+)?(?:what|when|whom?|why|how|where|which)\b"
    r"|(?:is|are|was|were|do|does|did|can|may|must|will|has|have)\s)|(?<=\?)\s++(?=\w)",
    re.IGNORECASE,
)


def extract_name_terms(question: str) -> set[str]:
    """Terms of the names and numbers in a question. Its first word counts where it is no ordinary one."""
    found = {match[2].lower() for match in LETTER.finditer(question) if match[2] != "A"}
    for match in NAME.finditer(question):
        before = question[: match.start()].rsplit(maxsplit=1)[-1:] or [""]
        ended = before[0][-1:] in ("?", "!", ".") and before[0].rstrip(".").lower() not in ABBREVIATIONS
        begins = ended or not question[: match.start()].strip(" \"'“(")
        word = match.group()
        if begins and not (any(c.isdigit() for c in word) or sum(c.isupper() for c in word) > 1):
            continue
        if word.lower() not in STOP:
            found |= set(extract_terms(word))
    return found


CONTRACTION = re.compile(r"\b(what|who|when|where|how)['’]?s\b", re.IGNORECASE)
NO_FRAGMENT = re.compile(
    rf"{ASKS.pattern}|^\W*(?:and|or|but|so|may|must|has|have|will|would|should)\b"
    r"|\b(?:who(?:m|se)?|when|where|why|how|which|what)\b",
    re.IGNORECASE,
)


def normalise_fragment(question: str) -> str:
    """ "What is the fax number?" for "fax number?", and what asks already as it is."""
    return question if NO_FRAGMENT.search(question) else f"what is the {question}"


def drop_place_words(question: str) -> str:
    """The question with "1.1" in place of "section 1.1": a document does not call its sections so."""
    return BUYER.sub("did they", PLACE_WORD.sub("", question))


REWORDED = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (r"\b(?:giv(?:e|es|en|ing)|send|bring|hand) (.{1,60}?) back\b", r"return \1"),
        (r"\b(take|took) so long\b", r"\1"),
        (r"\bgiven back\b", "returned"),
        (r"\bsick notes?\b", "medical certificate"),
        (r"\btoo (?:late|early)\b", ""),
        (r"\b(?:what|how much) (?:do|did) (?:we|i|you) (?:still )?owe\b", "what is the balance due"),
        (r"\b(under|over|above|below) (\d\d)s\b", r"\1 \2"),
        (r"^\W*who saw\b", "who is the witness of"),
        (
            r"\bwhom? (?:do|should|can|must|shall|to) (?:(?:i|we|you|one) )?"
            r"(?:call|ring|phone|contact|reach|e-?mail|write to|turn to|speak to|talk to)\b",
            "who is the contact",
        ),
    )
)


AT_MEETING = r"(?:at|in) the (?:\w+ )?(?:meeting|session|call)\b"
OF_MINUTES = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (rf"\bwho (?:was|were|is) (?:absent|missing|not (?:there|present|{AT_MEETING}))", "who is in the apologies"),
        (rf"\bwho (?:was|were) {AT_MEETING}|\bwho attended\b", "who was present"),
    )
)
"""Who came to a meeting and who did not, which minutes say with one word."""


def name_line_of_minutes(question: str) -> str:
    """The question for a line of minutes, and any other as it is."""
    for pattern, instead in OF_MINUTES:
        question = pattern.sub(instead, question)
    return question


def normalise_wording(question: str) -> str:
    """The question in words that papers have: "who is the contact" for "who do I call"."""
    for pattern, instead in REWORDED:
        question = pattern.sub(instead, question)
    return question


def normalise_question(question: str) -> str:
    """A question with "what is" for "what's", and one for the total for what something costs "all in all"."""
    question = CONTRACTION.sub(r"\1 is", question)
    found = ALL_IN_ALL.match(question)
    if found is None:
        return question
    return f"What is the total of {found[1]}?" if extract_content_words(found[1]) else "What is the total?"


def has_places(question: str, text: str) -> bool:
    """Whether each section that a question names by its number begins a line of the text or is called a section there:
    "4 Deposit" and "section 4" are, "4 months of rent" is not.
    """
    return all(
        re.search(
            rf"^\W*{re.escape(number)}(?:[.):]?\s*$|[.):]\s|\s*\||\s+(?=[\"“‘(]?[^\W_a-zß-öø-ÿ]))"
            rf"|(?:(?i:{PLACE_NAMES})|§|\b(?i:art|sec|cl|para|nr?o?)\.)\s*{re.escape(number)}(?!\.?\d)",
            text,
            re.MULTILINE,
        )
        for number in PLACE.findall(question)
    )


def asks_for_account(question: str) -> bool:
    """Whether it asks for a reason or a way, which no field of a record is."""
    return bool(
        re.search(r"\bwhy\b|\bhow (?:come|can|do|does|did|is|are|was|to|could|should)\b", question, re.IGNORECASE)
    )


def split_parts(question: str) -> list[str]:
    """The questions in one: of "Who inspected it, and what was found?" both. "What is and is not included?" is one."""
    parts = PARTS.split(question)
    return parts if extract_terms(parts[0]) else [question]
