"""The attachments of a conversation in its composer: files are dropped or chosen there, and stand there as chips."""

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages as flash
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from rest_framework.exceptions import APIException

from chat.access import get_entity, get_session_or_404
from chat.attachments import add_attachment, remove_attached
from chat.errors import BadMessage
from chat.readers import PRIVATE
from chat.session_actions import create_session
from chat.session_views import forbid_caching
from chat.views import build_chips, build_head, get_scope, is_uuid, panel
from entities.access import MEMBER, Scope, get_entity_or_404, requires
from entities.models import Entity
from ingestion.views import extract_sentence


@requires(MEMBER)
@require_POST
def attach_to_record(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Files for the conversation about a record that the form names, or for a new one."""
    scope = get_scope(request)
    return take_attachments(request, scope, get_entity_or_404(scope, pk))


@requires(MEMBER)
@require_POST
def attach_to_workspace(request: HttpRequest) -> HttpResponse:
    """Files for the conversation about the workspace that the form names, or for a new one."""
    return take_attachments(request, get_scope(request), None)


def take_attachments(request: HttpRequest, scope: Scope, entity: Entity | None) -> HttpResponse:
    """The chips, with a sentence for each file that was refused: it does not stop the others. Where none was taken, no
    conversation has begun.
    """
    # The page sends one file at a time, and a plain form has the conversation in its address.
    named = request.POST.get("session", request.GET.get("session", ""))
    session = get_session_or_404(scope, named) if is_uuid(named) else None
    if session is not None and session.entity_id != (entity and entity.pk):
        session = None
    talk, problems, taken = session, [], 0
    try:
        if talk is None:
            visibility = request.POST.get("visibility") or PRIVATE
            talk = create_session(scope=scope, entity=entity, visibility=visibility)
        sent: list[Any] = [*request.FILES.getlist("file")]
        for given in sent or [None]:
            try:
                add_attachment(scope=scope, session=talk, files={"file": given}, data={})
                taken += 1
            except APIException as refusal:
                problems.append(f"{given.name}: {extract_sentence(refusal)}" if given else extract_sentence(refusal))
    except BadMessage as problem:
        problems.append(str(problem))
    shown = talk if taken else session
    if not request.headers.get("HX-Request"):
        for sentence in problems:
            flash.error(request, sentence)
        if not taken:
            transaction.set_rollback(True)  # a redirection would keep what has begun
        if shown:
            return redirect("chat:session", shown.pk)
        return redirect("entities:detail", entity.pk) if entity else redirect("chat:new")
    if shown is None or not taken:  # what has begun is undone with the request
        chips = {**build_chips(scope, shown), "problems": problems}
        return forbid_caching(render(request, "chat/attached.html", chips, status=422))
    row = get_session_or_404(scope, shown.pk)
    context = {**build_chips(scope, row), "problems": problems, "posted": session is None}
    if session is None:
        context |= {**build_head(scope, entity, row), "client_id": uuid4().hex}
    response = forbid_caching(render(request, "chat/attached.html", context, status=202))
    if session is None and entity is None:
        response["HX-Replace-Url"] = reverse("chat:session", args=[row.pk])
    return response


@requires(MEMBER)
@require_safe
def attachments(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The chips, asked for while a file is read."""
    scope = get_scope(request)
    chips = build_chips(scope, get_session_or_404(scope, pk))
    return forbid_caching(render(request, "chat/attached.html", chips))


@requires(MEMBER)
@require_POST
def remove_attachment(request: HttpRequest, pk: UUID, file: UUID) -> HttpResponse:
    """Delete a file for good; the dock as it stands then, or back to the conversation."""
    scope = get_scope(request)
    session = get_session_or_404(scope, pk)
    remove_attached(scope=scope, session=session, pk=file)
    if not request.headers.get("HX-Request"):
        return redirect("chat:session", session.pk)
    return panel(request, scope, get_entity(scope, session), session)
