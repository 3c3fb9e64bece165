"""What asks, and what states."""

import re

from text.pieces import split_sentences

ASKS = re.compile(
    r"^\W*(?:what|who|whom|whose|when|where|why|how|which|tell|show|list|find|give|explain|describe|summari[sz]e|please"
    r"|can|could|is|are|was|were|do|does|did|was|wer|wann|wo|warum|wie|welche\w*|zeige?|nenne?|gib)\b",
    re.IGNORECASE,
)


def read_statements(asked: str) -> list[str]:
    """The sentences of a person's message that state something and do not ask."""
    return [sentence for sentence in split_sentences(asked) if not (sentence.endswith("?") or ASKS.match(sentence))]
