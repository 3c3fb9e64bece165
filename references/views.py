"""The references panel of a record, the form of a new one, and the graph as a page."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from entities.access import MEMBER, Scope, get_entity_or_404, has_permission, requires
from entities.models import Entity
from references import actions
from references.api import get_reference_or_404
from references.forms import ReferenceForm, find_target, find_targets
from references.panel import build_panel


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A part of the record's page; a page of its own where it is asked for alone."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    template = (
        "references/reference_panel.html" if request.headers.get("HX-Request") else "references/reference_list.html"
    )
    return render(request, template, {"entity": entity, "panel": build_panel(scope, entity)})


@requires(MEMBER)
@require_http_methods(["GET", "POST"])
def add(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    source = get_entity_or_404(scope, pk)
    finds = "find" in request.POST  # its button, without JavaScript: what was filled in stays
    given = request.POST if finds else request.GET
    chosen, q = find_target(scope, source, given.get("target", "")), given.get("q", "")
    if request.headers.get("HX-Request") and request.method == "GET":
        return render(request, "references/reference_targets.html", build_targets_context(scope, source, q, chosen))
    data = None if finds else request.POST or None
    form = ReferenceForm(scope, source, has_permission(scope, source, "change"), data, initial=given.dict())
    if form.is_valid():
        values = form.cleaned_data
        target = get_entity_or_404(scope, values.pop("target").pk)
        actions.add_reference(scope=scope, source=source, target=target, **values)
        messages.success(request, gettext("Added. Its text shows as soon as it has been classified."))
        return redirect("entities:detail", source.pk)
    if form.is_bound:
        chosen = form.cleaned_data.get("target")
    context = {"entity": source, "form": form, "q": q, **build_targets_context(scope, source, q, chosen)}
    return render(request, "references/reference_form.html", context, status=422 if form.is_bound else 200)


def build_targets_context(scope: Scope, source: Entity, q: str, chosen: Entity | None) -> dict[str, Any]:
    """For references/reference_targets.html: what `q` finds, behind what was chosen already."""
    found = find_targets(scope, source, q)
    if chosen is not None:
        found = [chosen, *(target for target in found if target.pk != chosen.pk)]
    return {"targets": found, "chosen": chosen}


@requires(MEMBER)
@require_POST
def remove(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    reference = get_reference_or_404(scope, pk)
    try:
        actions.remove_reference(scope=scope, reference=reference)
        messages.success(request, gettext("The reference was removed."))
    except ValueError as problem:
        messages.error(request, str(problem))
    return redirect("entities:detail", reference.source_id)
