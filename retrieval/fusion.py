"""Two ranked lists into one, and one list into a varied few. Pure functions over row numbers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Vectors = Mapping[int, NDArray[np.float32]]


@dataclass(frozen=True)
class Hit:
    """A row that a query found. `row` is `ContextRow.number`.

    score: 0 to 1, where 1 is first in both branches. similarity: cosine, None where the row has no vector of the
    query's model. lexical: BM25, None where it is not among the best by words. terms: the matched terms (hashes of
    lexemes). neighbour_of: the row beside which this one stands, for rows that only came in with another. reranked: by
    whom, and where it was before; "" where nobody did. standing: what its record's references made of its score; "" for
    nothing.
    """

    row: int
    score: float
    similarity: float | None = None
    lexical: float | None = None
    terms: frozenset[int] = frozenset()
    neighbour_of: int | None = None
    reranked: str = ""
    standing: str = ""


def reciprocal_rank(rankings: Sequence[Sequence[int]], weights: Sequence[float], k: int) -> dict[int, float]:
    """Weighted reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009), scaled so that first everywhere is 1.

    rankings: row numbers, best first, one list a branch. Returns row -> score, which depends on the row's ranks only.
    """
    scores: dict[int, float] = {}
    best = sum(weights) / (k + 1)
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, row in enumerate(ranking, start=1):
            scores[row] = scores.get(row, 0.0) + weight / (k + rank) / best
    return scores


def in_order(scores: Mapping[int, float]) -> list[int]:
    """Best first; equal scores in the order of the rows' numbers, which hidden rows do not change."""
    return sorted(scores, key=lambda row: (-scores[row], row))


def diversify(
    scores: Mapping[int, float], vectors: Vectors, count: int, relevance: float, sure: Sequence[int] = ()
) -> list[int]:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): `count` rows that say different things.

    Each step takes the row with the greatest relevance * score - (1 - relevance) * (similarity to what is taken).
    Scores are taken relative to the best. A row without a vector is like nothing else. Vectors have length 1.
    sure: rows that are taken first, however much alike they are.
    """
    rows, sure = in_order(scores), list(dict.fromkeys(sure))
    if not rows:
        return []
    unlike = np.zeros(len(next(iter(vectors.values()), ())), dtype=np.float32)
    matrix = np.stack([vectors.get(row, unlike) for row in rows])
    relevant = relevance * np.array([scores[row] for row in rows]) / (scores[rows[0]] or 1.0)
    places = {row: n for n, row in enumerate(rows)}
    nearest, left = np.zeros(len(rows)), np.ones(len(rows), dtype=bool)
    taken: list[int] = []
    while len(taken) < min(count, len(rows)):
        if len(taken) < len(sure):
            best = places[sure[len(taken)]]
        else:
            best = int(np.argmax(np.where(left, relevant - (1 - relevance) * nearest, -np.inf)))
        left[best] = False
        taken.append(rows[best])
        nearest = np.maximum(nearest, matrix @ matrix[best])
    return taken


def spread(
    hits: Sequence[Hit], beside: Mapping[int, Sequence[tuple[int, int]]], weigh: Callable[[int], float]
) -> list[Hit]:
    """`hits` and the rows beside them, best first.

    beside: row -> (neighbour, distance). weigh: distance -> factor below 1. A neighbour has the score of its hit times
    the factor; one that is a hit itself keeps the better of the two, and counts as a hit.
    """
    found = {hit.row: hit for hit in hits}
    for hit in hits:
        for row, distance in beside.get(hit.row, ()):
            score = hit.score * weigh(distance)
            known = found.get(row, Hit(row, 0.0, neighbour_of=hit.row))
            if known.score < score:
                found[row] = replace(known, score=score)
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.row))


def cut(hits: Sequence[Hit], limit: int, kept: Collection[int]) -> list[Hit]:
    """The first `limit`, of which those in `kept` take the last places where they would come after. The best stays."""
    first = list(hits[:limit])
    late = [hit for hit in hits[limit:] if hit.row in kept][: max(0, limit - 1)]
    return [*first[: limit - len(late)], *late]
