"""Pages of the desk for many paragraphs at once: who gains and loses sight, and the same decision for all alike."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST
from rest_framework.exceptions import APIException

from entities.access import STEWARD, opens_own_scope, requires
from entities.api.lists import list_atom_chips
from entities.models.classification import PUBLIC
from ingestion.desk import accept_proposals, find_unchanged_items
from ingestion.desk_groups import preview_sight
from ingestion.desk_views import (
    build_desk_url,
    get_scope,
    read_labels,
    read_ticked_items,
    redirect_to_desk,
    report_left_out,
    say_changed,
)
from ingestion.errors import BadUpload
from ingestion.relabelling import check_decision, check_labels


def read_own_labels(given: QueryDict) -> list[int] | None:
    """The labels of a decision of the steward's own (`own`, `release` for Public), None where proposals are taken."""
    if given.get("release"):
        return [PUBLIC]
    return read_labels(given) if given.get("own") else None


@requires(STEWARD)
@require_POST
def desk_preview(request: HttpRequest) -> HttpResponse:
    """Who gains and who loses sight, before anything is decided: of `item`s as proposed, or (`own`) with `labels`."""
    scope, given = get_scope(request), request.POST
    shown = read_ticked_items(given)
    items = find_unchanged_items(scope, shown)
    labels = read_own_labels(given)
    try:
        atoms = None if labels is None else check_labels(labels)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
        return redirect_to_desk(request)
    report_left_out(request)
    context = {
        "items": items,
        "gone": len(shown) - len(items),
        "sight": preview_sight(scope, items, atoms),
        "own": labels is not None,
        "labels": [] if atoms is None else list_atom_chips(atoms),
        "reason": given.get("reason", ""),
        "query": given.get("query", ""),
        "back_url": build_desk_url(given),
        "back_name": gettext("Classification desk"),
        "decide_url": reverse("ingestion:desk_accept" if labels is None else "ingestion:desk_decide_all"),
    }
    return render(request, "ingestion/desk_preview.html", context)


@opens_own_scope
@requires(STEWARD)
@require_POST
def desk_decide_all(request: HttpRequest) -> HttpResponse:
    """The same `labels`, 0 for Public, with one `reason` for all `item`s, each as it was shown. They hold when the
    scope is closed. No labels at all are no decision."""
    scope, given = get_scope(request), request.POST
    shown = read_ticked_items(given)
    try:
        with scope.open():
            if not given.getlist("labels"):
                raise BadUpload(gettext("Choose labels, or Public."), "no_labels")
            atoms, reason = check_decision(read_labels(given), given.get("reason", ""))
            taken = accept_proposals(scope=scope, shown=shown, atoms=atoms, reason=reason)
    except APIException as refusal:
        messages.error(request, str(refusal.detail))
        return redirect_to_desk(request)
    done = taken.drop_missed()
    report_left_out(request)
    if done.accepted:
        messages.success(request, say_decided(len(done.accepted)))
    if done.changed:
        messages.warning(request, say_changed(len(done.changed)))
    return redirect_to_desk(request)


def say_decided(count: int) -> str:
    """The sentence about paragraphs that have their label now."""
    words = ngettext(
        "%(count)s paragraph decided. It holds from now on.",
        "%(count)s paragraphs decided. It holds from now on.",
        count,
    )
    return words % {"count": number_format(count, force_grouping=True)}
