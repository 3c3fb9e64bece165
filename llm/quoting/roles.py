"""As what somebody is asked for: "Who is the insurer?", and what documents and records are called in general."""

import re

from llm.quoting.persons import PEOPLE_WORDS
from text.terms import stem_word

ROLE_ASKED = re.compile(
    r"\bwho (?:is|was|are|were) (?:the|our) ((?:[\w'’-]+\s+){0,3}?[\w'’-]+)"
    r"(?=\W*$|\s+(?:of|for|in|at|on|to|who|that|from|by|with|and|here)\b)",
    re.IGNORECASE,
)


def find_role(question: str) -> str | None:
    """The term of `read_role`, None for none."""
    return stem_word(role) if (role := read_role(question)) else None


def read_role(question: str) -> str:
    """What somebody is asked for as: of "Who is the insurer of the station?" the insurer, of "Who is the debtor's
    accountant?" the accountant. "" for none.
    """
    found = ROLE_ASKED.search(question)
    words = found[1].split() if found else []
    while words and words[-1].lower() in PEOPLE_WORDS:
        words.pop()
    return words[-1] if words else ""
