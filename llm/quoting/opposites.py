"""Whether a sentence says the opposite of what a question asks about: a minimum is no maximum."""

import re

from llm.quoting.long_questions import measure_term
from text.terms import extract_terms, stem_word

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
    r"\b(?<!or )(without|no|not|cannot|\w+n['’]t)\s+(?:(?:an?|any|yet|been|being|be|have|had|to|also|the|all)\s+)"
    r"{0,2}([^\W\d_]{3,})",
    re.IGNORECASE,
)
DENIAL = (
    r"\b(?:without|no|not|non|nor|never|none|nobody|nothing|cannot|any|free of|yet to|plus|net|excl\w*|extra|except\w*"
    r"|exempt\w*|only|un(?:able|paid|known|done|used)|invalid|\w{3,}less|fail\w*|refus\w*|lack\w*|absen\w+"
    r"|miss(?:ed|es|ing)?|\w+n['’]t)\b"
)
DENIAL_BEHIND = r"\b(?:not|cannot|never|yet to|excluded|exempt|extra|added)\b"
SAID_NOT = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|will|would) not\s*[,;.]", re.IGNORECASE)
YES_OR_NO = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are|was|were|do|does|did|can|may|must|has|have|had|will|should)\b", re.IGNORECASE
)
"""Such a question is answered by the opposite as well: it says no."""
REASON_OR_CONDITION = re.compile(r"\bwhy\b|\bif\b", re.IGNORECASE)


def is_opposed(question: str, sentence: str) -> bool:
    """Whether the sentence has the opposite of a word of the question and not the word, or has without any denial
    what the question denies.
    """
    return not has_denials(question, sentence) or not YES_OR_NO.match(question) and _has_opposite(question, sentence)


def has_denials(question: str, text: str) -> bool:
    """Whether what a question asks to be without is absent: of "without cause", a text with "for cause" has it not.
    "The pipe is covered; the floor is not" says so, too. A question for a reason, about a condition, or for a yes may
    say "not" where its answer does not.
    """
    terms = set(extract_terms(text))
    is_free = YES_OR_NO.match(question) or REASON_OR_CONDITION.search(question)
    denied = [word for by, word in DENIED.findall(question) if not is_free or by.lower() in ("without", "no")]
    return bool(SAID_NOT.search(text)) or all(
        re.search(rf"{DENIAL}\W+(?:\w+\W+){{0,3}}?{word[:5]}", text, re.IGNORECASE)
        or re.search(rf"\b{word[:5]}\w*\W+(?:[\w%]+\W+){{0,5}}?{DENIAL_BEHIND}", text, re.IGNORECASE)
        for word in denied
        if stem_word(word) in terms
    )


def _has_opposite(question: str, sentence: str) -> bool:
    terms = set(extract_terms(sentence))
    words = {word.lower() for word in WORD.findall(sentence)}
    for word in {word.lower() for word in WORD.findall(question)} - words:
        if OPPOSITES.get(word, set()) & words and not measure_term(stem_word(word), terms):
            return True
    (plain, denied), (stated, stated_denied) = map(_split_denied, (question, sentence))
    return bool((denied - plain) & (stated - stated_denied) or (plain - denied) & (stated_denied - stated))


def _split_denied(text: str) -> tuple[set[str], set[str]]:
    """Terms of the words of a text, and of those behind "non-"."""
    return set(extract_terms(NON.sub(" ", text))), {stem_word(word) for word in NON.findall(text)}
