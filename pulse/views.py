"""The Pulse panel of a record."""

import re
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import Truncator
from django.views.decorators.http import require_POST, require_safe

from entities.access import MEMBER, Scope, get_entity_or_404, has_permission, requires
from entities.api.lists import list_atom_chips, list_chips
from entities.models import Entity
from pulse.reader import allow_service_role, list_latest, load_citation_links, load_pulse_view, refresh_pulse

RECENT = 4
"""Pulses on the home page."""


MARKS = re.compile(r"(?:(?<!\s)\s++)?\[citation:\d{1,9}\]|^[^\S\n]*(?:#+|[-*+>])\s+|[*`]", re.MULTILINE)
"""Citations and Markdown's marks, which the first words of a Pulse do without."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def panel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A part of the record's page, nothing (204) while it is as `?seen=` says, or a page of its own."""
    scope = get_scope(request)
    return panel_page(request, scope, get_entity_or_404(scope, pk))


@requires(MEMBER)
@require_safe
def recent(request: HttpRequest) -> HttpResponse:
    """A panel of the home page: how the Pulses written last begin."""
    scope = get_scope(request)
    rows = [(entity, pulse, cut_beginning(pulse.text)) for entity, pulse in list_latest(scope, RECENT)]
    return render(request, "pulse/pulse_recent.html", {"rows": rows})


@requires(MEMBER)
@require_POST
def refresh_now(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    refresh_pulse(scope, entity)
    return panel_page(request, scope, entity) if request.headers.get("HX-Request") else redirect("pulse:panel", pk)


@requires(MEMBER)
@require_POST
def allow_now(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give the role that writes Pulses the sight of a record; 403 for who may not share it."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    allow_service_role(scope, entity)
    return panel_page(request, scope, entity) if request.headers.get("HX-Request") else redirect("pulse:panel", pk)


def cut_beginning(text: str) -> str:
    """At most 220 characters of plain text."""
    return Truncator(" ".join(MARKS.sub("", text).split())).chars(220)


def panel_page(request: HttpRequest, scope: Scope, entity: Entity) -> HttpResponse:
    view = load_pulse_view(scope, entity)
    partial = bool(request.headers.get("HX-Request"))
    if view.state == "off" and partial:
        return HttpResponse("")
    if partial and request.method == "GET" and request.GET.get("seen") == view.token:
        return HttpResponse(status=204)
    context = {
        "entity": entity,
        "view": view,
        "links": load_citation_links(scope, view.pulse) if view.pulse else {},
        "labels": list_chips(view.pulse.data_classification) if view.pulse else [],
        "requires": list_atom_chips(view.requires),
        "may_share": view.state == "no_access" and has_permission(scope, entity, "share"),
    }
    return render(request, "pulse/pulse_panel.html" if partial else "pulse/pulse_detail.html", context)
