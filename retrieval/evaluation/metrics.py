"""Figures of ranked lists. Pure functions; docs/evaluation.md says how they count, tests have them computed by hand."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from math import log2

DEPTH = 10
"""k of nDCG@k."""
FAR = 20
"""Where nothing that answers stands among so many, the question failed."""


@dataclass(frozen=True)
class JudgedPassage:
    """A passage of a ranked list. unit: what it is one of (a page, a file, or itself). places: numbers of the places
    that it shows.
    """

    unit: Hashable
    places: frozenset[int] = frozenset()


def count_gains(ranked: Iterable[JudgedPassage]) -> list[int]:
    """How many places each rank shows for the first time.

    What only shows again what stands above it, a page or a place, is left out and takes no rank.
    """
    units: set[Hashable] = set()
    places: set[int] = set()
    found = []
    for one in ranked:
        new = one.places - places
        if not new and (one.places or one.unit in units):
            continue
        found.append(len(new))
        units.add(one.unit)
        places |= new
    return found


def compute_ndcg(found: Sequence[int], places: int, k: int = DEPTH) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen, 2002), 0 to 1: the ideal list shows one place a
    rank, so a passage that shows two cannot lift it above 1.
    """
    gain = sum(count / log2(rank + 1) for rank, count in enumerate(found[:k], start=1))
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(places, k) + 1))
    return min(1.0, gain / ideal)


def compute_recall(found: Sequence[int], places: int, k: int) -> float:
    """Share of the places that the first k ranks show."""
    return sum(found[:k]) / places


def find_first_gain(found: Sequence[int]) -> int | None:
    """The first rank that shows a place, from 1."""
    return next((rank for rank, count in enumerate(found, start=1) if count), None)


@dataclass(frozen=True)
class RankingFigures:
    """Means over questions. None where the list is too short to tell. failure_20: share of questions none of whose
    places stands among the first 20.
    """

    ndcg_10: float
    mrr: float
    recall_5: float
    recall_10: float
    recall_20: float | None = None
    failure_20: float | None = None


NAMES = {
    "ndcg_10": "nDCG@10",
    "mrr": "MRR",
    "recall_5": "recall@5",
    "recall_10": "recall@10",
    "recall_20": "recall@20",
    "failure_20": "failure@20",
}


def compute_figures(found: Sequence[int], places: int, *, far: bool = True) -> RankingFigures:
    """Of one question. far: whether the list is as long as `FAR`."""
    rank = find_first_gain(found)
    return RankingFigures(
        compute_ndcg(found, places),
        1 / rank if rank else 0.0,
        compute_recall(found, places, 5),
        compute_recall(found, places, 10),
        compute_recall(found, places, FAR) if far else None,
        float(rank is None or rank > FAR) if far else None,
    )


def compute_mean(of: Sequence[RankingFigures]) -> RankingFigures:
    """Raises: ValueError for none."""
    if not of:
        raise ValueError("no questions to take a mean of")
    values = {}
    for field in fields(RankingFigures):
        known = [value for one in of if (value := getattr(one, field.name)) is not None]
        values[field.name] = sum(known) / len(known) if known else None
    return RankingFigures(**values)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Silence:
    """What questions without an answer get. nothing: share of them that find nothing. low: share whose nearest passage
    is farther off in meaning than `line`, which 95 of 100 answerable questions pass.
    """

    questions: int
    nothing: float
    low: float
    line: float


def compute_silence(answered: Sequence[float | None], unanswerable: Sequence[float | None]) -> Silence | None:
    """Given the similarity of the nearest passage to each question, None where nothing was found."""
    if not unanswerable:
        return None
    known = sorted(-1.0 if value is None else value for value in answered)
    line = known[len(known) // 20] if known else -1.0
    count = len(unanswerable)
    return Silence(
        count,
        sum(value is None for value in unanswerable) / count,
        sum(value is None or value < line for value in unanswerable) / count,
        line,
    )
