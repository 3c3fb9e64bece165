"""Rankings side by side, with the one that anybody would try first: whether search is better than its parts.

Of each the first passages are looked at, as many as are chosen for a page of results: the page has no others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from retrieval.evaluation.baseline import BASELINE
from retrieval.evaluation.metrics import compute_ndcg, find_first_gain
from retrieval.evaluation.rankings import FUSED, LEXICAL, SHOWN, VECTOR
from retrieval.evaluation.run import QuestionOutcome
from retrieval.tuning import load_tuning

PLAIN = "plain"
"""Reciprocal rank fusion of both branches with equal weights, and nothing else."""
RRF_K = 60
TITLES = {
    BASELINE: "BM25, title and text",
    VECTOR: "by meaning",
    LEXICAL: "by words",
    PLAIN: "plain rank fusion",
    FUSED: "fused",
    SHOWN: "chosen",
}
HITS = (1, 5, 10)


@dataclass(frozen=True)
class ComparisonFigures:
    """Means over answerable questions. hits: k -> share of them with a place among the first k."""

    hits: Mapping[int, float]
    ndcg_10: float


def compare_rankings(outcomes: Sequence[QuestionOutcome]) -> dict[str, ComparisonFigures]:
    """Ranking -> its figures, of questions with an answer. Raises: ValueError for none."""
    answered = [one for one in outcomes if one.question.places]
    if not answered:
        raise ValueError("no questions to compare rankings by")
    return {ranking: _compute_comparison(answered, ranking) for ranking in TITLES}


def compute_set_means(compared: Sequence[Mapping[str, ComparisonFigures]]) -> dict[str, ComparisonFigures]:
    """The means over sets, each of which counts once, however many questions it has."""
    return {
        ranking: ComparisonFigures(
            {k: fmean(one[ranking].hits[k] for one in compared) for k in HITS},
            fmean(one[ranking].ndcg_10 for one in compared),
        )
        for ranking in TITLES
    }


def _compute_comparison(answered: Sequence[QuestionOutcome], ranking: str) -> ComparisonFigures:
    gains = [one.compute_gains(_select_ranked_rows(one, ranking)) for one in answered]
    ranks = [find_first_gain(found) for found in gains]
    return ComparisonFigures(
        {k: fmean(rank is not None and rank <= k for rank in ranks) for k in HITS},
        fmean(compute_ndcg(found, len(one.question.places)) for found, one in zip(gains, answered, strict=True)),
    )


def _select_ranked_rows(outcome: QuestionOutcome, ranking: str) -> Sequence[int]:
    rows = outcome.found.rows
    ranked = fuse_ranks(rows[VECTOR], rows[LEXICAL]) if ranking == PLAIN else rows.get(ranking, ())
    return ranked[: load_tuning().page]


def fuse_ranks(*rankings: Sequence[int]) -> list[int]:
    """Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009); equal scores by row number."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking, start=1):
            scores[row] = scores.get(row, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda row: (-scores[row], row))


def format_comparison(compared: Mapping[str, ComparisonFigures]) -> Iterator[str]:
    yield "".join([f"{'':22}", *(f"{f'hit@{k}':>10}" for k in HITS), f"{'nDCG@10':>10}"])
    for ranking, figures in compared.items():
        cells = [*(figures.hits[k] for k in HITS), figures.ndcg_10]
        yield "".join([f"{TITLES[ranking]:22}", *(f"{value:10.3f}" for value in cells)])


def build_comparison_json(compared: Mapping[str, ComparisonFigures]) -> dict[str, dict[str, float]]:
    return {
        ranking: {**{f"hit_{k}": figures.hits[k] for k in HITS}, "ndcg_10": figures.ndcg_10}
        for ranking, figures in compared.items()
    }
