"""Summaries of a file, one per label, that say nothing a reader of that label could not read in the file (design §2.2).

The model that proposes them has seen all of a window. So its sentences are kept only where every word of weight stands
in paragraphs of exactly that label; where none survives, the opening sentences of those paragraphs serve.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 1_200  # characters
LEAD = 400  # characters
STEM = 5
WORD = re.compile(r"[^\W_]+(?:[.,'’:-][^\W_]+)*")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# Words of a summary's own voice, which tell nothing.
NEUTRAL = frozenset(
    """about above according after also among amount another because been before being below between both contains
    covers defines describes document during each either explains from gives have having into lists many more most much
    must names only other others over paragraph paragraphs part parts provides reports says section sections
    sets several shows some states such summary text than that their them then there these they this those through
    under until upon well were what when where which while will with within without would""".split()  # noqa: SIM905
)


def sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE.split(text) if sentence.strip()]


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The stems of all words."""
    return frozenset(_stem(word) for text in texts for word in WORD.findall(text))


def _stem(word: str) -> str:
    word = word.casefold()
    return word if any(letter.isdigit() for letter in word) else word[:STEM]


def is_drawn_from(sentence: str, words: frozenset[str]) -> bool:
    """Whether every word of weight (a figure, or four letters and more) is one of `words`."""
    weighty = [w for w in WORD.findall(sentence) if len(w) > 3 or any(letter.isdigit() for letter in w)]
    return bool(weighty) and all(_stem(w) in words or w.casefold() in NEUTRAL for w in weighty)


def lead(texts: Sequence[str]) -> list[str]:
    """Opening sentences of running text, LEAD characters at most."""
    chosen: list[str] = []
    for text in texts:
        for sentence in sentences(text)[:1]:
            if len(sentence) > 40 and sum(map(len, chosen)) + len(sentence) <= LEAD:
                chosen.append(sentence)
    return chosen


def summarise(paragraphs: Mapping[int, Sequence[str]], proposed: Mapping[int, Sequence[str]]) -> dict[int, list[str]]:
    """label -> sentences, LONGEST characters at most.

    paragraphs: label -> running texts with that label. proposed: label -> sentences of the model, in order.
    """
    result: dict[int, list[str]] = {}
    for label, texts in paragraphs.items():
        words = vocabulary(texts)
        kept: list[str] = []
        for sentence in dict.fromkeys(proposed.get(label, ())):
            if is_drawn_from(sentence, words) and sum(map(len, kept)) + len(sentence) <= LONGEST:
                kept.append(sentence)
        chosen = kept or lead(texts)
        if chosen:
            result[label] = chosen
    return result
