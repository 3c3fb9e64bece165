"""The part of a passage that shows why it was found."""

import re

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingestion.tables import format_as_prose
from retrieval.matches import Matcher, compute_closeness
from text.sentences import find_sentences

LENGTH = 320
BLANKS = re.compile(r"(?:\s|([=_*~#.·•–—-])\1{3,})+")
"""Blanks, rules and dot leaders."""
LAST_SENTENCE = 120
"""Characters beyond `length` for the end of the last sentence: "… is limited to" leaves out what was looked for."""
WORD = 40
"""Characters within which a word ends; what is longer, or has no blanks, is cut anywhere."""


def cut_snippet(text: str, matcher: Matcher, length: int = LENGTH) -> str:
    """About `length` characters of `text` with as many matched words as possible, to the end of a sentence where one is
    near, else cut between words, with ellipses.
    """
    text = BLANKS.sub(" ", format_as_prose(text)).strip()
    if len(text) <= length:
        return text
    start, at_sentence = _choose_start(text, matcher, length)
    stop = start + length
    if start and not at_sentence:
        start = text.find(" ", start, start + WORD) + 1 or start
    last = next((end for _, end in find_sentences(text) if end >= stop), None)
    if last is not None and last <= stop + LAST_SENTENCE:
        stop = last
    elif stop < len(text):
        stop = stop if (blank := text.rfind(" ", stop - WORD, stop)) < 0 else blank
    return f"{'… ' if start else ''}{text[start:stop].strip()}{' …' if stop < len(text) else ''}"


def mark_matches(text: str, matcher: Matcher) -> SafeString:
    """`text` escaped, the words that matched in <mark>."""
    parts: list[tuple[object]] = []
    at = 0
    for start, end, _ in matcher.places(text):
        parts += [(text[at:start],), (format_html("<mark>{}</mark>", text[start:end]),)]
        at = end
    return format_html_join("", "{}", [*parts, (text[at:],)])


def _choose_start(text: str, matcher: Matcher, length: int) -> tuple[int, bool]:
    """Where to begin, and whether a sentence begins there: the sentence that matches best is in the middle, as far as
    whole sentences before it have room.
    """
    best = matcher.find_best_sentence(text)
    if best is None or best[1] - best[0] > length:
        return _find_densest_window(text, matcher, length), False
    room = (length - (best[1] - best[0])) // 2
    starts = [start for start, end in find_sentences(text) if end <= best[1]]
    start = next((start for start in starts if start >= best[0] - room), best[0])
    last = len(text) - length
    return (start, True) if start <= last or start == 0 else (max(last, 0), False)


def _find_densest_window(text: str, matcher: Matcher, length: int) -> int:
    """Where the window with the most different words begins, a little before the first; 0 where none is found."""
    places = matcher.places(text)
    best, most = 0, (0, 0)
    for first, _, _ in places:
        score = compute_closeness(
            place for place in places if first <= place[0] and place[1] <= first + length * 3 // 4
        )
        if score > most:
            best, most = first, score
    return min(max(0, best - length // 5), max(0, len(text) - length))
