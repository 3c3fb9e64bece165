"""Answers that quote nothing."""

from llm.prompts import CLOSEST, NOT_FOUND


def quotes_nothing(text: str) -> bool:
    """Whether an answer says that nothing was found, or that nothing says it plainly."""
    return text.startswith((NOT_FOUND, CLOSEST))
