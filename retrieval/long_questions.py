"""The parts of a long question. One of its sentences says what is wanted, and the rest is talk that would hide it.

A vector shows the beginning of a text, and a word of the talk that few passages hold weighs more than what is meant.
"""

import re

from text.sentences import split_sentences

SMALL = re.compile(r"(?<=[.!?])\s+")
MIN_LONG_CHARS = 300
"""From so many characters on a question has parts. A shorter one seldom holds more than what is meant."""
PART_CHARS = 150
"""Sentences that ask nothing are joined up to so many characters, and a longer one without stops is cut."""
MAX_SENTENCE_CHARS = 400
MAX_PARTS = 16
STATED_WEIGHT = 0.8
"""Of a part that asks nothing, where another one asks."""
CLOSING_MARKS = "\"'”’“»)]}.! "


def split_question(text: str) -> list[tuple[str, float]]:
    """(part, weight) in order; nothing of a question that is short. text: with single blanks."""
    if len(text) < MIN_LONG_CHARS:
        return []
    parts: list[str] = []
    for sentence in (piece for found in _split_hurried(text) for piece in _cut_sentence(found)):
        if (
            parts
            and not _is_question(parts[-1])
            and not _is_question(sentence)
            and len(parts[-1]) + len(sentence) < PART_CHARS
        ):
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.append(sentence)
    while len(parts) > MAX_PARTS:
        n = min(range(len(parts) - 1), key=lambda n: len(parts[n]) + len(parts[n + 1]))
        parts[n : n + 2] = [f"{parts[n]} {parts[n + 1]}"]
    stated = STATED_WEIGHT if any(map(_is_question, parts)) else 1.0
    return [(part, 1.0 if _is_question(part) else stated) for part in parts]


def _is_question(part: str) -> bool:
    return part.rstrip(CLOSING_MARKS).endswith(("?", "？"))


def _split_hurried(text: str) -> list[str]:
    """Sentences, also where the next one begins small."""
    return [part for sentence in split_sentences(text) for part in SMALL.split(sentence)]


def _cut_sentence(sentence: str) -> list[str]:
    """Between words, or anywhere where there are none. A sentence of usual length stays whole."""
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return [sentence] if sentence else []
    pieces = []
    while len(sentence) > PART_CHARS:
        end = sentence.rfind(" ", PART_CHARS // 2, PART_CHARS)
        end = PART_CHARS if end < 0 else end
        pieces.append(sentence[:end])
        sentence = sentence[end:].lstrip()
    return [*pieces, sentence] if sentence else pieces
