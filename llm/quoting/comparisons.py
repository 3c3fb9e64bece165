"""Questions that compare: "Is the deposit higher than the rent?" is answered by how high each of the two is.

Which is the higher one says a document that says so, else the reader.
"""

import re

from llm.quoting.measures import SPELT_NUMBER
from llm.recognisers.money import AMOUNT

MEASURES = {
    "How long is": "longer shorter",
    "When is": "later earlier sooner",
    "How high is": "higher lower",
    "How big is": "larger bigger smaller greater",
    "How much is": "cheaper dearer more less",
}
HOW = rf"(?P<how>{'|'.join(' '.join(MEASURES.values()).split())})(?:\s+expensive)?"
SIDE = r"(?:the\s+)?(?P<%s>[^?]{1,80}?)"
COMPARED = re.compile(
    r"^\W*(?:is|are|was|were)\s+" + SIDE % "one" + rf"\s+{HOW}\s+than\s+" + SIDE % "other" + r"\W*$", re.IGNORECASE
)
EITHER = re.compile(
    r"^\W*(?:which|what)\s+(?:(?:one|of\s+(?:the\s+)?(?:two|both))\s+)?(?:is|was|costs?|lasts?)\s+"
    + rf"{HOW}\W+{SIDE % 'one'}\s+or\s+{SIDE % 'other'}\W*$",
    re.IGNORECASE,
)
SAME_OF = re.compile(r"^(?:one|that)\s+(?=(?:of|in|for)\s)", re.IGNORECASE)
"""What stands for the thing that the other side names: "than that of the crane"."""
FIGURE = re.compile(rf"[$€£]?\d|(?:an?|{SPELT_NUMBER})\s+(?:minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
LEANS = re.compile(
    r"^(?:in|at|on|for|of|to|by|with|from|under|before|last|usual|it|this|that|one|expected|planned|allowed)\b",
    re.IGNORECASE,
)


def split_compared(question: str) -> list[str]:
    """A question for the measure of each side, of one where the other is a figure; [] where nothing is compared, or
    one side is not named.
    """
    found = COMPARED.match(question) or EITHER.match(question)
    if found is None:
        return []
    one, other = found["one"], found["other"]
    other = SAME_OF.sub(f"{' '.join(one.split()[-2:])} ", other)
    sides = [one] if FIGURE.match(other) else [one, other]
    if any(LEANS.match(side) for side in sides):
        return []
    asks = next(asks for asks, words in MEASURES.items() if found["how"].lower() in words.split())
    asks = "How much money is" if AMOUNT.match(other) else asks
    return [f"{asks} {side}?" for side in sides]
