"""How sure an answer is that no model wrote: it quotes, it shows what comes nearest, or it has nothing."""

from django.db.models import TextChoices

from chat.models import Message, State, Turn
from llm.offline.small_talk import SELF
from llm.prompts import CLOSEST, NOT_FOUND


class Confidence(TextChoices):
    QUOTED = "quoted", "Quoted"
    CLOSEST = "closest", "Closest"
    NONE = "none", "Nothing near"


OPENINGS = {CLOSEST: Confidence.CLOSEST, NOT_FOUND: Confidence.NONE, SELF: None}
"""How an answer begins that quotes nothing. What the engine says of itself is no answer."""


def find_confidence(text: str) -> Confidence | None:
    """Of an answer by the quoting engine."""
    return next((kind for opening, kind in OPENINGS.items() if text.startswith(opening)), Confidence.QUOTED)


def is_undecided(text: str) -> bool:
    """Whether an answer that begins so may still become one that quotes nothing."""
    return any(opening.startswith(text) and opening != text for opening in OPENINGS)


def read_confidence(turn: Turn, answer: Message | None) -> Confidence | None:
    """Of an answer that the caller reads; None for a model's, also where the quoting engine went on with it."""
    if answer is None or turn.state != State.DONE or not turn.usage.get("offline"):
        return None
    return find_confidence(answer.content)
