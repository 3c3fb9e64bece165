"""Which quotes stand: those that the reader is sure of, and a piece that it is sure of where the rules have none."""

from collections.abc import Sequence
from functools import lru_cache

from llm.quoting.field_answers import Quote
from llm.quoting.meaning import Encoder, find_encoder
from llm.quoting.reader import ReadPiece, read_pieces
from llm.quoting.reading import PromptPassage

BAR = 0.5
"""Probability from which a piece is quoted that the rules do not quote (docs/evaluation.md)."""
RULES_BAR = 0.1
"""Of the likeliest of the pieces that the rules quote, from which they stand."""


def judge_quotes(question: str, passages: Sequence[PromptPassage], quotes: Sequence[Quote]) -> list[Quote]:
    """The quotes that stand (`judge_pieces`). Quotes of fields do, and without an encoder all.

    passages: in the order in which they were found.
    """
    encoder = find_encoder()
    if encoder is None or any(not quote.n for quote in quotes):
        return list(quotes)
    chosen = judge_pieces(_read(encoder, question, tuple(passages), tuple(quotes)))
    if chosen and chosen[0].is_quoted:
        return list(quotes)
    return [Quote(one.piece.text, one.piece.passage.n) for one in chosen]


def judge_pieces(read: Sequence[ReadPiece]) -> list[ReadPiece]:
    """What the rules quote where one of it is likely enough; else the likeliest piece where it is; else what the rules
    quote, where the reader does not hold all of it for wrong; else none.
    """
    quoted = [one for one in read if one.is_quoted]
    of_rules = max((one.probability for one in quoted), default=0.0)
    best = max(read, key=lambda one: one.probability, default=None)
    if best is not None and best.probability >= BAR > of_rules:
        return [best]
    return quoted if of_rules >= RULES_BAR else []


def rank_passages(question: str, passages: Sequence[PromptPassage], quotes: Sequence[Quote]) -> list[int]:
    """Numbers of the passages, those with the likeliest pieces first."""
    encoder = find_encoder()
    read = _read(encoder, question, tuple(passages), tuple(quotes)) if encoder else ()
    return list(dict.fromkeys([*(one.piece.passage.n for one in read), *(passage.n for passage in passages)]))


@lru_cache(maxsize=8)
def _read(
    encoder: Encoder, question: str, passages: tuple[PromptPassage, ...], quotes: tuple[Quote, ...]
) -> tuple[ReadPiece, ...]:
    return tuple(read_pieces(encoder, question, passages, quotes))
