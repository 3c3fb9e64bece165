"""Files in quarantine over the API. Transport only: the work is in `quarantine`."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import STEWARD, requires
from entities.api.lists import paginate
from entities.api.shapes import PAGING, Whole, build_page_shape
from ingestion import quarantine
from ingestion.access import get_file_or_404
from ingestion.api import get_scope
from ingestion.file_shapes import FileSerializer
from ingestion.listing import build_file_view


class QuarantinedSerializer(serializers.Serializer):
    """losses: what the file holds and was not read, in sentences. rejected: a steward kept it back, which can be taken
    back. readable: whether an earlier version is shown."""

    file = FileSerializer()
    losses = serializers.ListField(child=serializers.CharField())
    releasable = serializers.BooleanField()
    rejectable = serializers.BooleanField()
    rejected = serializers.BooleanField()
    readable = serializers.BooleanField()


class ReviewSerializer(Whole):
    decision = serializers.ChoiceField(list(quarantine.DECISIONS))


@requires(STEWARD)
@extend_schema(responses=build_page_shape(QuarantinedSerializer), parameters=PAGING)
@api_view(["GET"])
def quarantined_files(request: Request) -> Response:
    """For stewards: the files in quarantine that they may see, the latest first."""
    return paginate(
        request,
        quarantine.list_quarantined(get_scope(request)),
        lambda found: {
            "file": found.file.to_json(),
            "losses": list(found.losses),
            "releasable": found.releasable,
            "rejectable": found.rejectable,
            "rejected": found.rejected,
            "readable": found.readable,
        },
    )


@requires(STEWARD)
@extend_schema(request=ReviewSerializer, responses=FileSerializer)
@api_view(["POST"])
@parser_classes([JSONParser])
def review(request: Request, pk: UUID) -> Response:
    """A steward's decision: publish what was read, keep the version back, or take that back: then it is read again."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    given = ReviewSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    decide = quarantine.DECISIONS[given.validated_data["decision"]]
    return Response(build_file_view(scope, decide(scope=scope, file=file)).to_json())
