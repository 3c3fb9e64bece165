"""Whether a sentence says the opposite of what a question asks about: a minimum is no maximum."""

import re

from llm.offline.long_questions import measure_term
from llm.offline.ranking import extract_terms, stem_word

PAIRS = re.split(
    r";\s+",
    """maximum minimum; earliest latest; largest smallest; biggest smallest; highest lowest; longest shortest;
    oldest youngest; oldest newest; won lost; wins loses; win lost; lose won;
    increase decrease; increased decreased; included excluded; includes excludes; northern southern; eastern western;
    north south; east west; upper lower; inside outside; indoor outdoor; legal illegal; paid unpaid; public private;
    summer winter; internal external; gross net; debit credit; import export;
    imports exports; adult child; male female; always never; succeeded failed""",
)
OPPOSITES: dict[str, set[str]] = {}
for _one, _other in map(str.split, PAIRS):
    OPPOSITES.setdefault(_one, set()).add(_other)
    OPPOSITES.setdefault(_other, set()).add(_one)
NON = re.compile(r"\bnon-?([a-z]{3,})", re.I)
WORD = re.compile(r"[^\W\d_]+(?:['’]t\b)?")
DENIED = re.compile(
    r"\b(?<!or )(?:without|no|not|cannot|\w+n['’]t)\s+(?:(?:an?|any|yet|been|being|be|have|had|to|also|the|all)\s+)"
    r"{0,2}([^\W\d_]{3,})",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\b(?:without|no|not|non|nor|never|none|nobody|nothing|cannot|any|free of|un(?:able|paid|known|done|used|til now)"
    r"|invalid|insufficient|ineligible|incomplete|\w{3,}less|fail\w*|refus\w*|lack\w*|absen\w+|miss(?:ed|es|ing)?"
    r"|plus|net|excl\w*|extra|add(?:s|ed)?|except\w*|exempt\w*|only|yet to|\w+n['’]t)\b",
    re.IGNORECASE,
)
YES_OR_NO = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are|was|were|do|does|did|can|may|must|has|have|had|will|should)\b", re.IGNORECASE
)
"""Such a question is answered by the opposite as well: it says no."""
REASON_OR_CONDITION = re.compile(r"\bwhy\b|\bif\b", re.IGNORECASE)


def is_opposed(question: str, sentence: str) -> bool:
    """Whether the sentence has the opposite of a word of the question and not the word, or has without any denial
    what the question denies. A question for a reason or about a condition may deny what its answer does not.
    """
    if YES_OR_NO.match(question):
        return False
    terms = set(extract_terms(sentence))
    words = {word.lower() for word in WORD.findall(sentence)}
    for word in {word.lower() for word in WORD.findall(question)} - words:
        if OPPOSITES.get(word, set()) & words and not measure_term(stem_word(word), terms):
            return True
    (plain, denied), (stated, stated_denied) = map(_split_denied, (question, sentence))
    if (denied - plain) & (stated - stated_denied) or (plain - denied) & (stated_denied - stated):
        return True
    if REASON_OR_CONDITION.search(question) or DENIAL.search(sentence):
        return False
    return any(stem_word(word) in terms for word in DENIED.findall(question))


def _split_denied(text: str) -> tuple[set[str], set[str]]:
    """Terms of the words of a text, and of those behind "non-"."""
    return set(extract_terms(NON.sub(" ", text))), {stem_word(word) for word in NON.findall(text)}
