"""Conversations over the API (design §11). Transport only: the work is in `actions`, `session_actions` and
`conversation`.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.utils.translation import gettext, gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat import actions, session_actions
from chat.access import (
    find_sessions,
    get_entity,
    get_own_session_or_404,
    get_session_or_404,
    load_entities,
    select_dated_sessions,
)
from chat.agents import get_agent
from chat.citations import resolve_cited
from chat.confidence import Confidence
from chat.conversation import Exchange, list_exchanges
from chat.errors import BadMessage, BadReaders, Busy, TooMany
from chat.export import export_markdown
from chat.mentions import UnknownMention, parse_mentions
from chat.models import Session
from chat.readers import PRIVATE, describe_readers, name_people
from chat.shapes import (
    ANY_MESSAGE,
    EVENTS,
    MENTIONS,
    NewMessage,
    NewSession,
    PostedSerializer,
    SessionChange,
    SessionSerializer,
)
from chat.turn_api import (
    EventStream,
    build_answer_json,
    build_events_url,
    build_message_json,
    build_placeholder_json,
    event_stream,
    get_scope,
    validate_input,
)
from entities.access import MEMBER, Scope, get_entity_or_404, requires
from entities.api import paginate
from entities.api.errors import Conflict, TooManyRequests
from entities.api.repeats import IDEMPOTENCY_KEY, make_once
from entities.api.shapes import PAGING, build_page_shape
from entities.api.versions import IF_MATCH, answer_with_version, check_version
from entities.models import Entity
from entities.versions import build_version
from retrieval.locate import ResolvedCitation

BUSY = gettext_lazy("This conversation is still answering. Wait for the answer, or stop it.")


def build_session_json(scope: Scope, session: Any, entity: Entity | None) -> dict[str, Any]:
    """Of a session from `select_dated_sessions`."""
    agent = get_agent(session.agent)
    readers = describe_readers(scope, session)
    return {
        "id": str(session.pk),
        "version": build_version(list_session_values(session)),
        "entity": entity and {"id": str(entity.pk), "type": entity.type_name, "name": getattr(entity, "title", None)},
        "agent": {"key": agent.key, "name": agent.name, "icon": agent.icon, "color": agent.color},
        "title": session.title,
        "visibility": readers.visibility,
        "owner": readers.owner,
        "mine": session.is_mine,
        "pinned": session.is_pinned,
        "archived": session.is_archived,
        "created_at": session.created_at,
        "last_message_at": session.said_at,
    }


def list_session_values(session: Any) -> dict[str, object]:
    """What the version of a session stands for: a title that nobody has typed changes by itself."""
    return {"title": session.typed_title, "pinned": session.is_pinned, "archived": session.is_archived}


@requires(MEMBER)
@extend_schema(
    operation_id="chat_sessions_list",
    methods=["GET"],
    responses=build_page_shape(SessionSerializer),
    parameters=[
        OpenApiParameter("entity", UUID),
        OpenApiParameter("archived", bool),
        OpenApiParameter("q", str, description="Words as they stand in a title or in a message that you may read."),
        *PAGING,
    ],
)
@extend_schema(
    operation_id="chat_sessions_create",
    methods=["POST"],
    request=NewSession,
    parameters=[IDEMPOTENCY_KEY],
    responses={201: SessionSerializer},
)
@api_view(["GET", "POST"])
def sessions(request: Request) -> Response:
    """The conversations that the caller reads, newest first; a new one about a record or, without one, about the
    workspace.
    """
    scope = get_scope(request)
    if request.method == "POST":
        given = validate_input(NewSession(data=request.data))
        entity = get_entity_or_404(scope, given["entity"]) if given.get("entity") else None

        def make() -> list[UUID]:
            agent, visibility = given.get("agent") or "assistant", given.get("visibility") or PRIVATE
            return [session_actions.create_session(scope=scope, entity=entity, agent=agent, visibility=visibility).pk]

        try:
            (made,) = make_once(request, make)
        except BadReaders as bad:
            raise ValidationError({"visibility": [str(bad)]}) from None
        except BadMessage as bad:
            raise ValidationError({"agent": [str(bad)]}) from None
        get_session_or_404(scope, made)  # the same request may have been answered before, and it deleted
        session = select_dated_sessions(scope).get(pk=made)
        return answer_with_version(build_session_json(scope, session, entity), status.HTTP_201_CREATED)
    words = request.query_params.get("q", "").replace("\x00", "").strip()
    rows = find_sessions(scope, words) if words else select_dated_sessions(scope)
    if request.query_params.get("entity"):
        try:
            rows = rows.filter(entity=UUID(request.query_params["entity"]))
        except ValueError:
            raise ValidationError({"entity": [gettext("Give the record by its id.")]}) from None
    rows = rows.filter(is_archived=request.query_params.get("archived") in ("1", "true"))
    known: dict[UUID | None, Entity] = {}

    def serialize(session: Session) -> dict[str, Any]:
        if session.entity_id and session.entity_id not in known:
            known.update(load_entities(scope, [session]))
        return build_session_json(scope, session, known[session.entity_id] if session.entity_id else None)

    return paginate(request, rows, serialize)


@requires(MEMBER)
@extend_schema(operation_id="chat_sessions_read", methods=["GET"], responses=SessionSerializer)
@extend_schema(
    operation_id="chat_sessions_change",
    methods=["PATCH"],
    request=SessionChange,
    parameters=[IF_MATCH],
    responses=SessionSerializer,
)
@extend_schema(operation_id="chat_sessions_delete", methods=["DELETE"], parameters=[IF_MATCH], responses={204: None})
@api_view(["GET", "PATCH", "DELETE"])
def session(request: Request, pk: UUID) -> Response:
    scope = get_scope(request)
    row = get_session_or_404(scope, pk) if request.method == "GET" else get_own_session_or_404(scope, pk)
    if request.method == "DELETE":
        check_session_version(request, row)
        session_actions.delete_session(scope=scope, session=row)
        return Response(status=status.HTTP_204_NO_CONTENT)
    title = None
    if request.method == "PATCH":
        given = validate_input(SessionChange(data=request.data))
        check_session_version(request, row)
        session_actions.change_session(
            scope=scope, session=row, pinned=given.get("pinned"), archived=given.get("archived")
        )
        if "title" in given:
            title = session_actions.rename_session(scope=scope, session=row, text=given["title"])
    now = select_dated_sessions(scope).get(pk=pk)
    if title:
        # It is labelled when this is committed; until then nobody reads it back but who has just typed it.
        now.title = now.typed_title = title
    return answer_with_version(build_session_json(scope, now, get_entity(scope, row)))


def check_session_version(request: Request, session: Session) -> None:
    """Of a session that is about to be written, which is held from here on. Raises: VersionIsOlder, VersionNeeded."""

    def load() -> dict[str, object]:
        list(Session.objects.select_for_update(no_key=True).filter(pk=session.pk).values_list("pk"))
        now = select_dated_sessions(get_scope(request)).filter(pk=session.pk).first()
        if now is None:
            raise Http404("Not found.")
        return list_session_values(now)

    check_version(request, load)


@requires(MEMBER)
@extend_schema(operation_id="chat_sessions_export", responses={(200, "text/markdown"): str})
@api_view(["GET"])
def export(request: Request, pk: UUID) -> HttpResponseBase:
    """The conversation as Markdown with its sources, as the caller may read it today."""
    scope = get_scope(request)
    return export_markdown(scope, get_session_or_404(scope, pk))


@requires(MEMBER)
@extend_schema(
    operation_id="chat_messages_list",
    methods=["GET"],
    responses={(200, "application/json"): build_page_shape(ANY_MESSAGE)},
    parameters=PAGING,
)
@extend_schema(
    operation_id="chat_messages_create",
    methods=["POST"],
    request=NewMessage,
    responses={(202, "application/json"): PostedSerializer, (200, "text/event-stream"): EVENTS},
)
@api_view(["GET", "POST"])
@renderer_classes([JSONRenderer, EventStream])
def messages(request: Request, pk: UUID) -> HttpResponseBase:
    """The messages that may be read today, oldest first, hidden ones as placeholders; a new question."""
    scope = get_scope(request)
    row = get_session_or_404(scope, pk)
    if request.method == "GET":
        found = list_exchanges(scope, row)
        askers = name_people({exchange.turn.owner for exchange in found})
        closest = [each.answer for each in found if each.answer and each.confidence is Confidence.CLOSEST]
        cited = resolve_cited(scope, closest)
        shown = [
            item
            for exchange in found
            for item in _build_message_list(scope, exchange, askers.get(exchange.turn.owner, ""), cited)
        ]
        return paginate(request, shown, lambda item: item)
    given = validate_input(NewMessage(data=request.data))
    posted = ask(scope, row, given)
    if request.accepted_renderer.media_type == "text/event-stream":
        return event_stream(request, posted.turn, 0)
    answer = {"turn": str(posted.turn.pk), "events": build_events_url(posted.turn)}
    return Response(answer, status=status.HTTP_202_ACCEPTED)


def _build_message_list(
    scope: Scope, exchange: Exchange, asker: str, cited: Mapping[int, ResolvedCitation]
) -> list[dict[str, Any]]:
    found = []
    for message, hidden, role in (
        (exchange.question, exchange.hidden_question, "user"),
        (exchange.answer, exchange.hidden_answer, "assistant"),
    ):
        if message is not None:
            is_answer = message is exchange.answer
            built = build_answer_json(scope, exchange, message, cited) if is_answer else build_message_json(message)
            found.append({"type": "text", **built, "asker": asker})
        elif hidden is not None:
            placeholder = build_placeholder_json(hidden) or {}
            found.append({**placeholder, "role": role, "turn": str(exchange.turn.pk), "asker": asker})
    return found


def ask(scope: Scope, session: Session, given: dict[str, Any]) -> actions.PostedTurn:
    """given: as `NewMessage`."""
    values = [f"{name.removesuffix('s')}:{pk}" for name in MENTIONS for pk in given.get(name, ())]
    try:
        return actions.post_message(
            scope=scope,
            session=session,
            content=given["content"],
            client_id=given.get("client_id", ""),
            look_in=given.get("look_in", ""),
            mentions=parse_mentions(values),
            is_new_subject=given.get("new_subject", False),
        )
    except UnknownMention as unknown:
        raise ValidationError({"mentions": [str(unknown)]}) from None
    except BadMessage as bad:
        raise ValidationError({"content": [str(bad)]}) from None
    except Busy:
        raise Conflict(BUSY) from None
    except TooMany as problem:
        raise TooManyRequests(str(problem)) from None
