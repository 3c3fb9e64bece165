"""Hybrid search under permission (design §5).

The invariant: a row that the scope may not see, by workspace, label, audience, object permission or the sources it was
drawn from, is filtered in the statements that rank, and never comes back. On the exact path, which is every search of
up to `Tuning.scan` visible rows and all of them in strict mode, it changes nothing else either: not the order,
not a score, not a count; statistics are taken over visible rows, and equal scores are ordered by row number. Where the
graph is walked instead, which of the near visible rows it comes to can depend on hidden ones (docs/adr/0013).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from entities.access import Scope, ScopeError, current
from entities.access.scope import cached
from entities.models import Entity
from llm.messages import Usage
from references.graph import walk
from retrieval.candidates import by_meaning, by_words, vectors_of
from retrieval.exact import Exact, word_for_word
from retrieval.fusion import Hit, Vectors, cut, diversify, in_order, reciprocal_rank, spread
from retrieval.gate import Gates, gate
from retrieval.neighbours import beside
from retrieval.phrases import Holders, narrowed, rows_with
from retrieval.query import LONGEST, PreparedQuery, Within, prepare
from retrieval.results import Result, load_results, rows_seen
from retrieval.standing import weighed
from retrieval.survey import survey
from retrieval.terms import Terms, terms_of
from retrieval.tuning import tuning

EVERYTHING = Within()
BEHIND = 0.999
"""Share of its passage's score that a summary with the same words keeps."""


@dataclass(frozen=True)
class Read:
    """by: `RankingSettings.Rerank`. model, usage: of the language model's call, where it answered."""

    by: str
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True)
class Found:
    """Everything that a question found, best first, before it is cut down.

    within: where it was looked for, with what references led to. linked: record that references led to -> the record
    that they led from. exact: what holds the question itself. quoted: what holds what is quoted; where there are rows,
    they alone were looked at. problem: why the reranker that the workspace wishes gave no order. read: what it took to
    have the best read again, where that was done or tried. opened: the opening of the scope in which it was found.
    """

    query: PreparedQuery
    terms: Terms
    hits: tuple[Hit, ...]
    within: Within = EVERYTHING
    linked: Mapping[UUID, UUID] = field(default_factory=dict)
    exact: Exact = field(default_factory=Exact)
    quoted: Holders = Holders()
    problem: str = ""
    read: Read | None = None
    opened: object = field(default=None, compare=False, repr=False)


def search(
    scope: Scope,
    query: str | PreparedQuery,
    *,
    within: Within = EVERYTHING,
    reference_depth: int = 0,
    limit: int = 10,
    floor: float | None = None,
) -> list[Result]:
    """The passages that answer `query` best among those that `scope` may see, at most `limit` (and `Tuning.most`).

    `scope` is open. A string is prepared here; where a network embedder is configured, `prepare` it before opening.
    reference_depth: widens `within.entities` by the records that references lead to, as the scope sees them. floor:
    in the place of `Tuning.floor`; -1 takes whatever there is, in its order, as a summary does.
    Raises: ScopeError when another scope is open; ValueError for a type that does not exist.
    """
    found = find(scope, query, within=within, reference_depth=reference_depth, floor=floor)
    return choose(scope, found, limit=limit)


def find(
    scope: Scope,
    query: str | PreparedQuery,
    *,
    within: Within = EVERYTHING,
    reference_depth: int = 0,
    floor: float | None = None,
) -> Found:
    """Both branches and their fusion. Raises as `search` does."""
    if current() != scope:
        raise ScopeError("a search is made in its own open scope")
    asked = prepare(query, scope) if isinstance(query, str) else query
    nothing = Found(asked, Terms({}), ())
    if not asked.text:
        return nothing
    within, linked = widen(scope, within, reference_depth)
    terms = terms_of(asked.words)
    through = gate(scope, within)
    quoted = rows_with(asked.quoted, through) if asked.quoted else Holders()
    if quoted.rows:
        through = narrowed(through, quoted.rows)
    size = survey(list(terms.words), through)
    near, worded = by_meaning(asked, through, size), by_words(terms, through, size)
    exact = word_for_word(asked, terms, worded)
    least = tuning().floor if floor is None else floor
    return Found(
        query=asked,
        terms=terms,
        hits=weighed(scope, _fused(near, worded, exact, least), max(tuning().pool, tuning().reranked)),
        within=within,
        linked=linked,
        exact=exact,
        quoted=quoted,
        opened=cached("opened", object),
    )


def widen(scope: Scope, within: Within, depth: int) -> tuple[Within, dict[UUID, UUID]]:
    """`within` with the records up to `depth` references away, and for each of those the record that led there."""
    if not depth or not within.entities:
        return within, {}
    roots = Entity.objects.visible_to(scope).filter(pk__in=list(within.entities)).values_list("pk", flat=True)
    walked = walk(scope, roots, depth)
    linked: dict[UUID, UUID] = {}
    for edge in walked.edges:
        for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
            if walked.depths[there] == walked.depths[here] + 1:
                linked.setdefault(there, here)
    return replace(within, entities=tuple(walked.depths) or within.entities), linked


def _fused(
    near: list[tuple[int, float]], worded: list[tuple[int, float, frozenset[int]]], exact: Exact, floor: float
) -> tuple[Hit, ...]:
    """Both branches by reciprocal rank. A row that is far off in meaning and holds no word is not an answer."""
    t = tuning()
    similarity = dict(near)
    lexical = {row: (score, terms) for row, score, terms in worded}
    near_rows = [row for row, value in near if value >= floor or row in lexical]
    scores = fuse(near_rows, list(lexical), exact, t.weights, t.rrf_k)
    none: tuple[None, frozenset[int]] = (None, frozenset())
    return tuple(Hit(row, scores[row], similarity.get(row), *lexical.get(row, none)) for row in in_order(scores))


def fuse(
    near: Sequence[int], worded: Sequence[int], exact: Exact, weights: tuple[float, float], k: int
) -> dict[int, float]:
    """row -> score. What holds the question itself is a third list, where there is any: in a large workspace a row that
    is not among the nearest in meaning would otherwise come after dozens that hold none of the words.
    """
    lists, given = [near, worded], [*weights]
    if exact.rows:
        lists, given = [*lists, exact.rows], [*given, tuning().exact]
    scores = reciprocal_rank(lists, given, k)
    for summary, passage in exact.behind.items():
        scores[summary] = min(scores[summary], scores[passage] * BEHIND)
    return scores


def still_found(scope: Scope, found: Found) -> Found:
    """`found` without what was hidden since, where it was found in a transaction before this one: neither the place nor
    the likeness of that may count.
    """
    if found.opened is cached("opened", object):
        return found
    seen = rows_seen([hit.row for hit in found.hits], _gate_of(scope, found)) if found.hits else set()
    return replace(found, hits=tuple(hit for hit in found.hits if hit.row in seen), opened=cached("opened", object))


def _gate_of(scope: Scope, found: Found) -> Gates:
    through = gate(scope, found.within)
    return narrowed(through, found.quoted.rows) if found.quoted.rows else through


def choose(scope: Scope, found: Found, *, limit: int = 10) -> list[Result]:
    """The best of what was found and is still seen, varied, with neighbours, as results."""
    t = tuning()
    limit = max(0, min(limit, t.most))
    found = still_found(scope, found)
    if not found.hits or not limit:
        return []
    through = _gate_of(scope, found)
    by_word = first_by_words(found.hits)
    pool = {hit.row: hit for hit in (*found.hits[: max(t.pool, limit)], *by_word)}
    vectors = vectors_of(list(pool), found.query.model_id)
    scores = {row: hit.score for row, hit in pool.items()}
    sure = [row for row in found.exact.rows if row in pool][: t.sure]
    # In the order in which they were taken: by score, copies of one text would take all places before the others.
    varied = diversify(scores, vectors, max(t.diverse, limit), t.mmr, [in_order(scores)[0], *sure])[:limit]
    asked = np.array(found.query.vector, dtype=np.float32)
    taken = [_measured(pool[row], vectors, asked) for row in dict.fromkeys([*varied, *(hit.row for hit in by_word)])]
    around = beside([hit.row for hit in taken], through, t.window)
    hits = cut(spread(taken, around, lambda distance: t.decay**distance), limit, {hit.row for hit in by_word})
    results = load_results(scope, hits, through, found.terms, found.linked)
    if len(results) < len(hits):
        # Something was hidden within this transaction.
        left = still_found(scope, replace(found, opened=None))
        if len(left.hits) < len(found.hits):
            return choose(scope, left, limit=limit)
    return results


def first_by_words(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The best by its words, where it is not among the nearest in meaning: what both branches found may all come before
    it, and no reranker may have read it, but it is shown.
    """
    worded = [hit for hit in hits if hit.lexical is not None]
    best = min(worded, key=lambda hit: (-(hit.lexical or 0.0), hit.row), default=None)
    return (best,) if best is not None and best.similarity is None else ()


def notices_of(found: Found) -> tuple[str, ...]:
    """Sentences for whoever asked: what this search could not do as it was asked."""
    told = []
    if found.query.cut:
        told.append(f"Only the first {LONGEST:,} characters of the question were read.")
    if quoted := found.quoted.notice(narrowed=not found.within.everywhere, nearest=bool(found.hits)):
        told.append(quoted)
    if found.problem:
        told.append(f"Not reranked: {found.problem} The order is that of the search.")
    if found.query.text and not found.query.vector:
        told.append("Searching by meaning is not available right now. These passages hold the words.")
    return tuple(told)


def _measured(hit: Hit, vectors: Vectors, asked: NDArray[np.float32]) -> Hit:
    """A row that only its words found has a similarity too, when it has a vector."""
    if hit.similarity is not None or hit.row not in vectors or not len(asked):
        return hit
    return replace(hit, similarity=float(vectors[hit.row] @ asked))
