"""The page of files in quarantine, for stewards."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import STEWARD, requires
from ingestion import quarantine
from ingestion.access import get_file_or_404
from ingestion.listing import build_file_view
from ingestion.views import extract_sentence, get_scope

PER_PAGE = 50
DONE = {
    "release": gettext_lazy("was released: it is published once it is labelled"),
    "reject": gettext_lazy("was rejected"),
    "take_back": gettext_lazy("is being read again; if it ends here once more, you decide again"),
}
"""What a decision has done, in words."""


@requires(STEWARD)
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """What is withheld and why, with what a steward can do about it."""
    found = Paginator(quarantine.list_quarantined(get_scope(request)), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "ingestion/quarantine.html", {"page": found})


@requires(STEWARD)
@require_POST
def review(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    decision = request.POST.get("decision", "")
    if decision not in DONE:
        messages.error(request, gettext("Choose whether to release or to reject it."))
        return redirect("ingestion:quarantine")
    name = build_file_view(scope, file).name
    try:
        quarantine.DECISIONS[decision](scope=scope, file=file)
    except APIException as refusal:
        messages.error(request, extract_sentence(refusal))
    else:
        messages.success(request, f"{name} {DONE[decision]}.")
    return redirect("ingestion:quarantine")
