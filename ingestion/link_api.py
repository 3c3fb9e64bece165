"""Links of files over the API."""

from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, requires
from entities.api.lists import paginate
from entities.api.shapes import PAGING, Label, build_page_shape
from ingestion.access import get_file_or_404
from ingestion.api import get_scope
from ingestion.link_targets import Reason
from ingestion.link_views import list_backlinks, list_links


class LinkTargetSerializer(serializers.Serializer):
    """file: null for a record as a whole. passage: the paragraph that the link's anchor names."""

    entity = serializers.UUIDField()
    file = serializers.UUIDField(allow_null=True)
    name = serializers.CharField()
    passage = serializers.UUIDField(allow_null=True)


class LinkSerializer(serializers.Serializer):
    """passage: the paragraph it stands in. reason: why it leads nowhere, or not to the place that it names; null where
    it leads to its one target."""

    id = serializers.UUIDField()
    passage = serializers.UUIDField()
    words = serializers.CharField()
    target = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    reason = serializers.ChoiceField([reason.value for reason in Reason], allow_null=True)
    targets = LinkTargetSerializer(many=True)


class BacklinkSerializer(serializers.Serializer):
    """A file with links to this one. count: of those that the caller may read."""

    file = serializers.UUIDField()
    name = serializers.CharField()
    count = serializers.IntegerField()


@requires(MEMBER)
@extend_schema(
    responses=build_page_shape(LinkSerializer),
    parameters=[*PAGING, OpenApiParameter("reason", str, enum=[reason.value for reason in Reason])],
)
@api_view(["GET"])
def file_links(request: Request, pk: UUID) -> Response:
    """The links in what the caller may read of a file, in order, with where each leads for them. `reason` asks for
    those that lead nowhere for that reason."""
    scope = get_scope(request)
    found = list_links(scope, get_file_or_404(scope, pk))
    reason = request.query_params.get("reason", "")
    if reason and reason not in list(Reason):
        raise ValidationError({"reason": [gettext("Reasons are: %(reasons)s.") % {"reasons": ", ".join(Reason)}]})
    return paginate(request, [v for v in found if not reason or v.reason == reason], lambda view: view.to_json())


@requires(MEMBER)
@extend_schema(responses=build_page_shape(BacklinkSerializer), parameters=PAGING)
@api_view(["GET"])
def file_backlinks(request: Request, pk: UUID) -> Response:
    """Files with links that lead the caller to this one."""
    scope = get_scope(request)
    found = list_backlinks(scope, get_file_or_404(scope, pk))
    return paginate(request, found, lambda b: {"file": str(b.file), "name": b.name, "count": b.count})
