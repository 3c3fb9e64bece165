"""Summaries of a file, one per label, that say nothing a reader of that label could not read in the file (design §2.2).

The model that proposes them has seen all of a window. So its sentences are kept only where every word stands, whole, in
one paragraph of exactly that label; where none survives, the opening sentences of those paragraphs serve.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 1_200  # characters
LEAD = 400  # characters
SHORTEST = 4  # words: what is left of a table's column or a page's foot says nothing
WORD = re.compile(r"[^\W_]+(?:[.,'’:-][^\W_]+)*")
SENTENCE = re.compile(r"(?<=[.!?])(?<!\bMr\.)(?<!\bDr\.)(?<!\bMrs\.)(?!(?<=\bno\.)\s+\d)(?!(?<=\bNo\.)\s+\d)\s+|\n+")
"""Between two sentences; "no. 2291" is within one."""


def split_sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE.split(text) if sentence.strip()]


def extract_words(text: str) -> frozenset[str]:
    """All words, short ones too, as they stand, letters' case aside."""
    return frozenset(word.casefold() for word in WORD.findall(text))


def is_supported_by(sentence: str, paragraphs: Iterable[frozenset[str]]) -> bool:
    """Whether every word stands in one of `paragraphs`, as `extract_words` gives them. Words gathered from several
    would say what none of them does.
    """
    words = extract_words(sentence)
    return bool(words) and any(words <= paragraph for paragraph in paragraphs)


def select_lead(texts: Sequence[str]) -> list[str]:
    """Opening sentences of running text, LEAD characters at most."""
    chosen: list[str] = []
    for text in texts:
        for sentence in split_sentences(text)[:1]:
            if len(sentence) > 40 and sum(map(len, chosen)) + len(sentence) <= LEAD:
                chosen.append(sentence)
    return chosen


def _is_repeated(sentence: str, kept: Iterable[str]) -> bool:
    """Whether its words stand in a kept one, or those of that in it: a text that is cut twice is cut at two places."""
    words = extract_words(sentence)
    return any(words <= others or others <= words for others in map(extract_words, kept))


def summarise_paragraphs(
    paragraphs: Mapping[int, Sequence[str]], proposed: Mapping[int, Sequence[str]]
) -> dict[int, list[str]]:
    """label -> sentences, LONGEST characters at most.

    paragraphs: label -> running texts with that label. proposed: label -> sentences of the model, in order.
    """
    result: dict[int, list[str]] = {}
    for label, texts in paragraphs.items():
        known = [extract_words(text) for text in texts]
        kept: list[str] = []
        for sentence in dict.fromkeys(proposed.get(label, ())):
            says = len(WORD.findall(sentence)) >= SHORTEST and is_supported_by(sentence, known)
            if says and not _is_repeated(sentence, kept) and sum(map(len, kept)) + len(sentence) <= LONGEST:
                kept.append(sentence)
        chosen = kept or select_lead(texts)
        if chosen:
            result[label] = chosen
    return result
