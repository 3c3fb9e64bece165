"""Versions of files over the API. Transport only: the work is in `versions` and `version_actions`."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, requires
from entities.api.lists import paginate
from entities.api.shapes import PAGING, build_page_shape
from ingestion import downloads
from ingestion.access import get_file_or_404, get_record_for
from ingestion.api import get_scope
from ingestion.file_shapes import FileSerializer
from ingestion.listing import build_file_view
from ingestion.version_actions import restore_version
from ingestion.versions import get_original, list_versions


class ChangesSerializer(serializers.Serializer):
    """Paragraphs that the caller may read, by what the version did to them."""

    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    relabelled = serializers.IntegerField()


class VersionSerializer(serializers.Serializer):
    """by: who sent the bytes. size: null where it is not the caller's to know. restores: number of the earlier version
    that this one brought back. changes: null where it was never published."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(["current", "coming", "earlier", "unpublished"])
    by = serializers.CharField()
    at = serializers.DateTimeField()
    size = serializers.IntegerField(allow_null=True)
    restores = serializers.IntegerField(allow_null=True)
    restored_by = serializers.CharField(allow_null=True)
    changes = ChangesSerializer(allow_null=True)
    restorable = serializers.BooleanField()
    downloadable = serializers.BooleanField()


@requires(MEMBER)
@extend_schema(responses=build_page_shape(VersionSerializer), parameters=PAGING)
@api_view(["GET"])
def file_versions(request: Request, pk: UUID) -> Response:
    """The versions of a file, the newest first, and what changed with each as far as the caller may know."""
    scope = get_scope(request)
    found = list_versions(scope, get_file_or_404(scope, pk))
    return paginate(request, found, lambda version: version.to_json())


@requires(MEMBER)
@extend_schema(request=None, responses={202: FileSerializer})
@api_view(["POST"])
def restore(request: Request, pk: UUID, number: int) -> Response:
    """Publish an earlier version again, as the next one. Needs the verb "upload"."""
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    file = restore_version(scope=scope, file=file, number=number)
    return Response(build_file_view(scope, file).to_json(), status=status.HTTP_202_ACCEPTED)


@requires(MEMBER)
@extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
@api_view(["GET"])
def download(request: Request, pk: UUID, number: int) -> Any:
    """The original of a version, for who is cleared for all that has stood in the file since; else 403."""
    scope = get_scope(request)
    return downloads.stream_original(request._request, *get_original(scope, get_file_or_404(scope, pk), number))
