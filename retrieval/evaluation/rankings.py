"""The ranked lists that one question gets: of each branch, fused, reranked, and as chosen for a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from entities.access import Scope
from ingestion.models import ContextRow
from retrieval.boosts import add_boosts, boost_openings
from retrieval.fusion import Hit
from retrieval.gate import build_gates
from retrieval.query import PreparedQuery, Within
from retrieval.rerank import rerank_hits, select_shortlist
from retrieval.search import FoundHits, choose_results, find_hits
from retrieval.tuning import load_tuning

VECTOR, LEXICAL, FUSED, RERANKED, SHOWN = "vector", "lexical", "fused", "reranked", "shown"
RANKINGS = (VECTOR, LEXICAL, FUSED, RERANKED, SHOWN)
"""In the order of the path. `reranked` is `fused` where nobody reranks; `shown` is what is chosen for a page and given
by the API: varied, with neighbours. The page then puts passages of one file together (`retrieval.cards`)."""


@dataclass(frozen=True)
class Rankings:
    """rows: ranking -> row numbers, best first. nearest: similarity of the nearest passage, None where nothing was
    found. raised: what is added to scores beside words and meaning. hits: all that was found.
    """

    rows: Mapping[str, Sequence[int]]
    nearest: float | None
    raised: Mapping[int, float] = field(default_factory=dict)
    hits: Sequence[Hit] = ()


def rank_passages(scope: Scope, query: PreparedQuery, within: Within) -> Rankings:
    """Opens the scope itself, and not while a reranker runs. Raises as `search` does."""
    with scope.open():
        found = find_hits(scope, query, within=within)
        short = select_shortlist(found)
    ordered = rerank_hits(scope, found, short)
    with scope.open():
        return _build_rankings(scope, found, ordered)


def _build_rankings(scope: Scope, found: FoundHits, ordered: FoundHits) -> Rankings:
    results = choose_results(scope, ordered, limit=load_tuning().page)
    numbers = dict(ContextRow.objects.filter(pk__in=[result.id for result in results]).values_list("pk", "number"))
    lists = {
        **list_branches(found),
        RERANKED: [hit.row for hit in ordered.hits],
        SHOWN: [numbers[result.id] for result in results],
    }
    similarities = [hit.similarity for hit in found.hits if hit.similarity is not None]
    raised = add_boosts(found.exact, boost_openings(found.query, found.within, build_gates(scope, found.within)))
    return Rankings(lists, max(similarities, default=-1.0) if found.hits else None, raised, found.hits)


def list_branches(found: FoundHits) -> dict[str, list[int]]:
    """What each branch handed on, in its own order, and both together."""
    near = sorted((h for h in found.hits if h.similarity is not None), key=lambda h: (-(h.similarity or 0.0), h.row))
    worded = sorted((h for h in found.hits if h.lexical is not None), key=lambda h: (-(h.lexical or 0.0), h.row))
    # What only its words found has a similarity too, and comes after all that were near.
    return {
        VECTOR: [hit.row for hit in near[: load_tuning().candidates]],
        LEXICAL: [hit.row for hit in worded],
        FUSED: [hit.row for hit in found.hits],
    }
