"""Pages of requests for access: asking from a placeholder, what came of it, and what waits for stewards."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.exceptions import APIException

from entities.access import MEMBER, Scope, get_entity_or_404, load_concealed_atoms, load_granted_atoms, requires
from entities.api.lists import load_atom_chips
from ingestion.access import get_file_or_404, is_steward
from ingestion.errors import BadUpload
from ingestion.listing import build_file_view
from ingestion.models import AccessRequest, Extent
from ingestion.request_presenter import present_requests
from ingestion.requests import (
    LONGEST_MESSAGE,
    State,
    Wish,
    ask_for_access,
    build_in_force_q,
    decide_access,
    find_open_request,
    find_spot,
    get_request_or_404,
    mark_decisions_disclosed,
    recall_request,
    select_requests,
    select_to_decide,
)

LISTED = 50
WAITING = 20
ENDS = {
    "1": gettext_lazy("for a day"),
    "7": gettext_lazy("for a week"),
    "30": gettext_lazy("for a month"),
    "365": gettext_lazy("for a year"),
    "": gettext_lazy("without an end"),
}
"""Days that a grant may last, as the page offers them."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def access_requests(request: HttpRequest) -> HttpResponse:
    """What waits for the caller to decide, what they asked for, and for stewards what was decided: first what is in
    force, which they may withdraw."""
    scope = get_scope(request)
    mine = list(select_requests(scope).filter(requester=scope.principal)[:LISTED])
    others = select_requests(scope).exclude(requester=scope.principal).exclude(state=State.OPEN)
    page = Paginator(others.order_by(Case(When(build_in_force_q(), then=0), default=1), "-decided_at", "pk"), LISTED)
    decided = page.get_page(request.GET.get("page"))
    # Few at once, because each of them counts what granting it would show.
    pending = Paginator(select_to_decide(scope).order_by("created_at", "pk"), WAITING).get_page(
        request.GET.get("waiting")
    )
    context = {
        "waiting": present_requests(scope, pending.object_list),
        "pending": pending,
        "mine": present_requests(scope, mine),
        "decided": present_requests(scope, decided.object_list),
        "page": decided,
        "decides": is_steward(scope),
        "ends": list(ENDS.items()),
    }
    response = render(request, "ingestion/access_requests.html", context)
    mark_decisions_disclosed(scope, mine)
    return response


@requires(MEMBER)
@require_safe
def access_requests_waiting(request: HttpRequest) -> HttpResponse:
    """For the top bar: requests to decide on."""
    context = {"waiting": select_to_decide(get_scope(request)).count()}
    return render(request, "ingestion/access_requests_waiting.html", context)


def read_wish(given: QueryDict) -> Wish:
    labels = tuple(int(v) for v in given.getlist("labels") if v.isascii() and v.isdigit() and len(v) < 6)
    place = given.get("run", "")
    run = int(place) if place.isascii() and place.isdigit() and len(place) < 6 else None
    entity, file = _parse_uuid(given.get("entity", "")), _parse_uuid(given.get("file", ""))
    return Wish(entity, file, None, labels, given.get("message", ""), run, given.get("field", "")[:64])


@requires(MEMBER)
@require_http_methods(["GET", "HEAD", "POST"])
def access_ask(request: HttpRequest) -> HttpResponse:
    """From a placeholder: `entity` or `file`, `labels`, `message`, and where to go on (`next`)."""
    scope = get_scope(request)
    if request.method != "POST":
        return ask_page(request, scope, read_wish(request.GET))
    wish = read_wish(request.POST)
    try:
        _, new = ask_for_access(scope=scope, wish=wish)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
    else:
        messages.success(
            request,
            gettext("Sent to the stewards.")
            if new
            else gettext("You have already asked for this. Your request is waiting."),
        )
    return redirect(get_return_url(request))


def ask_page(request: HttpRequest, scope: Scope, wish: Wish) -> HttpResponse:
    file = get_file_or_404(scope, wish.file) if wish.file else None
    entity = get_entity_or_404(scope, file.entity_id if file else wish.entity or UUID(int=0))
    chips, known = load_atom_chips(), {0, *load_granted_atoms(), *load_concealed_atoms()}
    atoms = sorted({atom for atom in wish.labels if atom in chips and atom not in known})
    try:
        spot = find_spot(scope, entity, file, wish)
    except BadUpload:
        spot = None
    positions = list(spot.positions) if spot else []
    context = {
        "wish": wish,
        "entity": entity,
        "file": build_file_view(scope, file) if file else None,
        "wanted": [chips[atom] for atom in atoms],
        "waiting": find_open_request(scope, entity.pk, wish.file, atoms, positions),
        "spot": spot,
        "next": request.GET.get("next", ""),
        "longest": LONGEST_MESSAGE,
    }
    return render(request, "ingestion/access_ask.html", context)


def get_return_url(request: HttpRequest) -> str:
    """Back to the page that the placeholder is on, of this host only."""
    there = request.POST.get("next", "")
    same_host = url_has_allowed_host_and_scheme(there, {request.get_host()}, require_https=request.is_secure())
    return there if same_host and there.startswith("/") else "ingestion:access_requests"


def _parse_uuid(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None


DONE = {
    State.GRANTED: gettext_lazy("Granted."),
    State.REFUSED: gettext_lazy("Declined."),
    State.WITHDRAWN: gettext_lazy("Withdrawn."),
    State.RECALLED: gettext_lazy("You took your request back."),
}


@requires(MEMBER)
@require_POST
def access_decide(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A steward's decision: `state`, `reason`, and of a grant its `extent` and the `days` that it lasts ("" for no
    end); or who asked takes it back, and goes on to `next`."""
    scope, given = get_scope(request), request.POST
    row: AccessRequest = get_request_or_404(scope, pk)
    state, days, extent = given.get("state", ""), given.get("days", ""), given.get("extent", Extent.LEVEL)
    grants = state == State.GRANTED
    if state not in DONE or (grants and (days not in ENDS or extent not in Extent.values)):
        messages.error(request, gettext("Choose whether to grant or to decline it."))
        return redirect("ingestion:access_requests")
    until = timezone.now() + timedelta(days=int(days)) if grants and days else None
    try:
        if state == State.RECALLED:
            recall_request(scope=scope, request=row)
        else:
            reason = given.get("reason", "")
            decide_access(scope=scope, request=row, state=state, reason=reason, until=until, extent=extent)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
    else:
        messages.success(request, DONE[State(state)])
    return redirect(get_return_url(request))
