"""The page of notifications, and their count for the top bar."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from entities.access import MEMBER, requires
from ingestion.notices import KEPT, find_last_look, list_new, list_notices, mark_as_read


@requires(MEMBER)
@never_cache
@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """What concerns the caller, the latest first; what is shown is not new any more."""
    scope = request.access_scope  # type: ignore[attr-defined]
    seen = find_last_look(scope)
    listed = [replace(notice, new=notice.at > seen and not notice.told) for notice in list_notices(scope)]
    response = render(request, "ingestion/notices.html", {"notices": listed, "days": KEPT.days})
    if request.method == "GET":
        mark_as_read(scope, listed)
    return response


@requires(MEMBER)
@require_safe
def notices_waiting(request: HttpRequest) -> HttpResponse:
    """How many are new: as many as the page marks."""
    scope = request.access_scope  # type: ignore[attr-defined]
    return render(request, "ingestion/notices_waiting.html", {"count": len(list_new(scope))})
