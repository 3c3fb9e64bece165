"""The bin over the API. Transport only: the work is in `bin`."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, requires
from entities.api.lists import paginate
from entities.api.shapes import PAGING, build_page_shape
from ingestion import bin
from ingestion.api import get_scope


class BinEntrySerializer(serializers.Serializer):
    """record: the name of a file's record, "" of a record. ends_at: when it is deleted for good."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(["record", "file"])
    name = serializers.CharField()
    record = serializers.CharField(allow_blank=True)
    deleted_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


@requires(MEMBER)
@extend_schema(responses=build_page_shape(BinEntrySerializer), parameters=PAGING)
@api_view(["GET"])
def bin_list(request: Request) -> Response:
    """Deleted records and files that the caller may restore, the latest first."""
    return paginate(request, bin.list_bin(get_scope(request)), lambda entry: BinEntrySerializer(entry).data)


@requires(MEMBER)
@extend_schema(request=None, responses={204: None})
@api_view(["POST"])
def restore(request: Request, pk: UUID) -> Response:
    """Take a record or file out of the bin, with all that went with it. 409: what it belongs to is in the bin too."""
    bin.restore_entry(scope=get_scope(request), pk=pk)
    return Response(status=status.HTTP_204_NO_CONTENT)


@requires(MEMBER)
@extend_schema(responses={204: None})
@api_view(["DELETE"])
def delete_for_good(request: Request, pk: UUID) -> Response:
    """Delete a record or file that is in the bin for good."""
    bin.delete_for_good(scope=get_scope(request), pk=pk)
    return Response(status=status.HTTP_204_NO_CONTENT)
