"""The page on which a steward gives what was not read of a file its label (docs/adr/0046)."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import STEWARD, opens_own_scope, requires
from entities.api.lists import list_atom_chips
from ingestion.access import get_file_or_404
from ingestion.desk_views import get_scope, read_labels
from ingestion.downloads import describe_refusal
from ingestion.listing import build_file_view
from ingestion.relabelling import list_own_chips
from ingestion.remainder_decisions import find_unread, settle_remainder


@requires(STEWARD)
@require_safe
def desk_file(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What was not read of one file, and the decision."""
    return show_file(request, pk)


def show_file(request: HttpRequest, pk: UUID, problem: str = "", status: int = 200) -> HttpResponse:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    unread = find_unread(scope, file)
    if unread is None:
        raise PermissionDenied(describe_refusal(file))
    ticked = set(read_labels(request.POST)) if problem else unread.atoms or frozenset()
    context = {
        "file": build_file_view(scope, file),
        "unread": unread,
        "chips": None if unread.atoms is None else list_atom_chips(unread.atoms),
        "labels": [(chip, chip.value in ticked) for chip in list_own_chips()],
        "reason": request.POST.get("reason", "") if problem else "",
        "problem": problem,
    }
    return render(request, "ingestion/desk_file.html", context, status=status)


@opens_own_scope
@requires(STEWARD)
@require_POST
def desk_file_decide(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A steward's labels, with a reason, which hold when the scope is closed; then back to the desk."""
    scope = get_scope(request)
    try:
        with scope.open():
            settle_remainder(
                scope=scope,
                file=get_file_or_404(scope, pk),
                labels=read_labels(request.POST),
                reason=request.POST.get("reason", ""),
                seen=request.POST.get("seen", ""),
            )
    except APIException as refused:
        with scope.open():
            return show_file(request, pk, str(refused.detail), refused.status_code)
    messages.success(request, gettext("Decided. The original is for everybody who is cleared for all of the file."))
    return redirect("ingestion:desk")
