"""How rare terms are among texts, and how alike bags of them are."""

import math
from collections import Counter
from collections.abc import Sequence


def compute_frequencies(units: Sequence[Sequence[str]]) -> dict[str, float]:
    """Rarity of each term among `units`, as in BM25 (Robertson and Zaragoza 2009, eq. 3.3)."""
    frequency = Counter(term for unit in units for term in set(unit))
    total = len(units)
    return {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}


def weigh_rarest(units: int) -> float:
    """The weight of a term that occurs in none of `units`."""
    return math.log(1 + (units + 0.5) / 0.5)


def compute_cosine(first: Sequence[str], second: Sequence[str], weights: dict[str, float]) -> float:
    """Cosine of two weighted bags of terms."""
    a, b = Counter(first), Counter(second)
    dot = sum(a[t] * b[t] * weights.get(t, 1.0) ** 2 for t in a.keys() & b.keys())
    if not dot:
        return 0.0
    norm_a = math.sqrt(sum((n * weights.get(t, 1.0)) ** 2 for t, n in a.items()))
    norm_b = math.sqrt(sum((n * weights.get(t, 1.0)) ** 2 for t, n in b.items()))
    return dot / (norm_a * norm_b)


def sum_cosines(bags: Sequence[Sequence[str]], weights: dict[str, float]) -> list[float]:
    """For each bag the sum of its cosines with all others, in linear time: its product with the sum of all vectors."""
    vectors = [build_unit_vector(bag, weights) for bag in bags]
    total: dict[str, float] = {}
    for vector in vectors:
        for term, share in vector.items():
            total[term] = total.get(term, 0.0) + share
    return [sum(share * total[term] for term, share in vector.items()) - bool(vector) for vector in vectors]


def build_unit_vector(bag: Sequence[str], weights: dict[str, float]) -> dict[str, float]:
    """Of a weighted bag of terms; empty for an empty bag."""
    weighted = {term: count * weights.get(term, 1.0) for term, count in Counter(bag).items()}
    norm = math.sqrt(sum(share * share for share in weighted.values()))
    return {term: share / norm for term, share in weighted.items()}
