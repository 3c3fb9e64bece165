"""Which weights of the two branches serve several sets best: chosen on half of the questions, reported on the others.

The lists are those that a run got; only their fusion is done again, so every pair is compared on the same passages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from statistics import fmean

from retrieval.evaluation.metrics import compute_ndcg
from retrieval.evaluation.rankings import LEXICAL, VECTOR
from retrieval.evaluation.run import QuestionOutcome
from retrieval.likeness import Likeness
from retrieval.search import score_hits

SHARES = tuple(n / 20 for n in range(4, 17))
"""Weights of the vector branch that are tried; the lexical one has the rest to 1."""
ALLOWED = 0.01
"""How far fused may fall behind the better branch of a set."""


@dataclass(frozen=True)
class WeightLine:
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
class ChosenWeights:
    """share: of meaning, with the greatest mean over sets on the choosing halves, of those that stay within `ALLOWED`
    of the better branch on each; of all, where none does. chosen_on, reported: a line a set, by this share. today: of
    all questions, as the installation is set.
    """

    share: float
    chosen_on: Sequence[WeightLine]
    reported: Sequence[WeightLine]
    today: Sequence[WeightLine]


def choose_share(sets: Mapping[str, Sequence[QuestionOutcome]], likeness: Likeness) -> ChosenWeights:
    """likeness: of the encoder that was asked. Raises: ValueError where a set has no answerable question in one of its
    halves.
    """
    halves = {name: split_in_half(outcomes) for name, outcomes in sets.items()}
    if any(not half for pair in halves.values() for half in pair):
        raise ValueError("a set needs answerable questions in both halves")
    first = {name: half for name, (half, _) in halves.items()}
    second = {name: half for name, (_, half) in halves.items()}
    tried = {share: build_lines(first, replace(likeness, meaning=share)) for share in SHARES}
    within = [share for share, lines in tried.items() if min(line.margin for line in lines) >= -ALLOWED]
    best = max(within or tried, key=lambda share: fmean(line.fused for line in tried[share]))
    every = {name: [*halves[name][0], *halves[name][1]] for name in sets}
    chosen = replace(likeness, meaning=best)
    return ChosenWeights(best, tried[best], build_lines(second, chosen), build_lines(every, likeness))


def split_in_half(outcomes: Sequence[QuestionOutcome]) -> tuple[list[QuestionOutcome], list[QuestionOutcome]]:
    """By the hash of the question's id: the same halves every time."""
    halves: tuple[list[QuestionOutcome], list[QuestionOutcome]] = ([], [])
    for outcome in outcomes:
        if outcome.question.places:
            halves[sha256(outcome.question.id.encode()).digest()[-1] % 2].append(outcome)
    return halves


def build_lines(sets: Mapping[str, Sequence[QuestionOutcome]], likeness: Likeness) -> list[WeightLine]:
    return [
        WeightLine(
            name,
            len(outcomes),
            fmean(score_outcome(one, one.found.rows[VECTOR]) for one in outcomes),
            fmean(score_outcome(one, one.found.rows[LEXICAL]) for one in outcomes),
            fmean(score_outcome(one, reorder_hits(one, likeness)) for one in outcomes),
        )
        for name, outcomes in sets.items()
    ]


def score_outcome(outcome: QuestionOutcome, rows: Sequence[int]) -> float:
    return compute_ndcg(outcome.compute_gains(rows), len(outcome.question.places))


def reorder_hits(outcome: QuestionOutcome, likeness: Likeness) -> list[int]:
    """The rows as a search with this share of meaning would order them."""
    return [hit.row for hit in score_hits(outcome.found.hits, outcome.found.raised, likeness)]
