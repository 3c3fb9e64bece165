"""What the reader does not show of a file over the API. Transport only: the work is in `settling`."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, STEWARD, opens_own_scope, requires
from entities.api.lists import paginate
from entities.api.shapes import PAGING, Label, Whole, build_page_shape
from ingestion.access import get_file_or_404
from ingestion.api import get_scope
from ingestion.downloads import describe_refusal
from ingestion.file_shapes import FileSerializer
from ingestion.listing import build_file_views
from ingestion.remainder_decisions import Unread, find_unread, select_files_to_settle, settle_remainder


class RemainderSerializer(serializers.Serializer):
    """labels: which the original needs for it, beside those of the text that is shown; null until a steward has
    decided. unread: what of the file is no text, or was not read, in sentences. waits: whether a steward is to decide.
    reason: of the decision in force. seen: to be sent back with a decision.
    """

    labels = Label(many=True, allow_null=True)
    unread = serializers.ListField(child=serializers.CharField())
    waits = serializers.BooleanField()
    reason = serializers.CharField()
    seen = serializers.CharField()


class RemainderDecisionSerializer(Whole):
    """labels: the atoms it needs; none for Public. The original needs those of the file's text all the same. seen: as
    it was shown; where it has changed since, the answer is 409."""

    labels = serializers.ListField(child=serializers.IntegerField(), allow_empty=True)
    reason = serializers.CharField(max_length=500)
    seen = serializers.CharField(max_length=64, required=False, default="")


@requires(STEWARD)
@extend_schema(responses=build_page_shape(FileSerializer), parameters=PAGING)
@api_view(["GET"])
def desk_files(request: Request) -> Response:
    """For stewards: the files of which something was not read and has no label, the oldest first. One that they are not
    cleared for beside that is not among them."""
    scope = get_scope(request)
    views = build_file_views(scope, select_files_to_settle(scope), known=True)
    return paginate(request, views, lambda view: view.to_json())


@opens_own_scope
@requires(MEMBER)
@extend_schema(operation_id="file_remainder_read", methods=["GET"], responses=RemainderSerializer)
@extend_schema(
    operation_id="file_remainder_settle",
    methods=["PATCH"],
    request=RemainderDecisionSerializer,
    responses=RemainderSerializer,
)
@api_view(["GET", "PATCH"])
@parser_classes([JSONParser])
def file_remainder(request: Request, pk: UUID) -> Response:
    """What the reader does not show of a file, and its label: for who is cleared for all of the file, else 403. A
    steward may give it a label."""
    scope = get_scope(request)
    with scope.open():
        file = get_file_or_404(scope, pk)
        unread: Unread | None
        if request.method == "PATCH":
            given = RemainderDecisionSerializer(data=request.data)
            given.is_valid(raise_exception=True)
            unread = settle_remainder(scope=scope, file=file, **given.validated_data)
        else:
            unread = find_unread(scope, file)
        if unread is None:
            raise PermissionDenied(describe_refusal(file))
        shown = unread.to_json()
    return Response(shown)
