"""Questions that compare: "Is the deposit higher than the rent?" is answered by how high each of the two is.

Which is the higher one says a document that says so, else the reader.
"""

import re

HOW = r"(?P<how>(?!other\b|rather\b)\w{2,}er|more|less)(?:\s+(?!the\b)\w+)?"
SIDE = r"(?:the\s+)?(?P<%s>[^?]{1,80}?)"
COMPARED = re.compile(
    r"^\W*(?:is|are|was|were)\s+" + SIDE % "one" + rf"\s+{HOW}\s+than\s+" + SIDE % "other" + r"\W*$", re.IGNORECASE
)
EITHER = re.compile(
    r"^\W*(?:which|what)\s+(?:(?:one|of\s+(?:the\s+)?(?:two|both))\s+)?(?:is|was|costs?|lasts?)\s+"
    + rf"{HOW}\W+{SIDE % 'one'}\s+or\s+{SIDE % 'other'}\W*$",
    re.IGNORECASE,
)
MEASURES = {"longer": "How long is", "shorter": "How long is", "later": "When is", "earlier": "When is",
            "sooner": "When is", "higher": "How high is", "lower": "How high is"}  # fmt: skip
SAME_OF = re.compile(r"^(?:one|that)\s+(?=(?:of|in|for)\s)", re.IGNORECASE)
"""What stands for the thing that the other side names: "than that of the crane"."""
FIGURE = re.compile(r"^[$€£]?\d")
LEANS = re.compile(r"^(?:in|at|on|before|last|usual|it|this|that|one|expected|planned|allowed)\b", re.IGNORECASE)


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
    return [f"{MEASURES.get(found['how'].lower(), 'How much is')} {side}?" for side in sides]
