"""The part of a passage that shows why it was found."""

import re
from collections.abc import Sequence

LENGTH = 320
BLANKS = re.compile(r"\s+")


def snippet(text: str, stems: Sequence[str], length: int = LENGTH) -> str:
    """About `length` characters of `text` with as many matched words as possible, cut between words, with ellipses."""
    text = BLANKS.sub(" ", text).strip()
    if len(text) <= length:
        return text
    start = _densest(text, stems, length)
    stop = start + length
    if start:
        start = text.find(" ", start) + 1 or start
    if stop < len(text):
        stop = text.rfind(" ", start, stop) if " " in text[start:stop] else stop
    return f"{'… ' if start else ''}{text[start:stop].strip()}{' …' if stop < len(text) else ''}"


def _densest(text: str, stems: Sequence[str], length: int) -> int:
    """Where the window with the most different stems begins, a little before the first; 0 where none is found."""
    if not stems:
        return 0
    pattern = re.compile(rf"\b(?:{'|'.join(re.escape(stem) for stem in stems)})", re.IGNORECASE)
    places = [(match.start(), match.group().casefold()) for match in pattern.finditer(text)]
    best, most = 0, 0
    for first, _ in places:
        inside = {word for at, word in places if first <= at < first + length * 3 // 4}
        if len(inside) > most:
            best, most = first, len(inside)
    return min(max(0, best - length // 5), max(0, len(text) - length))
