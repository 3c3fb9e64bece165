"""Pages of one's conversations: the list with its search, the panel of the home page, and what can be done to one."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.http import urlencode
from django.utils.translation import gettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from chat import session_actions
from chat.access import (
    find_sessions,
    get_own_session_or_404,
    get_session_or_404,
    load_entities,
    select_dated_sessions,
    select_own_sessions,
)
from chat.errors import BadMessage
from chat.export import export_markdown
from chat.models import Session
from entities.access import MEMBER, Scope, requires

RECENT = 6
PAGE = 25
OF_LIST = ("archived", "q", "page")
"""Parameters of the list of conversations, which a form in a row of it sends along."""


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def conversations(request: HttpRequest) -> HttpResponse:
    """The conversations that the caller reads, by date."""
    scope = get_scope(request)
    archived = request.GET.get("archived") == "1"
    words = request.GET.get("q", "").replace("\x00", "").strip()
    found = find_sessions(scope, words) if words else select_dated_sessions(scope)
    page = Paginator(found.filter(is_archived=archived), PAGE).get_page(request.GET.get("page"))
    rows = list(page.object_list)
    entities = load_entities(scope, rows)
    groups = [(name, [(s, entities.get(s.entity_id)) for s in group]) for name, group in group_by_date(rows)]
    return forbid_caching(
        render(
            request, "chat/conversations.html", {"page": page, "groups": groups, "archived": archived, "words": words}
        )
    )


@requires(MEMBER)
@require_safe
def recent(request: HttpRequest) -> HttpResponse:
    """The panel of the home page."""
    scope = get_scope(request)
    rows = list(select_own_sessions(scope).filter(is_archived=False)[:RECENT])
    entities = load_entities(scope, rows)
    return forbid_caching(render(request, "chat/recent.html", {"rows": [(s, entities.get(s.entity_id)) for s in rows]}))


@requires(MEMBER)
@require_POST
def change(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Rename, pin, archive."""
    scope = get_scope(request)
    session = get_own_session_or_404(scope, pk)
    if "title" in request.POST:
        try:
            session_actions.rename_session(scope=scope, session=session, text=request.POST["title"])
        except BadMessage as problem:
            messages.error(request, str(problem))
    wish = request.POST.get("do", "")
    if wish in ("pin", "unpin"):
        session_actions.change_session(scope=scope, session=session, pinned=wish == "pin")
    if wish in ("archive", "restore"):
        session_actions.change_session(scope=scope, session=session, archived=wish == "archive")
    listed = wish == "archive" or "listed" in request.POST
    if not listed:
        return redirect("chat:session", session.pk)
    kept = {name: request.POST[name] for name in OF_LIST if request.POST.get(name)}
    return redirect(f"{reverse('chat:conversations')}{f'?{urlencode(kept)}' if kept else ''}")


@requires(MEMBER)
@require_POST
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    session_actions.delete_session(scope=scope, session=get_own_session_or_404(scope, pk))
    messages.success(request, gettext("The conversation was deleted."))
    return redirect("chat:conversations")


@requires(MEMBER)
@require_safe
def export(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    return export_markdown(scope, get_session_or_404(scope, pk))


def group_by_date(sessions: Any) -> list[tuple[str, list[Session]]]:
    """Sessions in their order, under headings."""
    groups: dict[str, list[Session]] = {}
    today = timezone.localdate()
    for session in sessions:
        groups.setdefault(gettext("Pinned") if session.is_pinned else name_day(session, today), []).append(session)
    return list(groups.items())


def name_day(session: Session, today: date) -> str:
    day = timezone.localdate(session.said_at)  # type: ignore[attr-defined]
    if day >= today:
        return gettext("Today")
    if day == today - timedelta(days=1):
        return gettext("Yesterday")
    if day > today - timedelta(days=7):
        return gettext("Last 7 days")
    return date_format(day, pgettext("date", "F Y"))


def forbid_caching(response: HttpResponse) -> HttpResponse:
    """Conversations are not left in caches of the browser."""
    response["Cache-Control"] = "no-store"
    return response
