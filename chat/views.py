"""Pages of one conversation: the dock beside a record, and a page of its own. Every part works as a plain form and page
too.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages as flash
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotFound, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from chat import actions
from chat.access import (
    get_entity,
    get_own_turn_or_404,
    get_session_or_404,
    get_turn_or_404,
    select_dated_sessions,
    select_known_turns,
    select_own_sessions,
)
from chat.api import BUSY
from chat.attachments import list_attached
from chat.conversation import TurnPage, list_exchanges, list_latest_exchanges
from chat.errors import BadMessage, Busy, TooMany
from chat.inspector import inspect
from chat.mention_names import suggest_mentions
from chat.mentions import UnknownMention, parse_mentions
from chat.models import LookIn, Session, Turn
from chat.places import name_places
from chat.readers import PRIVATE, describe_readers, list_choices
from chat.session_views import forbid_caching, group_by_date
from chat.shown import present_exchange, present_exchanges
from entities.access import MEMBER, Scope, get_entity_or_404, requires
from entities.errors import build_payload
from entities.models import Entity
from ingestion.claims import UNFINISHED

IN_MENU = 30
REFUSALS = {
    BadMessage: ("invalid", 400),
    Busy: ("conflict", 409),
    TooMany: ("too_many_requests", 429),
    UnknownMention: ("invalid", 400),
}


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@require_safe
def dock(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The chat beside a record: the latest conversation about it, the one asked for, or a new one."""
    scope = get_scope(request)
    entity = get_entity_or_404(scope, pk)
    named = request.GET.get("session", "")
    session: Any = get_session_or_404(scope, named) if is_uuid(named) else None
    if session is not None and session.entity_id != entity.pk:
        session = None
    elif (not named and "new" not in request.GET) or (session is not None and session.is_archived):
        # Also for a tab that remembers one which was archived since: that one has a page of its own.
        session = select_own_sessions(scope).filter(entity=entity.pk, is_archived=False).first()
    return panel(request, scope, entity, session)


@requires(MEMBER)
@require_safe
def session_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One conversation on a page of its own: its latest turns, with `?at=` back to that turn or message."""
    scope = get_scope(request)
    session = get_session_or_404(scope, pk)
    named = request.GET.get("at", "")
    at = Q(pk=named) | Q(question=named) | Q(answer=named) if is_uuid(named) else Q(pk=None)
    back_to = select_known_turns(scope, session.pk).filter(at).first()
    return panel(request, scope, get_entity(scope, session), session, back_to)


@requires(MEMBER)
@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """A conversation about the workspace that is still to begin, with the words of `?q=` ready to be sent."""
    return panel(request, get_scope(request), None, None)


def panel(
    request: HttpRequest, scope: Scope, entity: Entity | None, session: Session | None, back_to: Turn | None = None
) -> HttpResponse:
    """The dock, alone for htmx or in a page. back_to: as of `list_latest_exchanges`."""
    latest = list_latest_exchanges(scope, session, back_to=back_to) if session else TurnPage()
    context = {
        **build_head(scope, entity, session),
        **present_turn_page(scope, latest),
        **build_chips(scope, session),
        "client_id": uuid4().hex,
        "typed": request.GET.get("q", "")[: actions.LONGEST],
    }
    template = "chat/dock.html" if request.headers.get("HX-Request") else "chat/session_page.html"
    return forbid_caching(render(request, template, context))


def present_turn_page(scope: Scope, page: TurnPage) -> dict[str, Any]:
    return {"exchanges": present_exchanges(scope, page.exchanges), "before": page.before}


@requires(MEMBER)
@require_safe
def earlier(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The turns before one, for htmx to be put above it; else the page that goes back to it."""
    scope = get_scope(request)
    try:
        row = get_turn_or_404(scope, pk)
    except Http404:
        if not request.headers.get("HX-Request"):
            raise
        # It may have been hidden since the page was shown, which then begins anew.
        return HttpResponseNotFound(headers={"HX-Refresh": "true"})
    if not request.headers.get("HX-Request"):
        return redirect(build_turn_address(row))
    found = list_latest_exchanges(scope, get_session_or_404(scope, row.session_id), before=row)
    return forbid_caching(render(request, "chat/earlier.html", present_turn_page(scope, found)))


def build_chips(scope: Scope, session: Session | None) -> dict[str, Any]:
    """What stands above the composer: the files that the caller has attached, without what came in them."""
    files = [view for view in list_attached(scope, session) if view.origin is None] if session else []
    return {"session": session, "attached": files, "is_reading": any(view.state in UNFINISHED for view in files)}


@requires(MEMBER)
@require_POST
def ask(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A question about a record, in the session that the form names or a new one."""
    scope = get_scope(request)
    return ask_about(request, scope, get_entity_or_404(scope, pk))


@requires(MEMBER)
@require_POST
def ask_workspace(request: HttpRequest) -> HttpResponse:
    """A question about the workspace, in the session that the form names or a new one."""
    return ask_about(request, get_scope(request), None)


@requires(MEMBER)
@require_safe
def mentions(request: HttpRequest) -> HttpResponse:
    """Names that hold what is typed after `@`, for the composer."""
    found = suggest_mentions(get_scope(request), request.GET.get("q", ""))
    return forbid_caching(render(request, "chat/mention_options.html", {"found": found}))


def ask_about(request: HttpRequest, scope: Scope, entity: Entity | None) -> HttpResponse:
    named = request.POST.get("session", "")
    session = get_session_or_404(scope, named) if is_uuid(named) else None
    content, client_id, look_in = (request.POST.get(name, "") for name in ("content", "client_id", "look_in"))
    visibility = request.POST.get("visibility") or PRIVATE

    def post() -> actions.PostedTurn:
        return actions.ask_about(
            scope=scope,
            entity=entity,
            session=session,
            content=content,
            client_id=client_id,
            look_in=look_in,
            mentions=parse_mentions(request.POST.getlist("mention")),
            visibility=visibility,
            is_new_subject=bool(request.POST.get("new_subject")),
        )

    return answered(request, scope, entity, post)


@requires(MEMBER)
@require_POST
def again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The question of a turn that came to nothing, once more."""
    scope = get_scope(request)
    turn = get_own_turn_or_404(scope, pk)
    session = get_session_or_404(scope, turn.session_id)
    entity = get_entity(scope, session)

    def post() -> actions.PostedTurn:
        return actions.ask_again(scope=scope, session=session, turn=turn)

    return answered(request, scope, entity, post)


def answered(
    request: HttpRequest, scope: Scope, entity: Entity | None, post: Callable[[], actions.PostedTurn]
) -> HttpResponse:
    """The new turn, to be put at the end of the conversation, or back to the page; a refusal as a sentence."""
    try:
        posted = post()
    except (BadMessage, Busy, TooMany, UnknownMention) as problem:
        sentence = str(problem) or str(BUSY)
        if request.headers.get("HX-Request"):
            code, status = REFUSALS[type(problem)]
            return JsonResponse(build_payload(code, sentence), status=status)
        flash.error(request, sentence)
        return redirect("entities:detail", entity.pk) if entity else redirect("chat:new")
    if not request.headers.get("HX-Request"):
        return redirect(build_turn_address(posted.turn))
    row = get_session_or_404(scope, posted.turn.session_id)
    (exchange,) = list_exchanges(scope, row, [posted.turn])
    context = {
        **build_head(scope, entity, row),
        "is_first": not select_known_turns(scope, row.pk).exclude(pk=posted.turn.pk).exists(),
        "exchange": present_exchange(scope, exchange, typed=request.POST.get("content", "").strip()),
        "client_id": uuid4().hex,
        "posted": True,
    }
    response = forbid_caching(render(request, "chat/posted.html", context))
    if entity is None:
        # The page of a new conversation becomes that of this one: a reload or Back would begin another.
        response["HX-Replace-Url"] = reverse("chat:session", args=[row.pk])
    return response


def build_head(scope: Scope, entity: Entity | None, session: Session | None) -> dict[str, Any]:
    """What the head and the foot of a conversation show. entity: None for one about the workspace."""
    listed = select_dated_sessions(scope).filter(entity=entity, is_archived=False)[:IN_MENU]
    return {
        "entity": entity,
        "session": session,
        "groups": group_by_date(listed),
        "readers": describe_readers(scope, session) if session else None,
        "choices": () if session else list_choices(scope, entity),
        "attach_url": reverse("chat:attach", args=[entity.pk]) if entity else reverse("chat:attach_to_workspace"),
        "ask_url": reverse("chat:ask", args=[entity.pk]) if entity else reverse("chat:ask_workspace"),
        "new_url": f"{reverse('chat:dock', args=[entity.pk])}?new" if entity else reverse("chat:new"),
        "places": LookIn.choices if entity else (),
    }


@requires(MEMBER)
@require_safe
def turn(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The answer of a turn as it stands: what a live turn is replaced by."""
    scope = get_scope(request)
    row = get_turn_or_404(scope, pk)
    if not request.headers.get("HX-Request"):
        return redirect(build_turn_address(row))
    return answer(request, scope, get_session_or_404(scope, row.session_id), row)


def answer(request: HttpRequest, scope: Scope, session: Session, row: Turn) -> HttpResponse:
    """The answer alone, for htmx."""
    (exchange,) = list_exchanges(scope, session, [row])
    context: dict[str, Any] = {"exchange": present_exchange(scope, exchange)}
    if row.number == 1:
        # By now the conversation has its name.
        context |= {**build_head(scope, get_entity(scope, session), session), "with_head": True}
    return forbid_caching(render(request, "chat/answered.html", context))


@requires(MEMBER)
@require_POST
def stop(request: HttpRequest, pk: UUID) -> HttpResponse:
    scope = get_scope(request)
    row = get_own_turn_or_404(scope, pk)
    actions.stop_turn(scope=scope, turn=row)
    return HttpResponse(status=204) if request.headers.get("HX-Request") else redirect("chat:session", row.session_id)


@requires(MEMBER)
@require_POST
def rate(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What its asker thinks of an answer; the same once more takes it back."""
    scope = get_scope(request)
    row = get_own_turn_or_404(scope, pk)
    wish = 1 if request.POST.get("rating") == "1" else -1
    actions.rate_turn(scope=scope, turn=row, rating=0 if row.rating == wish else wish)
    if not request.headers.get("HX-Request"):
        return redirect(build_turn_address(row))
    return answer(request, scope, get_session_or_404(scope, row.session_id), get_turn_or_404(scope, pk))


@requires(MEMBER)
@require_safe
def context(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What the model was given for an answer."""
    scope = get_scope(request)
    row = get_turn_or_404(scope, pk)
    inspected = inspect(scope, row)
    given = {"inspected": inspected, "turn": row, "looked": name_places(scope, row) if inspected.layers else ()}
    return forbid_caching(render(request, "chat/context.html", given))


def build_turn_address(turn: Turn) -> str:
    """Of the page of its conversation, at the turn, however long ago that was."""
    return f"{reverse('chat:session', args=[turn.session_id])}?at={turn.pk}#t-{turn.pk}"


def is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
