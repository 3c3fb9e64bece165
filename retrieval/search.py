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

from entities.access import Scope, ScopeError, get_current_scope
from entities.access.scope import load_once
from entities.models import Entity
from llm.messages import Usage
from references.graph import walk_links
from retrieval.boosts import add_boosts, boost_openings
from retrieval.branches import compare_rows, search_meaning, search_words
from retrieval.candidates import load_vectors
from retrieval.exact import boost_verbatim
from retrieval.fusion import Hit, append_neighbours, blend_scores, skip_copies
from retrieval.gate import Gates, build_gates
from retrieval.likeness import Likeness, get_likeness
from retrieval.neighbours import find_neighbours
from retrieval.phrases import Holders, find_rows, narrow_gates
from retrieval.precedence import follow_headings, load_origins, put_passages_first, weigh_summaries
from retrieval.query import LONGEST, PreparedQuery, Within, prepare_query, replace_text
from retrieval.results import SearchResult, filter_visible_rows, load_results
from retrieval.spelling import correct_words, replace_words
from retrieval.standing import weigh_by_salience
from retrieval.survey import run_survey
from retrieval.terms import Terms, build_terms
from retrieval.tuning import load_tuning

EVERYTHING = Within()


@dataclass(frozen=True)
class Read:
    """by: `RankingSettings.Rerank`. model, usage: of the language model's call, where it answered."""

    by: str
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True)
class FoundHits:
    """Everything that a question found, best first, before it is cut down.

    within: where it was looked for, with what references led to. linked: record that references led to -> the record
    that they led from. exact: what is added to the scores of rows that hold the question itself. quoted: what holds
    what is quoted; where there are rows, they alone were looked at. scored: all that was found, before headings gave
    their places to what stands under them. problem: why the reranker that the workspace wishes gave no order. read:
    what it took to have the best read again, where that was done or tried. opened: the opening of the scope in which it
    was found.
    """

    query: PreparedQuery
    terms: Terms
    hits: tuple[Hit, ...]
    within: Within = EVERYTHING
    linked: Mapping[UUID, UUID] = field(default_factory=dict)
    exact: Mapping[int, float] = field(default_factory=dict)
    quoted: Holders = Holders()
    scored: tuple[Hit, ...] = ()
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
) -> list[SearchResult]:
    """The passages that answer `query` best among those that `scope` may see, at most `limit` (and `Tuning.most`).

    `scope` is open. A string is prepared here; where a network embedder is configured, `prepare_query` it before.
    reference_depth: widens `within.entities` by the records that references lead to, as the scope sees them. floor:
    in the place of `Likeness.floor`; -1 takes whatever there is, in its order, as a summary does.
    Raises: ScopeError when another scope is open; ValueError for a type that does not exist.
    """
    found = find_hits(scope, query, within=within, reference_depth=reference_depth, floor=floor)
    return choose_results(scope, found, limit=limit)


def find_hits(
    scope: Scope,
    query: str | PreparedQuery,
    *,
    within: Within = EVERYTHING,
    reference_depth: int = 0,
    floor: float | None = None,
) -> FoundHits:
    """Both branches and their fusion. Raises as `search` does."""
    if get_current_scope() != scope:
        raise ScopeError("a search is made in its own open scope")
    asked = prepare_query(query, scope) if isinstance(query, str) else query
    nothing = FoundHits(asked, Terms({}), ())
    if not asked.text:
        return nothing
    within, linked = widen_by_references(scope, within, reference_depth)
    terms = build_terms(asked.words, asked.text)
    through = build_gates(scope, within)
    quoted = find_rows(asked.required, through) if asked.required else Holders()
    if quoted.rows:
        through = narrow_gates(through, quoted.rows)
    size = run_survey(terms.numbers, through)
    worded = search_words(asked, terms, through, size)
    if not asked.typed and not quoted.rows and (other := _correct_query(scope, asked, terms, worded)):
        return replace(find_hits(scope, other, within=within, floor=floor), linked=linked)
    near = search_meaning(asked, through, size)
    t = load_tuning()
    exact = boost_verbatim(asked, terms, worded)
    raised = add_boosts(exact, boost_openings(asked, within, through))
    least = get_likeness(asked.model_id).floor if floor is None else floor
    hits = _fuse_branches(asked, near, worded, raised, least)
    scored = weigh_by_salience(scope, hits, max(t.pool, t.reranked))
    return FoundHits(
        query=asked,
        terms=terms,
        hits=_place_hits(asked, scored, through),
        within=within,
        linked=linked,
        exact=exact,
        quoted=quoted,
        scored=scored,
        opened=load_once("opened", object),
    )


def _place_hits(asked: PreparedQuery, scored: Sequence[Hit], through: Gates) -> tuple[Hit, ...]:
    """What is drawn from passages behind those, and what stands under a heading in its place."""
    t = load_tuning()
    weighed = weigh_summaries(scored, load_origins(scored), t.summary)
    origins = load_origins(weighed[: max(t.pool, t.reranked)])
    placed = put_passages_first(weighed, origins)
    return follow_headings(asked, placed, through, origins)


def _correct_query(
    scope: Scope, asked: PreparedQuery, terms: Terms, worded: Sequence[tuple[int, float, frozenset[int]]]
) -> PreparedQuery | None:
    """The question with words that no visible text has replaced; None where there are none such, or nothing is near."""
    matched = set(terms.matched({term for _, _, found in worded for term in found}))
    unmatched = [word for word in terms.stems if word not in matched]
    replaced = correct_words(scope, asked.text, terms, unmatched) if unmatched else {}
    return replace_text(asked, replace_words(asked.text, replaced)) if replaced else None


def widen_by_references(scope: Scope, within: Within, depth: int) -> tuple[Within, dict[UUID, UUID]]:
    """`within` with the records up to `depth` references away, and for each of those the record that led there."""
    if not depth or not within.entities:
        return within, {}
    roots = Entity.objects.visible_to(scope).filter(pk__in=list(within.entities)).values_list("pk", flat=True)
    walked = walk_links(scope, roots, depth)
    linked: dict[UUID, UUID] = {}
    for edge in walked.edges:
        for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
            if walked.depths[there] == walked.depths[here] + 1:
                linked.setdefault(there, here)
    return replace(within, entities=tuple(walked.depths) or within.entities), linked


def _fuse_branches(
    asked: PreparedQuery,
    near: list[tuple[int, float]],
    worded: list[tuple[int, float, frozenset[int]]],
    raised: Mapping[int, float],
    floor: float,
) -> tuple[Hit, ...]:
    """Both branches by their scores. A row that is far off in meaning and holds no word is not an answer."""
    lexical = {row: (score, terms) for row, score, terms in worded}
    similarity = {row: value for row, value in near if value >= floor or row in lexical}
    similarity |= compare_rows(asked, [row for row in lexical if row not in similarity])
    none: tuple[None, frozenset[int]] = (None, frozenset())
    rows = sorted({*similarity, *lexical})
    hits = [Hit(row, 0.0, similarity.get(row), *lexical.get(row, none)) for row in rows]
    return score_hits(hits, raised, get_likeness(asked.model_id))


def score_hits(hits: Sequence[Hit], raised: Mapping[int, float], likeness: Likeness) -> tuple[Hit, ...]:
    """`hits` with the scores that they have among each other, best first; equal scores by row number.

    raised: what is added to scores. What holds the question itself is raised, where there is any: in a large workspace
    it may be far off in meaning, and short words of which there are many hardly count. likeness: of the encoder.
    """
    scores = blend_scores(
        {hit.row: hit.similarity for hit in hits if hit.similarity is not None},
        {hit.row: hit.lexical for hit in hits if hit.lexical is not None},
        likeness.meaning,
        likeness.floor,
    )
    scores = {row: score + raised.get(row, 0.0) for row, score in scores.items()}
    most = max(1 + max(raised.values(), default=0.0), *scores.values(), 0.0)
    scores = {row: score / most for row, score in scores.items()}
    scored = [replace(hit, score=min(1.0, scores[hit.row] * hit.factor)) for hit in hits]
    return tuple(sorted(scored, key=lambda hit: (-hit.score, hit.row)))


def drop_hidden_since(scope: Scope, found: FoundHits) -> FoundHits:
    """`found` without what was hidden since, where it was found in a transaction before this one: neither the place nor
    the likeness of that may count, nor what it led to, so what is left is scored and placed among itself.
    """
    if found.opened is load_once("opened", object):
        return found
    through = _get_gates(scope, found)
    rows = {hit.row for hit in (*found.scored, *found.hits)}
    seen = filter_visible_rows(sorted(rows), through) if rows else set()
    hits = found.hits
    if len(seen) < len(rows):
        exact = {row: lift for row, lift in found.exact.items() if row in seen}
        left = [hit for hit in found.scored if hit.row in seen]
        raised = add_boosts(exact, boost_openings(found.query, found.within, through))
        scored = score_hits(left, raised, get_likeness(found.query.model_id))
        hits = _place_hits(found.query, scored, through)
        if any(hit.reranked for hit in found.hits):
            # The order of the reranker stays, and the scores still fall.
            there = {hit.row for hit in hits}
            known = {hit.row: hit for hit in found.hits if hit.row in there}
            ordered = [*known.values(), *(hit for hit in hits if hit.row not in known)]
            falling = sorted((hit.score for hit in hits), reverse=True)
            hits = tuple(replace(hit, score=score) for hit, score in zip(ordered, falling, strict=True))
        found = replace(found, scored=scored)
    return replace(found, hits=hits, opened=load_once("opened", object))


def _get_gates(scope: Scope, found: FoundHits) -> Gates:
    through = build_gates(scope, found.within)
    return narrow_gates(through, found.quoted.rows) if found.quoted.rows else through


def choose_results(scope: Scope, found: FoundHits, *, limit: int = 10) -> list[SearchResult]:
    """The best of what was found and is still seen, without copies, with neighbours where there is room, as results."""
    t = load_tuning()
    limit = max(0, min(limit, t.most))
    found = drop_hidden_since(scope, found)
    if not found.hits or not limit:
        return []
    through = _get_gates(scope, found)
    pool = {hit.row: hit for hit in found.hits[: max(t.pool, limit)]}
    vectors, likeness = load_vectors(list(pool), found.query.model_id), get_likeness(found.query.model_id)
    hits = [pool[row] for row in skip_copies(list(pool), vectors, limit, t.always, likeness.copy)]
    if len(hits) < limit:
        hits = append_neighbours(hits, find_neighbours([hit.row for hit in hits], through, t.window), t.decay, limit)
    results = load_results(scope, hits, through, found.terms, found.linked, close=likeness.close)
    if len(results) < len(hits):
        # Something was hidden within this transaction.
        left = drop_hidden_since(scope, replace(found, opened=None))
        if len(left.hits) < len(found.hits):
            return choose_results(scope, left, limit=limit)
    return results


def list_notices(found: FoundHits, *, cut: bool = False) -> tuple[str, ...]:
    """Sentences for whoever asked: what this search could not do as it was asked. cut: whether the question was cut
    before it was prepared.
    """
    told = []
    if found.query.cut or cut:
        told.append(f"Only the first {LONGEST:,} characters of the question were read.")
    if found.query.typed:
        told.append(f"Showing results for “{found.query.text}”: no text that you may see has a word as it was typed.")
    if quoted := found.quoted.describe_lack(narrowed=not found.within.is_everywhere, nearest=bool(found.hits)):
        told.append(quoted)
    if found.problem:
        told.append(f"Not reranked: {found.problem} The order is that of the search.")
    if found.query.text and not found.query.vector:
        told.append("Searching by meaning is not available right now. These passages hold the words.")
    return tuple(told)
