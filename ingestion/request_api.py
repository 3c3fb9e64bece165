"""Requests for access over the API (design §11). Transport only: the work is in `requests`."""

from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER
from entities.access import requires as requires_rule
from entities.api.lists import Pagination
from entities.api.shapes import PAGING, FileRef, Label, RecordRef, Whole, build_page_shape
from ingestion.api import get_scope
from ingestion.models import Extent
from ingestion.request_presenter import present_request, present_requests
from ingestion.requests import (
    LONGEST_MESSAGE,
    LONGEST_REASON,
    State,
    Wish,
    ask_for_access,
    decide_access,
    get_request_or_404,
    mark_decisions_disclosed,
    recall_request,
    select_requests,
)


class RequesterSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class OfferSerializer(serializers.Serializer):
    extent = serializers.ChoiceField(Extent.values)
    paragraphs = serializers.IntegerField()


class AccessRequestSerializer(serializers.Serializer):
    """requires: the atoms that are asked for. text: of the passage, for stewards who are cleared for it. message: ""
    where none was written, null where it needs more clearance. lacks: what keeps the caller, a steward, from granting
    it. until: of a granted one, when it ends. extent: how far it was granted. offers: how far a steward can grant it,
    and how many paragraphs more each shows, of those that the steward may read.
    """

    id = serializers.UUIDField()
    state = serializers.ChoiceField([*State.values, "expired"])
    requires = Label(many=True)
    requester = RequesterSerializer()
    entity = RecordRef()
    file = FileRef(allow_null=True)
    passage = serializers.UUIDField(allow_null=True)
    text = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_null=True, allow_blank=True)
    lacks = Label(many=True)
    reason = serializers.CharField(allow_blank=True)
    until = serializers.DateTimeField(allow_null=True)
    extent = serializers.ChoiceField(Extent.values, allow_null=True)
    offers = OfferSerializer(many=True)
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


class AskSerializer(serializers.Serializer):
    """A file, or a passage in it, or a record. labels: atoms; where none are named, all that the caller lacks for the
    file, or for the placeholder. run: the number of a placeholder of the file, or of the text `field` of the record.
    """

    entity = serializers.UUIDField(required=False)
    file = serializers.UUIDField(required=False)
    passage = serializers.UUIDField(required=False)
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=99_999), required=False)
    message = serializers.CharField(max_length=LONGEST_MESSAGE, required=False, allow_blank=True)
    run = serializers.IntegerField(min_value=0, max_value=99_999, required=False)
    field = serializers.CharField(max_length=64, required=False)  # type: ignore[assignment]


class DecisionSerializer(Whole):
    """reason: for whoever asked; needed of a steward but for a grant. until: of a grant, when it ends; never when not
    given. extent: how far a grant reaches: for all text of the level, when not given.
    """

    state = serializers.ChoiceField(["granted", "refused", "withdrawn", "recalled"])
    extent = serializers.ChoiceField(Extent.values, required=False)
    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)
    until = serializers.DateTimeField(required=False, allow_null=True)


STATE = OpenApiParameter("state", str, enum=State.values)


@requires_rule(MEMBER)
@extend_schema(
    operation_id="access_requests_list",
    methods=["GET"],
    responses=build_page_shape(AccessRequestSerializer),
    parameters=[STATE, *PAGING],
)
@extend_schema(
    operation_id="access_requests_create",
    methods=["POST"],
    request=AskSerializer,
    responses={200: AccessRequestSerializer, 201: AccessRequestSerializer},
)
@api_view(["GET", "POST"])
@parser_classes([JSONParser])
def access_requests(request: Request) -> Response:
    """The caller's requests, for stewards those of others too, the newest first; ask to be cleared. Asking again for
    what waits already answers with the one that waits.
    """
    scope = get_scope(request)
    if request.method == "GET":
        rows, state = select_requests(scope), request.query_params.get("state", "")
        if state not in ("", *State.values):
            raise ValidationError({"state": [gettext("States are: %(states)s.") % {"states": ", ".join(State.values)}]})
        paginator = Pagination()
        page = paginator.paginate_queryset(rows.filter(state=state) if state else rows, request) or []
        answer = paginator.get_paginated_response([one.to_json() for one in present_requests(scope, page)])
        mark_decisions_disclosed(scope, page)
        return answer
    given = AskSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    asked = dict(given.validated_data)
    if asked.get("passage") and not asked.get("file"):
        raise ValidationError({"file": [gettext("Say in which file the passage is.")]})
    if not asked.get("file") and not asked.get("entity"):
        raise ValidationError({"file": [gettext("Name a file or a record.")]})
    made, new = ask_for_access(scope=scope, wish=Wish(**{**asked, "labels": tuple(asked.get("labels", ()))}))
    return Response(
        present_request(scope, made).to_json(), status=status.HTTP_201_CREATED if new else status.HTTP_200_OK
    )


@requires_rule(MEMBER)
@extend_schema(operation_id="access_request_read", methods=["GET"], responses=AccessRequestSerializer)
@extend_schema(
    operation_id="access_request_decide",
    methods=["PATCH"],
    request=DecisionSerializer,
    responses=AccessRequestSerializer,
)
@api_view(["GET", "PATCH"])
@parser_classes([JSONParser])
def access_request(request: Request, pk: UUID) -> Response:
    """A request. Stewards decide on those of others: granted, refused, or withdrawn once granted. Who asked may take it
    back while it waits: recalled.
    """
    scope = get_scope(request)
    row = get_request_or_404(scope, pk)
    if request.method == "PATCH":
        given = DecisionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if given.validated_data["state"] == State.RECALLED:
            row = recall_request(scope=scope, request=row)
        else:
            row = decide_access(scope=scope, request=row, **given.validated_data)
    shown = present_request(scope, row)
    mark_decisions_disclosed(scope, [row])
    return Response(shown.to_json())
