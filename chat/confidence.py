"""How sure an answer is that no model wrote: it quotes, it shows what comes nearest, or it has nothing."""

import re
from enum import StrEnum

from chat.models import Message, State, Turn
from llm.prompts import CLOSEST, NOT_FOUND, SELF, is_closest

CLOSEST_SO_FAR = re.compile(re.escape(CLOSEST) + r"(?:\s*+\[(?:citation:)?\d++\])*+\s*+(?:\[?[\w:]*+)")


class Confidence(StrEnum):
    QUOTED = "quoted"
    CLOSEST = "closest"
    NONE = "none"


def find_confidence(text: str) -> Confidence | None:
    """Of a whole answer by the quoting engine; None for what the engine says of itself. A quote that begins as one of
    the other kinds does is a quote.
    """
    if text == SELF:
        return None
    if text == NOT_FOUND:
        return Confidence.NONE
    return Confidence.CLOSEST if is_closest(text) else Confidence.QUOTED


def is_undecided(text: str) -> bool:
    """Whether what an answer begins with does not tell yet of which kind it is."""
    if any(whole.startswith(text) for whole in (SELF, NOT_FOUND, CLOSEST)):
        return True
    return CLOSEST_SO_FAR.fullmatch(text) is not None


def read_confidence(turn: Turn, answer: Message | None) -> Confidence | None:
    """Of an answer that the caller reads; None for a model's, also where the quoting engine went on with it."""
    if answer is None or turn.state != State.DONE or not turn.usage.get("offline"):
        return None
    return find_confidence(answer.content)
