"""Which weights of the two branches serve several sets best: chosen on half of the questions, reported on the others.

The lists are those that a run got; only their fusion is done again, so every pair is compared on the same passages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import fmean

from retrieval.evaluation.metrics import ndcg
from retrieval.evaluation.rankings import LEXICAL, VECTOR
from retrieval.evaluation.run import Outcome
from retrieval.fusion import in_order
from retrieval.search import fuse

SHARES = tuple(n / 20 for n in range(4, 17))
"""Weights of the vector branch that are tried; the lexical one has the rest to 1."""
CONSTANTS = (5, 10, 20, 40, 60)
"""k of reciprocal rank fusion that are tried."""


@dataclass(frozen=True)
class Pair:
    """weight: of the vector branch."""

    weight: float
    k: int


@dataclass(frozen=True)
class Line:
    """nDCG@10 of one set: both branches, and fused by a pair."""

    set_name: str
    questions: int
    vector: float
    lexical: float
    fused: float

    @property
    def margin(self) -> float:
        """Over the better branch."""
        return self.fused - max(self.vector, self.lexical)


@dataclass(frozen=True)
class Chosen:
    """pair: with the greatest least margin on the choosing half. chosen_on, reported: a line a set."""

    pair: Pair
    chosen_on: Sequence[Line]
    reported: Sequence[Line]


def choose_pair(sets: Mapping[str, Sequence[Outcome]]) -> Chosen:
    """Raises: ValueError where a set has no answerable question in one of its halves."""
    halves = {name: halve(outcomes) for name, outcomes in sets.items()}
    if any(not half for pair in halves.values() for half in pair):
        raise ValueError("a set needs answerable questions in both halves")
    first = {name: half for name, (half, _) in halves.items()}
    second = {name: half for name, (_, half) in halves.items()}
    tried = {pair: lines_of(first, pair) for pair in pairs()}
    best = max(
        tried, key=lambda pair: (min(line.margin for line in tried[pair]), fmean(line.fused for line in tried[pair]))
    )
    return Chosen(best, tried[best], lines_of(second, best))


def pairs() -> Iterator[Pair]:
    for k in CONSTANTS:
        for weight in SHARES:
            yield Pair(weight, k)


def halve(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """By the hash of the question's id: the same halves every time."""
    halves: tuple[list[Outcome], list[Outcome]] = ([], [])
    for outcome in outcomes:
        if outcome.question.places:
            halves[sha256(outcome.question.id.encode()).digest()[-1] % 2].append(outcome)
    return halves


def lines_of(sets: Mapping[str, Sequence[Outcome]], pair: Pair) -> list[Line]:
    return [
        Line(
            name,
            len(outcomes),
            fmean(score(one, one.found.rows[VECTOR]) for one in outcomes),
            fmean(score(one, one.found.rows[LEXICAL]) for one in outcomes),
            fmean(score(one, refused(one, pair)) for one in outcomes),
        )
        for name, outcomes in sets.items()
    ]


def score(outcome: Outcome, rows: Sequence[int]) -> float:
    return ndcg(outcome.gains_of(rows), len(outcome.question.places))


def refused(outcome: Outcome, pair: Pair) -> list[int]:
    """The rows as a search with this pair would order them."""
    rows = outcome.found.rows
    weights = (pair.weight, 1 - pair.weight)
    return in_order(fuse(rows[VECTOR], rows[LEXICAL], outcome.found.exact, weights, pair.k))
