"""The classification desk over the API, for stewards. Transport only: the work is in `desk`."""

from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import STEWARD, opens_own_scope, requires
from entities.api.lists import Pagination, list_atom_labels
from entities.api.shapes import PAGING, Label, build_page_shape
from ingestion.api import get_scope
from ingestion.desk import CAUSES, MOST, UNJUDGED, Item, QueueFilter, accept_proposals, build_items, select_waiting
from ingestion.paragraph_api import VoteSerializer, vote_json


class WaitingSerializer(serializers.Serializer):
    """A paragraph that waits for a steward. causes: why. labels: null until it has one. proposed: what it gets when it
    is accepted, null where nobody has voted yet. seen: to be sent back with that. file, page: null for typed text.
    """

    id = serializers.UUIDField()
    causes = serializers.ListField(child=serializers.ChoiceField(sorted(CAUSES)))
    text = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    proposed = Label(many=True, allow_null=True)
    votes = VoteSerializer(many=True)
    entity = serializers.UUIDField()
    file = serializers.UUIDField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    seen = serializers.CharField()


class ShownSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    seen = serializers.CharField(max_length=64)


class AcceptSerializer(serializers.Serializer):
    paragraphs = serializers.ListField(child=ShownSerializer(), max_length=MOST, allow_empty=False)


class AcceptedSerializer(serializers.Serializer):
    """changed: ids of what is not as it was shown any more, or is not there; nothing was decided of it."""

    accepted = serializers.ListField(child=serializers.UUIDField())
    changed = serializers.ListField(child=serializers.UUIDField())


class FilterSerializer(serializers.Serializer):
    cause = serializers.ChoiceField([*sorted(CAUSES), UNJUDGED], required=False)
    file = serializers.UUIDField(required=False)
    entity = serializers.UUIDField(required=False)
    label = serializers.IntegerField(min_value=0, max_value=99_999, required=False)  # type: ignore[assignment]


FILTERS = [
    OpenApiParameter("cause", str, enum=[*sorted(CAUSES), UNJUDGED], description="Why it waits; or what rests."),
    OpenApiParameter("file", {"type": "string", "format": "uuid"}),
    OpenApiParameter("entity", {"type": "string", "format": "uuid"}),
    OpenApiParameter("label", int, description="An atom that the paragraph has, or that one of its votes names."),
]


def read_filters(query: QueryDict) -> QueueFilter:
    """Raises: ValidationError."""
    given = FilterSerializer(data={name: value for name, value in query.items() if name in FilterSerializer().fields})
    given.is_valid(raise_exception=True)
    return QueueFilter(**given.validated_data)


@requires(STEWARD)
@extend_schema(operation_id="desk_list", responses=build_page_shape(WaitingSerializer), parameters=[*FILTERS, *PAGING])
@api_view(["GET"])
def desk(request: Request) -> Response:
    """For stewards: what waits for a decision, document by document."""
    scope, paginator = get_scope(request), Pagination()
    rows = paginator.paginate_queryset(select_waiting(scope, read_filters(request.query_params)), request)
    return paginator.get_paginated_response([build_item_json(item) for item in build_items(scope, rows or [])])


@opens_own_scope
@requires(STEWARD)
@extend_schema(operation_id="desk_accept", request=AcceptSerializer, responses=AcceptedSerializer)
@api_view(["POST"])
@parser_classes([JSONParser])
def desk_accept(request: Request) -> Response:
    """Take what is proposed for up to 100 paragraphs, each as it was shown."""
    given = AcceptSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    shown = {one["id"]: one["seen"] for one in given.validated_data["paragraphs"]}
    if len(shown) < len(given.validated_data["paragraphs"]):
        raise ValidationError({"paragraphs": [gettext("Name each paragraph once.")]})
    scope = get_scope(request)
    with scope.open():
        taken = accept_proposals(scope=scope, shown=shown)
    done = taken.drop_missed()
    return Response({"accepted": [item.key for item in done.accepted], "changed": [str(pk) for pk in done.changed]})


def build_item_json(item: Item) -> dict[str, Any]:
    return {
        "id": item.key,
        "causes": list(item.causes),
        "text": item.paragraph.text,
        "labels": None if item.now is None else list_atom_labels(item.now),
        "proposed": None if item.proposed is None else list_atom_labels(item.proposed),
        "votes": [vote_json(vote) for vote in item.votes],
        "entity": str(item.where.entity),
        "file": str(item.where.file) if item.where.file else None,
        "page": item.where.page,
        "seen": item.seen,
    }
