"""A turn over the API: its state, events, rating and context. Transport only, as `chat.api`."""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat import actions, events
from chat.access import get_own_turn_or_404, get_session_or_404, get_turn_or_404
from chat.callers import read_caller
from chat.closest import list_closest
from chat.conversation import Exchange, list_exchanges
from chat.inspector import inspect
from chat.models import Message, Role, Turn
from chat.shapes import EVENTS, ContextSerializer, StoppingSerializer, TurnRating, TurnSerializer
from entities.access import MEMBER, Scope, requires
from entities.api import label_list, list_atom_labels
from entities.neutral_markdown import clean_markdown
from retrieval.locate import ResolvedCitation


class EventStream(BaseRenderer):
    """Lets `Accept: text/event-stream` through DRF's negotiation; the stream itself is not rendered."""

    media_type = "text/event-stream"
    format = "events"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return JSONRenderer().render(data, None, renderer_context)


def get_scope(request: Request) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


def build_turn_json(scope: Scope, exchange: Exchange) -> dict[str, Any]:
    turn = exchange.turn
    return {
        "id": str(turn.pk),
        "session": str(turn.session_id),
        "state": turn.state,
        "error": {"code": turn.state, "detail": exchange.error} if exchange.error else None,
        "look_in": turn.look_in,
        "mine": exchange.is_mine,
        "rating": turn.rating if exchange.is_mine else 0,
        "created_at": turn.created_at,
        "ended_at": turn.ended_at,
        "question": build_message_json(exchange.question) if exchange.question else None,
        "message": build_answer_json(scope, exchange, exchange.answer)
        if exchange.answer
        else build_placeholder_json(exchange.hidden_answer),
        "drew_on": exchange.drew_on.as_json() if exchange.answer else None,
        "removed_with_source": exchange.is_removed,
        "offline": bool(turn.usage.get("offline")),
        "events": build_events_url(turn),
    }


def build_message_json(message: Message) -> dict[str, Any]:
    assert message.data_classification is not None
    return {
        "id": str(message.pk),
        "turn": str(message.turn_id),
        "role": message.role,
        "content": clean_markdown(message.content) if message.role == Role.ASSISTANT else message.content,
        "labels": label_list(message.data_classification),
        "created_at": message.created_at,
    }


def build_answer_json(
    scope: Scope, exchange: Exchange, answer: Message, cited: Mapping[int, ResolvedCitation] | None = None
) -> dict[str, Any]:
    """cited: of `resolve_cited`, where more messages were looked up."""
    question = exchange.question.content if exchange.question else ""
    closest = list_closest(scope, exchange.turn, answer, question, cited)
    return {
        **build_message_json(answer),
        "confidence": exchange.confidence,
        "closest": [passage.as_json() for passage in closest],
    }


def build_placeholder_json(hidden: Any) -> dict[str, Any] | None:
    return None if hidden is None else {"type": "placeholder", "requires": list_atom_labels(hidden.requires)}


def build_events_url(turn: Turn) -> str:
    return reverse("chat_api:events", args=[turn.pk])


@requires(MEMBER)
@extend_schema(operation_id="chat_turns_read", responses=TurnSerializer)
@api_view(["GET"])
def turn(request: Request, pk: UUID) -> Response:
    """A turn's state and message."""
    scope = get_scope(request)
    row = get_turn_or_404(scope, pk)
    session = get_session_or_404(scope, row.session_id)
    (exchange,) = list_exchanges(scope, session, [row])
    return Response(build_turn_json(scope, exchange))


@requires(MEMBER)
@extend_schema(
    operation_id="chat_turns_events",
    parameters=[OpenApiParameter("after", int, description="The id of the last event that you have.")],
    responses={(200, "text/event-stream"): EVENTS},
)
@api_view(["GET"])
@renderer_classes([JSONRenderer, EventStream])
def turn_events(request: Request, pk: UUID) -> HttpResponseBase:
    """The turn's events: `step`, `started`, `token`, `citation`, then `done`, `stopped` or `error`. Of somebody else's
    the last alone.

    The web server answers this beside Django (chat/events.py); here is the same for servers that do not.
    """
    scope = get_scope(request)
    row = get_turn_or_404(scope, pk)
    return event_stream(request, row, events.parse_last_event(request.META.get("QUERY_STRING", ""), _headers(request)))


@requires(MEMBER)
@extend_schema(operation_id="chat_turns_stop", request=None, responses={202: StoppingSerializer})
@api_view(["POST"])
def stop(request: Request, pk: UUID) -> Response:
    """Stop a running turn. What has been written stays."""
    scope = get_scope(request)
    row = get_own_turn_or_404(scope, pk)
    return Response({"stopping": actions.stop_turn(scope=scope, turn=row)}, status=status.HTTP_202_ACCEPTED)


@requires(MEMBER)
@extend_schema(operation_id="chat_turns_rate", request=TurnRating, responses={204: None})
@api_view(["POST"])
def rating(request: Request, pk: UUID) -> Response:
    """What you think of an answer. Only you see it."""
    scope = get_scope(request)
    row = get_own_turn_or_404(scope, pk)
    actions.rate_turn(scope=scope, turn=row, rating=validate_input(TurnRating(data=request.data))["rating"])
    return Response(status=status.HTTP_204_NO_CONTENT)


@requires(MEMBER)
@extend_schema(operation_id="chat_turns_context", responses=ContextSerializer)
@api_view(["GET"])
def context(request: Request, pk: UUID) -> Response:
    """What the model was given for this answer, layer by layer with tokens, as far as the caller may see it today."""
    scope = get_scope(request)
    row = get_turn_or_404(scope, pk)
    return Response(inspect(scope, row).as_json())


def _headers(request: Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}


def event_stream(request: Request, turn: Turn, after: int) -> StreamingHttpResponse:
    chunks: AsyncIterator[bytes] = events.follow(read_caller(request.path, _headers(request)), turn.pk, after)
    response = StreamingHttpResponse(chunks, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def validate_input(serializer: serializers.Serializer) -> dict[str, Any]:
    if not isinstance(serializer.initial_data, dict):
        raise ValidationError([gettext("Give a JSON object.")])
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
