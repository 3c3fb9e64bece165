"""Which quotes stand: those that the reader is sure of, and a piece that it is sure of where the rules have none."""

from collections.abc import Sequence
from dataclasses import dataclass

from llm.quoting.field_answers import Quote
from llm.quoting.meaning import find_encoder
from llm.quoting.opposites import is_opposed
from llm.quoting.reader import ReadPiece, read_pieces
from llm.quoting.reading import PromptPassage

BAR = 0.5
"""Probability from which a piece is quoted that the rules do not quote (ADR 86)."""
RULES_BAR = 0.1
"""Of the likeliest of the pieces that the rules quote, from which they stand."""


@dataclass(frozen=True)
class JudgedQuotes:
    """ranked: numbers of the passages, those with the likeliest pieces first."""

    quotes: list[Quote]
    ranked: list[int]


def judge_quotes(question: str, passages: Sequence[PromptPassage], quotes: Sequence[Quote]) -> JudgedQuotes:
    """The quotes that stand (`judge_pieces`), and the order of the passages. Quotes of what is no piece (fields,
    headings) do, and without an encoder all. passages: in the order in which they were found.
    """
    numbers = [passage.n for passage in passages]
    encoder = find_encoder()
    if encoder is None:
        return JudgedQuotes(list(quotes), numbers)
    read = read_pieces(encoder, question, passages, quotes)
    ranked = list(dict.fromkeys([*(one.piece.passage.n for one in read), *numbers]))
    if quotes and not any(one.is_quoted for one in read):
        return JudgedQuotes(list(quotes), ranked)
    chosen = judge_pieces([one for one in read if one.is_quoted or not is_opposed(question, one.piece.text)])
    if chosen and chosen[0].is_quoted:
        return JudgedQuotes(list(quotes), ranked)
    return JudgedQuotes([Quote(one.piece.text, one.piece.passage.n) for one in chosen], ranked)


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
