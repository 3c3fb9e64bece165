"""Pages of conversations: the dock beside a record, a page of one conversation, and the list. Every part works as a
plain form and page too.
"""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.translation import gettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from chat import actions
from chat.access import entities_of, get_session_or_404, get_turn_or_404, sessions_of
from chat.api import BUSY
from chat.conversation import exchanges
from chat.export import markdown_of
from chat.inspector import inspect
from chat.models import Session
from chat.shown import shown
from entities.access import MEMBER, Scope, get_entity_or_404, requires
from entities.errors import payload
from entities.models import Entity

RECENT = 6
IN_MENU = 30
REFUSALS = {
    actions.BadMessage: ("invalid", 400),
    actions.Busy: ("conflict", 409),
    actions.TooMany: ("too_many_requests", 429),
}
PAGE = 25


def scope_of(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def dock(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The chat beside a record: the latest conversation about it, the one asked for, or a new one."""
    scope = scope_of(request)
    entity = get_entity_or_404(scope, pk)
    named = request.GET.get("session", "")
    session = get_session_or_404(scope, named) if is_uuid(named) else None
    if session is not None and session.entity_id != entity.pk:
        session = None
    elif (not named and "new" not in request.GET) or (session is not None and session.archived_at is not None):
        # Also for a tab that remembers one which was archived since: that one has a page of its own.
        mine = sessions_of(scope).filter(entity=entity.pk, archived_at__isnull=True)
        session = mine.order_by("-last_message_at", "pk").first()
    return panel(request, scope, entity, session)


@requires(MEMBER)
@require_safe
def session_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One conversation on a page of its own."""
    scope = scope_of(request)
    session = get_session_or_404(scope, pk)
    return panel(request, scope, get_entity_or_404(scope, session.entity_id), session)


def panel(request: HttpRequest, scope: Scope, entity: Entity, session: Session | None) -> HttpResponse:
    """The dock, alone for htmx or in a page."""
    context = {
        **head_of(scope, entity, session),
        "exchanges": [shown(scope, e) for e in exchanges(scope, session) if e.is_shown] if session else [],
        "client_id": uuid4().hex,
    }
    template = "chat/dock.html" if request.headers.get("HX-Request") else "chat/session_page.html"
    return private(render(request, template, context))


@requires(MEMBER)
@require_POST
def ask(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A question about a record, in the session that the form names or a new one."""
    scope = scope_of(request)
    entity = get_entity_or_404(scope, pk)
    named = request.POST.get("session", "")
    session = get_session_or_404(scope, named) if is_uuid(named) else None
    content, client_id = request.POST.get("content", ""), request.POST.get("client_id", "")

    def post() -> actions.Posted:
        return actions.ask_about(scope=scope, entity=entity, session=session, content=content, client_id=client_id)

    return answered(request, scope, entity, post)


@requires(MEMBER)
@require_POST
def again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The question of a turn that came to nothing, once more."""
    scope = scope_of(request)
    turn = get_turn_or_404(scope, pk)
    session = get_session_or_404(scope, turn.session_id)
    entity = get_entity_or_404(scope, session.entity_id)

    def post() -> actions.Posted:
        return actions.ask_again(scope=scope, session=session, turn=turn)

    return answered(request, scope, entity, post)


def answered(request: HttpRequest, scope: Scope, entity: Entity, post: Callable[[], actions.Posted]) -> HttpResponse:
    """The new turn, to be put at the end of the conversation, or back to the page; a refusal as a sentence."""
    try:
        posted = post()
    except (actions.BadMessage, actions.Busy, actions.TooMany) as problem:
        sentence = str(problem) or str(BUSY)
        if request.headers.get("HX-Request"):
            code, status = REFUSALS[type(problem)]
            return JsonResponse(payload(code, sentence), status=status)
        messages.error(request, sentence)
        return redirect("entities:detail", entity.pk)
    if not request.headers.get("HX-Request"):
        return redirect(f"{reverse('chat:session', args=[posted.turn.session_id])}#t-{posted.turn.pk}")
    row = get_session_or_404(scope, posted.turn.session_id)
    (exchange,) = exchanges(scope, row, [posted.turn])
    context = {
        **head_of(scope, entity, row),
        "exchange": shown(scope, exchange, typed=request.POST.get("content", "").strip()),
        "client_id": uuid4().hex,
        "posted": True,
    }
    return private(render(request, "chat/posted.html", context))


def head_of(scope: Scope, entity: Entity, session: Session | None) -> dict[str, Any]:
    """What chat/head.html shows."""
    mine = sessions_of(scope).filter(entity=entity.pk, archived_at__isnull=True)[:IN_MENU]
    return {"entity": entity, "session": session, "groups": by_date(mine)}


@requires(MEMBER)
@require_safe
def turn(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The answer of a turn as it stands: what a live turn is replaced by."""
    scope = scope_of(request)
    row = get_turn_or_404(scope, pk)
    session = get_session_or_404(scope, row.session_id)
    if not request.headers.get("HX-Request"):
        return redirect(f"{reverse('chat:session', args=[session.pk])}#t-{row.pk}")
    (exchange,) = exchanges(scope, session, [row])
    context = {"exchange": shown(scope, exchange)}
    if row.number == 1:
        # By now the conversation has its name.
        context |= head_of(scope, get_entity_or_404(scope, session.entity_id), session)
    return private(render(request, "chat/answered.html", context))


@requires(MEMBER)
@require_POST
def stop(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = scope_of(request)
    row = get_turn_or_404(scope, pk)
    actions.stop_turn(scope=scope, turn=row)
    return HttpResponse(status=204) if request.headers.get("HX-Request") else redirect("chat:session", row.session_id)


@requires(MEMBER)
@require_safe
def context(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What the model was given for an answer."""
    scope = scope_of(request)
    row = get_turn_or_404(scope, pk)
    given = {"inspected": inspect(scope, row), "turn": row}
    return private(render(request, "chat/context.html", given))


@requires(MEMBER)
@require_safe
def conversations(request: HttpRequest) -> HttpResponse:
    """The caller's own conversations, by date."""
    scope = scope_of(request)
    archived = request.GET.get("archived") == "1"
    page = Paginator(sessions_of(scope).filter(archived_at__isnull=not archived), PAGE).get_page(
        request.GET.get("page")
    )
    rows = list(page.object_list)
    entities = entities_of(scope, rows)
    groups = [(name, [(s, entities.get(s.entity_id)) for s in group]) for name, group in by_date(rows)]
    return private(render(request, "chat/conversations.html", {"page": page, "groups": groups, "archived": archived}))


@requires(MEMBER)
@require_safe
def recent(request: HttpRequest) -> HttpResponse:
    """The panel of the home page."""
    scope = scope_of(request)
    rows = list(sessions_of(scope).filter(archived_at__isnull=True).order_by("-last_message_at", "pk")[:RECENT])
    entities = entities_of(scope, rows)
    return private(render(request, "chat/recent.html", {"rows": [(s, entities.get(s.entity_id)) for s in rows]}))


@requires(MEMBER)
@require_POST
def change(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Rename, pin, archive."""
    scope = scope_of(request)
    session = get_session_or_404(scope, pk)
    if "title" in request.POST:
        try:
            actions.rename_session(scope=scope, session=session, text=request.POST["title"])
        except actions.BadMessage as problem:
            messages.error(request, str(problem))
    wish = request.POST.get("do", "")
    if wish in ("pin", "unpin"):
        actions.change_session(scope=scope, session=session, pinned=wish == "pin")
    if wish in ("archive", "restore"):
        actions.change_session(scope=scope, session=session, archived=wish == "archive")
    return redirect("chat:conversations") if wish == "archive" else redirect("chat:session", session.pk)


@requires(MEMBER)
@require_POST
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = scope_of(request)
    actions.delete_session(scope=scope, session=get_session_or_404(scope, pk))
    messages.success(request, gettext("The conversation was deleted."))
    return redirect("chat:conversations")


@requires(MEMBER)
@require_safe
def export(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = scope_of(request)
    return markdown_of(scope, get_session_or_404(scope, pk))


def by_date(sessions: Any) -> list[tuple[str, list[Session]]]:
    """Sessions in their order, under headings."""
    groups: dict[str, list[Session]] = {}
    today = timezone.localdate()
    for session in sessions:
        groups.setdefault(gettext("Pinned") if session.pinned else day_name(session, today), []).append(session)
    return list(groups.items())


def day_name(session: Session, today: date) -> str:
    day = timezone.localdate(session.last_message_at)
    if day >= today:
        return gettext("Today")
    if day == today - timedelta(days=1):
        return gettext("Yesterday")
    if day > today - timedelta(days=7):
        return gettext("Last 7 days")
    return date_format(day, pgettext("date", "F Y"))


def is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def private(response: HttpResponse) -> HttpResponse:
    """Conversations are not left in caches of the browser."""
    response["Cache-Control"] = "no-store"
    return response
