"""Whether a sentence says the opposite of what a question asks about: a minimum is no maximum."""

import re

from llm.offline.ranking import extract_terms, stem_word

PAIRS = re.split(
    r";\s+",
    """maximum minimum; earliest latest; largest smallest; biggest smallest; highest lowest; longest shortest;
    oldest youngest; oldest newest; larger smaller; bigger smaller; higher lower; longer shorter; older younger;
    heavier lighter; faster slower; stronger weaker; hotter colder; won lost; wins loses; win lost; lose won;
    increase decrease; increased decreased; included excluded; includes excludes; northern southern; eastern western;
    north south; east west; upper lower; inside outside; indoor outdoor; legal illegal; paid unpaid; public private;
    summer winter; morning evening; morning afternoon; internal external; gross net; debit credit; import export;
    imports exports; adult child; male female; always never; succeeded failed""",
)
OPPOSITES: dict[str, set[str]] = {}
for _one, _other in map(str.split, PAIRS):
    OPPOSITES.setdefault(_one, set()).add(_other)
    OPPOSITES.setdefault(_other, set()).add(_one)
NON = re.compile(r"\bnon-?([a-z]{3,})", re.I)
WORD = re.compile(r"[^\W\d_]+")
DENIED = re.compile(
    r"\b(?:without|no|not|cannot|\w+n['’]t)\s+(?:(?:an?|any|yet|been|being|be|have|had|to|also|the|all)\s+){0,2}"
    r"([^\W\d_]{3,})",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\b(?:without|no|not|non|nor|never|none|nobody|nothing|cannot|any|free of|un(?!der|til|less|it|ion)\w{4,}|invalid"
    r"|insufficient|ineligible|incomplete|\w{3,}less|fail\w*|refus\w*|lack\w*|absen\w+|miss(?:ed|es|ing)?|\w+n['’]t)\b",
    re.I,
)
YES_OR_NO = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are|was|were|do|does|did|can|may|must|has|have|had|will|should)\b", re.I
)
"""The opposite answers it: no."""
WHY = re.compile(r"\bwhy\b|\bwhat if\b|\bif\b", re.I)


def is_opposed(question: str, sentence: str) -> bool:
    """Whether a word of the question stands in the sentence only as its opposite, or what the question denies stands
    there without any denial. A question for a reason may deny what the reason does not.
    """
    if YES_OR_NO.match(question):
        return False
    asked, stated = ({word.lower() for word in WORD.findall(text)} for text in (question, sentence))
    if any(OPPOSITES.get(word, set()) & stated for word in asked - stated):
        return True
    for one, other in ((question, sentence), (sentence, question)):
        for found in NON.finditer(one):
            word = found[1].lower()
            if word in {w.lower() for w in WORD.findall(NON.sub(" ", other))} and not NON.search(other):
                return True
    if WHY.search(question) or DENIAL.search(sentence):
        return False
    terms = set(extract_terms(sentence))
    return any(stem_word(word) in terms for word in DENIED.findall(question))
