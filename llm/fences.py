"""Delimiters of prompts, and how untrusted text is kept from forging them.

Text stands inside elements; in it, whatever looks like the start of one of our tags loses its "<", and what looks
like a citation number loses its brackets: the number printed before a passage is the only one that can be cited
(design §6).
"""

import re

ELEMENTS = (
    "levels", "level", "guidance", "title", "paragraphs", "p", "labels", "summaries", "s", "record", "fields", "status",
    "passages", "document", "focus", "question", "pulse", "reminder", "message", "agent", "instructions", "system",
    "earlier", "turn", "asked", "answered", "summary",
)  # fmt: skip
_NAMES = "|".join(ELEMENTS)
TAG = re.compile(rf"<(?=[\s\u200b-\u200f\u2060\ufeff/]*(?:{_NAMES})(?![\w]))", re.IGNORECASE)
ESCAPED = re.compile(rf"&lt;(?=[\s/]*(?:{_NAMES})(?![\w]))", re.IGNORECASE)
_NUMBER = r"(?:(?:citation|cite|src|source|ref)\s*+:?\s*+[0-9a-f]{1,8}|\d{1,4})"
MARKER = re.compile(
    rf"[\[［【]\s*(\^?{_NUMBER}(?:\s*[,;\u2010-\u2014-]\s*{_NUMBER})*)\s*[\]］】]",
    re.IGNORECASE,
)


def fence(text: str) -> str:
    """`text` that cannot open or close one of our elements."""
    return TAG.sub("&lt;", text)


def unfence(text: str) -> str:
    """What `fence` was given."""
    return ESCAPED.sub("<", text)


def replace_markers(text: str) -> str:
    """`text` whose bracketed numbers are no citations any more: "[3]" is shown as "⟦3⟧"."""
    return MARKER.sub(r"⟦\1⟧", text)


def replace_brackets(text: str) -> str:
    """What a model quotes of `replace_markers`, for people: "⟦180⟧ days" is shown as "(180) days", never as a citation.

    Character by character, so that it holds for the pieces of a stream.
    """
    return text.replace("⟦", "(").replace("⟧", ")")


def quote_attribute(text: str) -> str:
    """`text` for the inside of a quoted attribute: one line, no quotes, no angle brackets."""
    flat = " ".join(replace_markers(text).split())
    return flat.replace('"', "”").replace("<", "‹").replace(">", "›")
