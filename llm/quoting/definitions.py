"""What a thing is: "What is a seed?" is answered by the sentence that begins by saying so."""

import re
from collections.abc import Sequence

from llm.quoting.pairs import Pair
from llm.quoting.units import Unit

ASKED = re.compile(
    r"^\W*what (?:is|are) (?!(?:the|our|my|your|his|her|its|their)\b)(?:an? )?"
    r"(\w[\w’'&-]*(?: \w[\w’'&-]*){0,2})\W*$",
    re.IGNORECASE,
)
STATES = r"(?: \([^()]{1,30}\))? (?:is|are|means?|refers? to|stands? for) (?:an?|the|any|every|one|our)\b"


def find_definition(question: str, units: Sequence[Unit]) -> list[Pair]:
    """The first sentence that defines what is asked for; empty for none, and where no one thing is asked for."""
    asked = ASKED.match(question)
    if asked is None:
        return []
    form = re.compile(rf"(?:[-*•]\s+)?(?:the |an? )?{re.escape(asked[1])}{STATES}", re.IGNORECASE)
    return [Pair("", "", text, passage.n) for passage, text in units if form.match(text)][:1]
