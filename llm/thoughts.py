"""What some models of one's own write before they answer: their thoughts, in the answer itself."""

import re

THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.S)
OPENED = re.compile(r"\A\s*<think>")
END = "</think>"


def remove_thoughts(text: str) -> str:
    """The answer without them; "" where it ends inside them. Some servers leave out where they begin."""
    if END in text:
        return text.rpartition(END)[2]
    return "" if OPENED.match(text) else text
