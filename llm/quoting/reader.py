"""How likely each piece of the passages answers a question: small networks over what is known of it (ADR 86).

They were trained on questions about papers of trades that were written for it (`tests/answers/sets`), and are told
nothing but numbers: likeness by the encoder of a hundred languages, words, forms, places, and what the rules quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from llm.quoting.features import Piece, choose_pieces, describe_pieces, list_pieces, write_context
from llm.quoting.field_answers import Quote
from llm.quoting.meaning import Encoder
from llm.quoting.reading import FIELDS, PromptPassage
from text.networks import Ensemble, Floats

WEIGHTS = Path(__file__).with_name("reader.npz")
MAX_PASSAGE_CHARACTERS = 1_500
"""Of a passage, as the encoder is given it whole."""
MIN_PART_CHARACTERS = 8
"""Of a piece that is a part of a quote."""
FARTHEST = 5.0
"""Spreads from the mean; what lies farther out says no more."""


@dataclass(frozen=True)
class ReadPiece:
    """probability: that the piece answers. is_quoted: by the rules, too."""

    piece: Piece
    probability: float
    is_quoted: bool


@dataclass(frozen=True)
class Reader:
    """mean, spread: of each feature, over what it was trained on."""

    networks: Ensemble
    mean: Floats
    spread: Floats

    def compute_probabilities(self, features: Floats) -> Floats:
        """(pieces, features) -> (pieces,)"""
        return self.networks.compute_probabilities(self.scale(features))[:, 0]

    def scale(self, features: Floats) -> Floats:
        return np.clip((features - self.mean) / self.spread, -FARTHEST, FARTHEST).astype(np.float32)

    def save(self, path: Path) -> None:
        arrays: dict[str, Any] = {"mean": self.mean, "spread": self.spread, **self.networks.dump("reader")}
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Reader:
        with np.load(path) as arrays:
            return cls(Ensemble.load(arrays, "reader"), arrays["mean"], arrays["spread"])


def read_pieces(
    encoder: Encoder, question: str, passages: Sequence[PromptPassage], quotes: Sequence[Quote]
) -> list[ReadPiece]:
    """The pieces of the passages, the likeliest first. passages: in the order in which they were found. quotes: by the
    rules.
    """
    found, features = describe_found(encoder, question, passages, quotes)
    chances = load_reader().compute_probabilities(features) if found else ()
    read = [replace(one, probability=float(chance)) for one, chance in zip(found, chances, strict=True)]
    return sorted(read, key=lambda one: -one.probability)


def describe_found(
    encoder: Encoder, question: str, passages: Sequence[PromptPassage], quotes: Sequence[Quote]
) -> tuple[list[ReadPiece], Floats]:
    """The pieces that are worth reading, in order, as likely as not, and their features."""
    read = [passage for passage in passages if passage.kind != FIELDS]
    asked = encoder.embed_query(question)
    texts = [f"{passage.title} {passage.text}"[:MAX_PASSAGE_CHARACTERS] for passage in read]
    whole = encoder.embed_documents(texts) @ asked if read else ()
    of_passage = dict(zip((passage.n for passage in read), map(float, whole), strict=True))
    every = list_pieces(read)
    near = {id(piece) for piece in choose_pieces(question, every, of_passage)}
    marks = [any(matches_quote(piece, quote) for quote in quotes) for piece in every]
    kept = [(piece, mark) for piece, mark in zip(every, marks, strict=True) if mark or id(piece) in near]
    pieces, quoted = [piece for piece, _ in kept], [mark for _, mark in kept]
    if not pieces:
        return [], np.zeros((0, 0), np.float32)
    sides = [[write_context(piece) for piece in pieces], [piece.written for piece in pieces]]
    likeness = np.stack([encoder.embed_documents(side) @ asked for side in sides], axis=1)
    in_passage = np.array([of_passage[piece.passage.n] for piece in pieces], np.float32)
    found = [ReadPiece(piece, 0.5, mark) for piece, mark in zip(pieces, quoted, strict=True)]
    return found, describe_pieces(question, pieces, likeness, in_passage, quoted)


def matches_quote(piece: Piece, quote: Quote) -> bool:
    """Whether a piece is what the rules quote, or a part of it, or has it."""
    first, second = _fold(piece.text), _fold(quote.sentence)
    is_part = len(first) >= MIN_PART_CHARACTERS and first in second
    return piece.passage.n == quote.n and (is_part or second in first)


def _fold(text: str) -> str:
    return " ".join(text.replace("|", " ").split()).lower()


@cache
def load_reader() -> Reader:
    return Reader.load(WEIGHTS)
