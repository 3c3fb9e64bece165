"""The offer to have text judged that rests: a part of the pages "Model" and "New text"."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from entities.access import STEWARD_OR_ADMIN, opens_own_scope, requires
from entities.api.errors import Conflict
from ingestion.desk_views import get_scope
from ingestion.waiting import judge_waiting, measure_waiting


@opens_own_scope
@requires(STEWARD_OR_ADMIN)
@never_cache
@require_http_methods(["GET", "POST"])
def waiting(request: HttpRequest) -> HttpResponse:
    """How much is left, or how much waits, with what it takes; POST starts it."""
    scope = get_scope(request)
    if request.method == "POST":
        try:
            with scope.open():
                judge_waiting(scope=scope)
        except Conflict as refusal:
            messages.error(request, str(refusal.detail))
        if not request.headers.get("HX-Request"):
            return redirect("ingestion:resting")
    with scope.open():
        return render(request, "ingestion/waiting.html", {"waiting": measure_waiting(scope, left_first=True)})
