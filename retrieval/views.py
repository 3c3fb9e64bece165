"""Search page, suggestions under the search field, related records, and the preview of a citation."""

import time
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from entities.access import MEMBER, Scope, get_entity_or_404, opens_own_scope, requires
from entities.api.lists import list_atom_chips
from entities.errors import too_many_requests
from entities.model_markdown import CitationLink
from entities.models import Entity
from retrieval.audit import list_disclosed, note_search
from retrieval.cards import Card, group_cards, name_sent_files, put_each_alone
from retrieval.citation_links import check_support, narrow_citation, read_claim
from retrieval.dates import NEWEST, choose_newest
from retrieval.facets import count_facets, name_filters
from retrieval.faint import drop_faint
from retrieval.locate import resolve_citation
from retrieval.nearby import group_nearby_by_row
from retrieval.owners import get_citing_or_404
from retrieval.pace import TooManySearches, check_search_pace
from retrieval.params import ParsedQuery, read_search_query
from retrieval.refs import build_entity_ref
from retrieval.related import find_related
from retrieval.rerank import find_and_rerank
from retrieval.search import FoundHits, choose_results, drop_hidden_since, list_notices
from retrieval.suggest import suggest_names
from retrieval.support import list_citing_sentences
from retrieval.tuning import load_tuning

SUGGESTED = 4
"""What `sort` says for the best results in the order in which they came in."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@opens_own_scope
@requires(MEMBER)
@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx its results alone."""
    scope = get_scope(request)
    try:
        check_search_pace(scope)
    except TooManySearches as refused:
        return too_many_requests(request, str(refused))
    asked = read_search_query(scope, request.GET)
    started, found = time.monotonic(), None
    if asked.text and not asked.problems:
        found = find_and_rerank(scope, asked.text, within=asked.within, reference_depth=asked.reference_depth)
    template = "retrieval/search_results.html" if request.htmx else "retrieval/search.html"  # type: ignore[attr-defined]
    with scope.open():
        context = {
            "asked": asked,
            "filter_names": name_filters(),
            **found_context(request, asked, found, started),
        }
        return render(request, template, context, status=422 if asked.problems else 200)


def found_context(request: HttpRequest, asked: ParsedQuery, found: FoundHits | None, started: float) -> dict[str, Any]:
    scope = get_scope(request)
    records = Entity.objects.readable_by(scope).filter(pk__in=list(asked.within.entities))
    narrowed = {"records": [build_entity_ref(scope, record) for record in records]}
    if found is None:
        return narrowed
    everything, faint = drop_hidden_since(scope, found), "faint" in request.GET
    found = everything if faint else drop_faint(everything)
    by_date = request.GET.get("sort") == NEWEST
    days: dict[UUID, datetime] = {}
    if by_date:
        dated = choose_newest(scope, found)
        results, days = dated.results[: asked.limit], dated.days
        there_is_more = len(dated.results) > asked.limit
    else:
        results = choose_results(scope, found, limit=asked.limit)
        there_is_more = len(results) == asked.limit < min(len(found.hits), load_tuning().most)
    note_search(
        scope,
        "page",
        found,
        asked.within,
        list_disclosed(results),
        started,
        depth=asked.reference_depth,
        written=asked.written,
    )
    beside = group_nearby_by_row(scope, results)
    results = name_sent_files(scope, results)
    cards = [Card(result, beside.get(result.id, ()), found.query.text, days.get(result.id)) for result in results]
    within = asked.within
    return {
        **narrowed,
        # As the facets count them.
        "found_count": sum(result.is_found for result in results),
        "beside_count": sum(not result.is_found for result in results),
        "cards": cards,
        "groups": put_each_alone(cards)
        if by_date
        else group_cards(cards, fold=not (within.files or within.entities or within.sessions)),
        "sort": NEWEST if by_date else "",
        "completed": [] if results else suggest_names(scope, asked.text, limit=SUGGESTED),
        "faint_url": build_page_url(request, faint="1") if everything.hits and not found.hits else "",
        "facets": count_facets(
            scope, found, asked.chosen, asked.reference_depth, operators=asked.operators, faint=faint
        ),
        "more_url": build_page_url(request, limit=min(asked.limit + load_tuning().page, load_tuning().most))
        if there_is_more
        else "",
        "everywhere_url": f"{request.path}?{urlencode({'q': asked.text})}",
        "notices": list_notices(found, cut=asked.cut),
        "by_words": not found.query.vector,
        "narrowed": narrowed["records"] or any(vars(asked.within).values()),
    }


def build_page_url(request: HttpRequest, **changed: object) -> str:
    """This page with other parameters."""
    params = request.GET.copy()
    for name, value in changed.items():
        params[name] = str(value)
    return f"{request.path}?{params.urlencode()}"


@requires(MEMBER)
@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """Answers the search field of the top bar."""
    found = suggest_names(get_scope(request), request.GET.get("q", ""))
    return render(request, "components/suggestions.html", {"suggestions": found})


@requires(MEMBER)
@require_safe
def related_panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A panel of the record's page."""
    scope = get_scope(request)
    return render(
        request, "retrieval/related_panel.html", {"related": find_related(scope, get_entity_or_404(scope, pk))}
    )


@requires(MEMBER)
@require_safe
def citation_preview(request: HttpRequest, pk: UUID, n: int) -> HttpResponse:
    """What a citation chip shows when it is pointed at: the passage under today's labels, or that it is gone."""
    scope = get_scope(request)
    citing = get_citing_or_404(scope, pk)
    found = resolve_citation(scope, citing.owner, n)
    if found is None:
        raise Http404("Not found.")
    # Which of the markers of this number, where a text cites a passage for several sentences.
    at = request.GET.get("at", "0")
    citing_it = [place.sentence for place in list_citing_sentences(citing.text) if (place.n, str(place.at)) == (n, at)]
    question, sentences = read_claim(citing, found, citing_it)
    resolved = narrow_citation(found, sentences)
    if resolved.located is None:
        return render(request, "components/citation_preview.html", {"gone": True})
    context = {
        "citation": CitationLink(n, resolved.name, resolved.url(scope), resolved.where),
        "text": resolved.preview,
        "labels": list_atom_chips(resolved.located.atoms),
        "support": check_support(question, resolved, sentences),
    }
    return render(request, "components/citation_preview.html", context)
