"""The page on which administrators choose who may read text that nobody has judged yet; stewards see it too."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, STEWARD_OR_ADMIN, opens_own_scope, requires
from entities.access.routes import open_scope_satisfies
from entities.api.lists import load_atom_chips
from entities.models.classification import STEWARDS
from entities.stewards_level import make_stewards_level
from ingestion.desk_views import get_scope
from ingestion.errors import BadUpload
from ingestion.resting import change_resting, list_resting_choices, load_resting_label, prepare_resting


@opens_own_scope
@requires(STEWARD_OR_ADMIN)
@never_cache
@require_http_methods(["GET", "POST"])
def resting(request: HttpRequest) -> HttpResponse:
    """The choice; with `to`, who gains and who loses by another one; POST makes it."""
    scope, problem = get_scope(request), ""
    with scope.open():
        may_change = open_scope_satisfies(scope, ADMIN)
    if request.method == "POST" and not may_change:
        raise PermissionDenied
    given = request.POST.get("to") or request.GET.get("to") or ""
    to = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
    if request.method == "POST" and to is not None:
        try:
            with scope.open():
                change_resting(scope=scope, label=to)
            messages.success(request, gettext("New text is judged as before; who reads it until then has changed."))
            return redirect("ingestion:resting")
        except BadUpload as refusal:
            problem = str(refusal)
    with scope.open():
        counts_stewards = may_change and to == STEWARDS
        if counts_stewards:
            make_stewards_level()  # to count with; where nobody has chosen it yet, it goes again
        now, chips = load_resting_label(), load_atom_chips()
        choices = [(level, chips[level.value]) for level in list_resting_choices()]
        chosen = now if to is None else to
        asked = may_change and to is not None and to in chips and to != now
        context = {
            "choices": choices,
            "stewards": STEWARDS,
            "now": now,
            "chosen": chosen,
            "sight": prepare_resting(scope, to) if asked and to is not None else None,
            "problem": problem,
            "may_change": may_change,
        }
        response = render(request, "ingestion/resting.html", context, status=422 if problem else 200)
        if counts_stewards:
            transaction.set_rollback(True)
        return response
