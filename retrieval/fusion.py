"""Two scored lists into one, and one list into the few that a page has. Pure functions over row numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = Mapping[int, NDArray[np.float32]]


@dataclass(frozen=True)
class Hit:
    """A row that a query found. `row` is `ContextRow.number`.

    score: 0 to 1, where 1 is best in both branches. similarity: cosine, None where the row has no vector of the
    query's model. lexical: BM25 (`branches.search_words`), None where it is not among the best by words. terms: the
    matched terms (hashes of lexemes). neighbour_of: the row beside which this one stands, for rows that only came in
    with another. reranked: by whom, and where it was before; "" where nobody did. standing: what its record's
    references made of its score; "" for nothing. factor: by which they multiplied it.
    """

    row: int
    score: float
    similarity: float | None = None
    lexical: float | None = None
    terms: frozenset[int] = frozenset()
    neighbour_of: int | None = None
    reranked: str = ""
    standing: str = ""
    factor: float = 1.0


def blend_scores(
    similarity: Mapping[int, float], lexical: Mapping[int, float], meaning: float, floor: float
) -> dict[int, float]:
    """row -> the weighted mean of its cosine, from 0 for the farthest candidate, `floor` or farther, to 1 for the
    nearest, and of what its words explain of the question (Bruch, Gai and Ingber, TOIS 2023: a convex combination keeps
    what ranks forget, that one score is four times another). A row without one of the two has nothing of it. meaning:
    weight of the cosine, 0 to 1.
    """
    low, high = min(similarity.values(), default=floor), max(similarity.values(), default=0.0)
    low = min(low, floor)
    scores = {row: meaning * ((value - low) / (high - low) if high > low else 1.0) for row, value in similarity.items()}
    for row, value in lexical.items():
        scores[row] = scores.get(row, 0.0) + (1 - meaning) * value
    return scores


def skip_copies(rows: Sequence[int], vectors: Vectors, count: int, always: int, likeness: float) -> list[int]:
    """`count` of `rows`, in their order. The first `always` stay. Of the others, one that is as near as `likeness` to
    one above it gives its place to the next, and comes back only where there are too few. A row without a vector is
    like nothing else. Vectors have length 1.
    """
    taken: list[int] = []
    copies: list[int] = []
    known: list[NDArray[np.float32]] = []
    for row in rows:
        if len(taken) >= count:
            break
        vector = vectors.get(row)
        if len(taken) >= always and vector is not None and _find_max_similarity(vector, known) >= likeness:
            copies.append(row)
            continue
        taken.append(row)
        if vector is not None:
            known.append(vector)
    chosen = {*taken, *copies[: max(0, count - len(taken))]}
    return [row for row in rows if row in chosen]


def _find_max_similarity(vector: NDArray[np.float32], known: Sequence[NDArray[np.float32]]) -> float:
    return max((float(other @ vector) for other in known), default=-1.0)


def append_neighbours(
    hits: Sequence[Hit], neighbours: Mapping[int, Sequence[tuple[int, int]]], decay: float, limit: int
) -> list[Hit]:
    """The first `limit` of `hits` and, where there are fewer, rows beside them, below all that was found.

    neighbours: row -> (neighbour, distance). A neighbour has the score of its hit times `decay` for each step, and not
    more than the last hit leaves it.
    """
    found = {hit.row for hit in hits}
    ceiling = hits[-1].score * decay if hits else 0.0
    added: dict[int, Hit] = {}
    for hit in hits:
        for row, distance in neighbours.get(hit.row, ()):
            score = min(hit.score * decay**distance, ceiling)
            if row not in found and (row not in added or added[row].score < score):
                added[row] = Hit(row, score, neighbour_of=hit.row)
    return [*hits, *sorted(added.values(), key=lambda hit: (-hit.score, hit.row))][:limit]
