"""Optional: the best of what was found, put in another order by a model that reads question and passage together.

Off by default, chosen by workspace (`RankingSettings`): a cross-encoder from a local directory, or the language model.
No scope is open while a model runs, so a door makes three steps of a search: `find_hits` and `select_shortlist` in a
scope, `rerank_hits` in none, `choose_results` in a scope again, which asks for every row under the permissions of that
moment. Whatever fails, the fused order stays and the answer says so.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import connection

from entities.access import Scope
from ingestion.models import ContextRow
from llm import client, ranking
from llm.endpoints import get_endpoint
from llm.errors import BudgetExceeded, ModelError
from llm.prompts import Prompt
from retrieval.cross_encoder import RerankFailed, get_cross_encoder
from retrieval.fusion import Hit
from retrieval.models import RankingSettings
from retrieval.query import Within, prepare_query
from retrieval.search import EVERYTHING, FoundHits, Read, find_hits
from retrieval.tuning import load_tuning

logger = logging.getLogger(__name__)

LONGEST = 1_500
"""Characters of a passage that are read."""
Reranker = RankingSettings.Rerank
NAMES = {Reranker.CROSS_ENCODER: "the cross-encoder", Reranker.MODEL: "the model"}


@dataclass(frozen=True)
class Shortlist:
    """What is read again, best first. by: who reads. rows: their numbers; texts: in the same order."""

    by: Reranker
    rows: tuple[int, ...]
    texts: tuple[str, ...]


def select_shortlist(found: FoundHits) -> Shortlist | None:
    """The best of what was found, with its text, in the open scope; None where the workspace reranks nothing."""
    by = RankingSettings.objects.values_list("rerank", flat=True).first()
    rows = [hit.row for hit in found.hits[: load_tuning().reranked]]
    if by is None or by == Reranker.OFF or len(rows) < 2:
        return None
    texts: Mapping[int, str] = dict(ContextRow.objects.filter(number__in=rows).values_list("number", "text"))
    kept = [row for row in rows if row in texts]
    return Shortlist(Reranker(by), tuple(kept), tuple(texts[row][:LONGEST] for row in kept))


def rerank_hits(scope: Scope, found: FoundHits, short: Shortlist | None) -> FoundHits:
    """`found` in the order of the reranker, with no scope open. Raises nothing: a failure is a notice."""
    if short is None:
        return found
    if not connection.in_atomic_block:
        connection.close()  # somebody else may use it meanwhile
    order, read, problem = _order_shortlist(scope, found.query.text, short)
    found = replace(found, read=read, problem=problem)
    return found if problem else reorder_hits(found, order, NAMES[short.by])


def find_and_rerank(scope: Scope, text: str, *, within: Within = EVERYTHING, reference_depth: int = 0) -> FoundHits:
    """`find_hits`, reranked where the workspace wishes it. Opens the scope itself. Raises as `find_hits` does."""
    asked = prepare_query(text, scope)
    with scope.open():
        found = find_hits(scope, asked, within=within, reference_depth=reference_depth)
        short = select_shortlist(found)
    return rerank_hits(scope, found, short)


def _order_shortlist(scope: Scope, question: str, short: Shortlist) -> tuple[list[int], Read, str]:
    """Rows, best first; what that took; and why there is no order, where there is none."""
    read = Read(short.by)
    try:
        if short.by == Reranker.CROSS_ENCODER:
            scores = get_cross_encoder().scores(question, short.texts)
            return [row for _, row in sorted(zip(scores, short.rows, strict=True), key=lambda pair: -pair[0])], read, ""
        reply = _ask_model(scope, ranking.build_rerank_prompt(question, short.texts))
    except RerankFailed as problem:
        return [], read, str(problem)
    read = replace(read, model=reply.model, usage=reply.usage)
    places = ranking.read_order(reply.tool_uses, len(short.rows))
    if places is None:
        logger.warning("an answer to rerank in workspace %s was not of the form that was asked for", scope.workspace)
        return [], read, "the model's answer was not an order of the passages."
    left = [n for n in range(len(short.rows)) if n not in places]
    return [short.rows[n] for n in (*places, *left)], read, ""


def _ask_model(scope: Scope, prompt: Prompt) -> client.Reply:
    """Raises: RerankFailed."""
    if client.is_offline(scope.workspace):
        raise RerankFailed("no model is configured.")
    if get_endpoint(scope.workspace).labels != "tool":
        raise RerankFailed("the model does not use a tool that it has to use.")
    try:
        return client.complete(client.Call(scope.workspace, scope.principal, "rerank", "fast"), **prompt.request)
    except BudgetExceeded:
        raise RerankFailed("the workspace's budget for models is used up.") from None
    except ModelError as problem:
        raise RerankFailed(str(problem)) from problem


def reorder_hits(found: FoundHits, order: Sequence[int], by: str) -> FoundHits:
    """The rows of `order` first; their scores are dealt out anew, so that they still fall and stay from 0 to 1."""
    hits = {hit.row: hit for hit in found.hits}
    places = {row: place for place, row in enumerate((hit.row for hit in found.hits), start=1)}
    scores = sorted((hits[row].score for row in order), reverse=True)
    first: list[Hit] = [
        replace(hits[row], score=score, reranked=f"reranked by {by}, number {places[row]} before")
        for row, score in zip(order, scores, strict=True)
    ]
    taken = set(order)
    return replace(found, hits=(*first, *(hit for hit in found.hits if hit.row not in taken)), exact={})
