"""Questions that lean on the one before: which they are, and what they mean with it."""

import re
from collections.abc import Iterator
from typing import Any

from llm.quoting.long_questions import cut_question
from llm.quoting.question_kinds import find_kind
from llm.quoting.reading import extract_text, find_last_question, record_name
from llm.quoting.small_talk import is_small_talk
from llm.quoting.totals import TOTAL
from llm.recognisers.findings import phrases
from text.terms import LETTER, STOP, extract_content_words, stem_word

# A question that leans on the one before it: it points back, or goes on from there. "In this lease" points at the
# record or the document at hand, and "is there" at nothing.
LEANING = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\b(?!"
    + r"(?:this|these|both|one)\s+"
    + phrases(
        """leases?; contracts?; agreements?; amendments?; documents?; files?; papers?; reports?; letters?; records?;
        projects?; risks?; tasks?; compan(?:y|ies); firms?; organi[sz]ations?; polic(?:y|ies); handbooks?; manuals?;
        plans?; programm?es?; articles?; pages?; texts?; cases?; tickets?; employees?; parties; sides; years?; months?;
        weeks?; quarters?; workspaces?"""
    )
    + r"\b)"
    + phrases(
        """it; its; they; them; their; this; that; these; those; he; she; his; her; him; there; then; same; one; ones;
        both; former; latter"""
    )
    + r"\b|^\s*"
    + phrases("and; what about; how about")
    + r"\b",
    re.IGNORECASE,
)
# A question that leaves out what it asks about: "How much?", but not "How much notice is due?", where words follow.
BARE = re.compile(
    r"^\s*" + phrases("why; when; who; where; how much; how many; since when; until when") + r"\b", re.IGNORECASE
)
OTHER_ONE = re.compile(
    r"^\W*(?:and|what about|how about)\s+(of|for|in|on|at|by)\s+((?:the\s+)?[\w'’-]++(?:\s[\w'’-]++)?)\W*$",
    re.IGNORECASE,
)
"""Asks the same of another: "And of the Batmobile?"."""
ENDING = re.compile(r"\b(of|for|in|on|at|by)\s+(?:the\s+)?[\w'’-]++(?:\s[\w'’-]++)?\W*$", re.IGNORECASE)
WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
ONE_THING = re.compile(
    r"^\W*(?:who|whom|when|where)\s+(?:is|are|was|were)\s+the\s+[\w-]+(?:\s[\w-]+)?\W*$", re.IGNORECASE
)
"""Asks for one thing that a record has one of: "Who is the subcontractor?"."""
WHICH = re.compile(r"\bwhich\b", re.IGNORECASE)
NAMED = re.compile(r"\s[\W_]{0,20}[A-Z]|\d")
ASKING = re.compile(r"^\W*(?:when|where|who|whom|why|how (?:much|many|long)|how|what|which)\b", re.IGNORECASE)


def leans(question: str, fewer_than: int) -> bool:
    """Whether a question is understood only with the one before it. fewer_than: content words of one that points
    back.
    """
    count = len(extract_content_words(question))
    return (count < fewer_than and bool(LEANING.search(question))) or (count < 2 and bool(BARE.search(question)))


def is_leaning_on(question: str, earlier: str, fewer_than: int) -> bool:
    """Whether a question is understood only with the `earlier` one. What asks for one thing by its name is not, where
    nothing was named before.
    """
    question, earlier = cut_question(question), cut_question(earlier)
    named = NAMED.search(earlier) or LETTER.search(earlier) or WHICH.search(earlier)
    by_itself = ONE_THING.match(question) and not LEANING.search(question) and not named
    return leans(question, fewer_than) and not by_itself


def read_meanings(body: dict[str, Any], index: int, question: str) -> Iterator[str]:
    """How the question may be meant: with what it seems to lean on, then by itself, where it says enough.

    "Who keeps the same anchors?" points at nothing that was said before.
    """
    name = extract_content_words(record_name(extract_text(body.get("system", ""))))
    before, earlier = find_last_question(body["messages"][:index])
    if is_leaning_on(question, earlier, fewer_than=4):
        if phrase := find_referred(question, find_last_answer(body["messages"][:index])):
            yield phrase
            return
        if before >= 0 and not is_small_talk(earlier):
            yield _strip_name(_join_questions(earlier, question), name)
            words = extract_content_words(question)
            if not words or (len(words) < 2 and LEANING.search(question)):
                return  # "Who is the caretaker?" says enough, "Who pays it?" does not
    yield _strip_name(question, name)


def _join_questions(earlier: str, question: str) -> str:
    """What a question asks that leans on the one before it: of "What is the wing type made of?" and "And the bellows
    type?", what the bellows type is made of. One that asks for something of its own leaves out what was asked for.
    """
    earlier = cut_question(earlier)
    if find_kind(question) is not None:
        before = find_kind(earlier)
        implied = before.implied if before else frozenset()
        words = [w for w in ASKING.sub("", earlier).split() if not (stem_word(w) in implied or TOTAL.match(w))]
        return f"{question.rstrip(' ?')} {' '.join(words)}"
    other_one, ended = OTHER_ONE.match(question), ENDING.search(earlier)
    if other_one and ended and ended[1].lower() == other_one[1].lower():
        return f"{earlier[: ended.start()]}{ended[1]} {other_one[2]}?"
    words = extract_content_words(question)
    if len(words) == 2 and (other := re.search(rf"\b[\w-]+\s+{re.escape(words[1])}\b", earlier, re.IGNORECASE)):
        return f"{earlier[: other.start()]}{' '.join(words)}{earlier[other.end() :]}"
    return f"{earlier} {question}"


def find_referred(question: str, answer: str) -> str:
    """The question with the whole of what it points at: "that sum" is the "Subcontract Sum" of the answer before."""
    for word in filter(str.islower, extract_content_words(question)):
        whole = re.search(rf"\b([A-Z][\w-]+)\s(?i:{re.escape(word)})\b", answer)
        if whole and whole[1].lower() not in STOP:
            return re.sub(rf"\b{re.escape(word)}\b", f"{whole[1].lower()} {word}", question)
    return ""


def find_last_answer(messages: list[dict[str, Any]]) -> str:
    """What the assistant said last."""
    found = (m for m in reversed(messages) if m["role"] == "assistant")
    return next((text for message in found if (text := extract_text(message["content"]).strip())), "")


def _strip_name(question: str, name: list[str]) -> str:
    """The question without the record's own name, which every passage is about. A word of it that is no name in itself
    may mean something else: "the hire" of "Crane hire".
    """
    asked = question
    whole = all(re.search(rf"\b{re.escape(word)}\b", question) for word in name)
    for word in name if whole else (word for word in name if word[0].isupper()):
        asked = re.sub(rf"\b{re.escape(word)}\b", " ", asked)
    return asked if extract_content_words(asked) else question
