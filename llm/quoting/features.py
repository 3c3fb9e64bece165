"""What is known of each piece of a prompt's passages before it is said whether it answers: numbers, one row a piece."""

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llm.quoting.forms import ASKED, FITS, HAS, read_asked, read_has
from llm.quoting.reading import PromptPassage, get_document_title, split_headings
from llm.quoting.units import is_heading_at, is_table_head, list_quotable
from text.networks import Floats
from text.pieces import write_cells
from text.rarity import compute_frequencies, weigh_rarest
from text.terms import extract_alike_terms, extract_terms

MAX_PIECES = 80
"""Pieces that are looked at closely: those with most of the question's rare words, and of the passages found first."""
NAMED = re.compile(r"(?<!^)(?<![.!?] )\b[A-ZÄÖÜ][\w’'-]+|\b\w*\d\w*")
NEARER = 0.08
"""Share of the question's weight that counts as much as a passage that is nearer by one place."""
ITEM = re.compile(r"\s*[-*•]\s")
LABEL = re.compile(r"[^.:|]{2,40}:\s")
LAYOUT = 4
MAX_LINE = 12
"""Of a passage; a later one says no more."""
LONG = 300
"""Characters; the length of a longer piece says no more."""


@dataclass(frozen=True)
class Piece:
    """A sentence, a row or an item of a passage that can be quoted. text: verbatim. written: with the names of its
    columns. above: what it stands under. rank: of its passage among those found, from 0. line: of its passage.
    """

    passage: PromptPassage
    text: str
    written: str
    above: str
    rank: int
    line: int

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(extract_terms(self.written))


def list_pieces(passages: Sequence[PromptPassage]) -> list[Piece]:
    """Of passages in the order in which they were found, without headings and the heads of tables."""
    pieces: list[Piece] = []
    for rank, passage in enumerate(passages):
        units = [(passage, text) for text in list_quotable(passage.text)]
        heading = ""
        for line, (_, text) in enumerate(units):
            if is_heading_at(units, line):
                heading = text.strip("#* ")
            elif not is_table_head(units, line) and not text.rstrip().endswith("?"):
                above = " ".join(filter(None, (*split_headings(passage)[-2:], heading)))
                pieces.append(Piece(passage, text, write_cells(text, passage.text), above, rank, line))
    return pieces


def choose_pieces(question: str, pieces: Sequence[Piece], in_passage: Mapping[int, float]) -> list[Piece]:
    """At most MAX_PIECES of them, in their order. in_passage: number of a passage -> its likeness to the question."""
    if len(pieces) <= MAX_PIECES:
        return list(pieces)
    weights = _weigh(question, pieces)
    total = sum(weights.values()) or 1.0
    order = sorted(in_passage, key=lambda n: -in_passage[n])
    place = {n: at for at, n in enumerate(order)}

    def rank(index: int) -> float:
        piece = pieces[index]
        words = sum(weights[t] for t in weights.keys() & (piece.terms | set(extract_terms(piece.above)))) / total
        return words - NEARER * min(piece.rank, place[piece.passage.n])

    best = sorted(range(len(pieces)), key=lambda index: (-rank(index), index))
    return [pieces[index] for index in sorted(best[:MAX_PIECES])]


def _weigh(question: str, pieces: Sequence[Piece]) -> dict[str, float]:
    """Term of the question -> how rare it is among the pieces."""
    inverse, unknown = compute_frequencies([list(p.terms) for p in pieces]), weigh_rarest(len(pieces))
    return {term: inverse.get(term, unknown) for term in dict.fromkeys(extract_terms(question))}


def write_context(piece: Piece) -> str:
    """What the encoder is given of a piece: its document, what it stands under, itself."""
    title = get_document_title(piece.passage).partition(" (")[0]
    return f"{title}. {piece.above}: {piece.written}"


@dataclass(frozen=True)
class _Asked:
    """What is compared with every piece. named: names and numbers, in lower case. wants: for each of FITS."""

    weights: Mapping[str, float]
    forms: Sequence[bool]
    named: frozenset[str]
    wants: Sequence[bool]

    def measure_share(self, terms: Set[str]) -> float:
        """Of the question's weight that terms carry."""
        total = sum(self.weights.values()) or 1.0
        return sum(self.weights[term] for term in self.weights.keys() & terms) / total


def describe_pieces(
    question: str, pieces: Sequence[Piece], likeness: Floats, in_passage: Floats, quoted: Sequence[bool]
) -> Floats:
    """(pieces, features). likeness: cosines of the question with each piece in its context, and with its bare words, of
    shape (pieces, 2). in_passage: with its whole passage. quoted: whether the rules quote it.
    """
    forms = read_asked(question)
    by_form = dict(zip(ASKED, forms, strict=True))
    named = frozenset(name.lower() for name in NAMED.findall(question))
    asked = _Asked(_weigh(question, pieces), forms, named, [by_form[form] for form in FITS])
    others = [any(quoted), sum(quoted) / 4]
    rows = [
        [*words, *form[:LAYOUT], mark, *others, others[0] and not mark, *form[LAYOUT:]]
        for words, form, mark in zip(
            _describe_words(asked, pieces), (_describe_form(asked, piece) for piece in pieces), quoted, strict=True
        )
    ]
    near = np.concatenate([_describe_likeness(likeness), in_passage[:, None] * 4], axis=1)
    return np.concatenate([near, np.array(rows)], axis=1).astype(np.float32)


def _describe_likeness(likeness: Floats) -> Floats:
    """(pieces, 8): as it is, beside the best and the mean of the pieces, and by its place among them."""
    places = np.argsort(np.argsort(-likeness, axis=0), axis=0)
    spread = likeness.std(0) + 1e-3
    beside = [(likeness - likeness.max(0)) * 8, (likeness - likeness.mean(0)) / spread / 2]
    return np.concatenate([likeness * 4, *beside, 1 / (1 + places)], axis=1)


def _describe_words(asked: _Asked, pieces: Sequence[Piece]) -> list[list[float]]:
    """Shares of the question's weight in each piece, what stands around it, and its passage; names that are missing."""
    passages = {piece.passage.n: piece.passage for piece in pieces}
    in_passage = {n: set(extract_terms(f"{p.title} {p.text}")) for n, p in passages.items()}
    own = [asked.measure_share(piece.terms) for piece in pieces]
    rows = []
    for index, piece in enumerate(pieces):
        above = set(extract_terms(f"{piece.above} {get_document_title(piece.passage)}"))
        there = f"{piece.written} {piece.above} {piece.passage.title}".lower()
        whole = f"{there} {piece.passage.text.lower()}"
        beside = [other for other in (index - 1, index + 1) if 0 <= other < len(pieces)]
        rows.append(
            [
                own[index],
                own[index] - max(own),
                asked.measure_share(extract_alike_terms(piece.written)),
                asked.measure_share(above),
                asked.measure_share(piece.terms | above),
                asked.measure_share(in_passage[piece.passage.n]),
                max((own[other] for other in beside if pieces[other].passage is piece.passage), default=0.0),
                sum(name not in there for name in asked.named),
                sum(name not in whole for name in asked.named),
                len(asked.named),
                1 / (1 + piece.rank),
                piece.rank / 8,
                min(piece.line, MAX_LINE) / MAX_LINE,
                min(len(piece.text), LONG) / LONG,
                math.log1p(len(piece.terms)) / 3,
                math.log1p(len(asked.weights)) / 2,
            ]
        )
    return rows


def _describe_form(asked: _Asked, piece: Piece) -> list[float]:
    """How a piece is written (LAYOUT numbers), and whether it has what is asked for."""
    has = read_has(piece.written)
    by_form = dict(zip(HAS, has, strict=True))
    met = [any(by_form[form] for form in forms) for forms in FITS.values()]
    fits = [want and one for want, one in zip(asked.wants, met, strict=True)]
    lacks = [want and not one for want, one in zip(asked.wants, met, strict=True)]
    layout = [
        piece.text.startswith("|"),
        bool(ITEM.match(piece.text)),
        bool(LABEL.match(piece.text)),
        piece.text.rstrip().endswith(":"),
    ]
    return [*layout, *asked.forms, *has, *fits, *lacks, sum(fits), sum(lacks)]
