"""Text as people read it: no control characters, no invisible ones, no ligatures."""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline; soft hyphen; zero-width and direction characters; byte-order marks; lone
# surrogates and non-characters; tags and variation selectors beyond the basic plane, which can hide whole sentences.
_CLASS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff"
)
_UNSEEN = re.compile(f"[{_CLASS}]")
_SPACE = re.compile(r"[^\S\n]+")
_AROUND_NEWLINE = re.compile(r" *\n *")
_NEWLINES = re.compile(r"\n{2,}")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u0085": "\n", "\u2028": "\n"}
)
_CHANGED = re.compile(f"[{_CLASS}{''.join(map(chr, _LIGATURES))}]|[^\\S ]")


def clean(text: str) -> str:
    """Without what cannot be seen; line ends are `\\n`; layout inside the text is kept."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_LIGATURES)
    return _UNSEEN.sub("", text)


def clean_line(text: str) -> str:
    """Cleaned, every run of white space being one blank."""
    if not (text.isascii() and text.isprintable()):
        text = clean(text)
    return " ".join(text.split())


def is_plain(text: str) -> bool:
    """Whether cleaning leaves it as it is, but for blanks."""
    return text.isprintable() if text.isascii() else _CHANGED.search(text) is None


def clean_paragraph(text: str) -> str:
    """Cleaned, with single line breaks kept, no blank lines, no blanks at either end of a line."""
    text = _SPACE.sub(" ", clean(text))
    return _NEWLINES.sub("\n", _AROUND_NEWLINE.sub("\n", text)).strip()
