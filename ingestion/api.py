"""Files over the API (design §11). Transport only: the work is in `actions`, `retries`, `listing` and `reader`."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, Scope, get_entity_or_404, requires
from entities.api.lists import paginate
from entities.api.repeats import IDEMPOTENCY_KEY, make_once
from entities.api.shapes import FILE_IN_THE_BIN, FOREVER, PAGING, build_page_shape, is_forever
from entities.api.versions import IF_MATCH, answer_with_version, check_version
from entities.models import Entity
from ingestion import actions, downloads, retries, strategies
from ingestion.access import get_file_or_404, get_record_for, hold_or_404
from ingestion.bin import bin_file
from ingestion.file_shapes import (
    BatchRetriedSerializer,
    BatchSerializer,
    FileChangeSerializer,
    FileSerializer,
    ReaderSerializer,
    UploadSerializer,
)
from ingestion.folder_addresses import read_addresses
from ingestion.listing import build_file_view, list_files
from ingestion.models import File
from ingestion.moving import move_file
from ingestion.reader import NOTICE, list_blocks


def get_scope(request: Request) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@extend_schema(
    operation_id="entity_files_list", methods=["GET"], responses=build_page_shape(FileSerializer), parameters=PAGING
)
@extend_schema(
    operation_id="entity_files_upload",
    methods=["POST"],
    request={"multipart/form-data": UploadSerializer},
    parameters=[IDEMPOTENCY_KEY],
    responses={202: FileSerializer},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser, FormParser])
def entity_files(request: Request, pk: UUID) -> Response:
    """The files of a record; upload one."""
    scope = get_scope(request)
    if request.method == "GET":
        return paginate(request, list_files(scope, get_entity_or_404(scope, pk)), lambda view: view.to_json())
    entity = get_record_for(scope, pk, "upload")
    taken: list[File] = []  # as it will be when this transaction has committed, where the service raises its label then

    def take() -> list[UUID]:
        taken.append(take_upload(scope, entity, request.FILES, request.data))
        return [taken[0].pk]

    (made,) = make_once(request, take)
    file = taken[0] if taken else get_file_or_404(scope, made)
    return answer_with_version(build_file_view(scope, file).to_json(), status.HTTP_202_ACCEPTED)


def answer_with_file(scope: Scope, pk: UUID, status: int = 200) -> Response:
    return answer_with_version(build_file_view(scope, get_file_or_404(scope, pk)).to_json(), status)


def check_file_version(request: Request, file: File) -> None:
    """Of a file that is about to be written, which is held from here on. Raises: VersionIsOlder, VersionNeeded."""
    scope = get_scope(request)
    check_version(request, lambda: build_file_view(scope, hold_or_404(file)).list_values())


@requires(MEMBER)
@extend_schema(request=BatchSerializer, responses={202: BatchRetriedSerializer})
@api_view(["POST"])
def entity_files_retry(request: Request, pk: UUID) -> Response:
    """Try again what the caller sent to a record as one batch and what failed or was stopped for time."""
    scope = get_scope(request)
    entity = get_record_for(scope, pk, "upload")
    given = BatchSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    count = retries.retry_batch(scope=scope, entity=entity, batch=given.validated_data["batch"])
    return Response({"retried": count}, status=status.HTTP_202_ACCEPTED)


def take_upload(scope: Scope, entity: Entity, files: Any, data: Any, goes_with: Sequence[UUID] = ()) -> File:
    """The upload of a multipart request, from a program or a page. Raises: ValidationError, BadUpload, TooLarge."""
    upload = files.get("file")
    if upload is None:
        raise ValidationError({"file": [gettext("Send the file as the multipart field “file”.")]})
    upload.name = upload.name.replace("%22", '"')  # as browsers and curl write it in the head of a part
    return actions.upload_file(
        scope=scope,
        entity=entity,
        upload=upload,
        collection=str(data.get("collection") or ""),
        labels=read_labels(data),
        path=str(data.get("path") or ""),
        strategy=str(data.get("strategy") or ""),
        batch=read_batch(data),
        addresses=read_addresses(read_list(data, "address"), str(data.get("address_folder") or "")),
        goes_with=goes_with,
    )


def read_batch(data: Any) -> UUID | None:
    given = str(data.get("batch") or "")
    try:
        return UUID(given) if given else None
    except ValueError:
        raise ValidationError({"batch": [gettext("A batch is a UUID of your choice.")]}) from None


def read_list(data: Any, name: str) -> list[str]:
    """A field that may be repeated, or hold several texts with white space between them."""
    given = data.getlist(name) if hasattr(data, "getlist") else data.get(name) or []
    return [part for item in given for part in str(item).split()]


def read_labels(data: Any) -> list[int]:
    """`labels` as repeated fields or as one list separated by commas."""
    given = data.getlist("labels") if hasattr(data, "getlist") else data.get("labels") or []
    parts = [part.strip() for item in given for part in str(item).split(",") if part.strip()]
    try:
        return [int(part) for part in parts]
    except ValueError:
        raise ValidationError({"labels": [gettext("Labels are numbers, as `GET me/` lists them.")]}) from None


@requires(MEMBER)
@extend_schema(operation_id="file_read", methods=["GET"], responses=FileSerializer)
@extend_schema(
    operation_id="file_delete",
    methods=["DELETE"],
    description=FILE_IN_THE_BIN,
    parameters=[FOREVER, IF_MATCH],
    responses={204: None},
)
@extend_schema(
    operation_id="file_change",
    methods=["PATCH"],
    request={"application/json": FileChangeSerializer},
    parameters=[IF_MATCH],
    responses={202: FileSerializer},
)
@api_view(["GET", "PATCH", "DELETE"])
def file_detail(request: Request, pk: UUID) -> Response:
    """A file; another way of reading it, which reads it anew, or another folder, both with the verb "upload"; and
    deleting it.
    """
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    if request.method == "PATCH":
        get_record_for(scope, file.entity_id, "upload")
        given = FileChangeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        change = given.validated_data
        check_file_version(request, file)
        if (folder := change.pop("folder", None)) is not None:
            move_file(scope=scope, file=file, folder=folder)
        if "strategy" in change:
            strategies.choose_strategy(scope=scope, file=file, **change)
        return answer_with_file(scope, pk, status.HTTP_202_ACCEPTED)
    if request.method == "DELETE":
        get_record_for(scope, file.entity_id, "delete")
        check_file_version(request, file)
        delete = actions.delete_file if is_forever(request) else bin_file
        delete(scope=scope, file=file)
        return Response(status=status.HTTP_204_NO_CONTENT)
    return answer_with_file(scope, pk)


@requires(MEMBER)
@extend_schema(request=None, responses={202: FileSerializer})
@api_view(["POST"])
def file_retry(request: Request, pk: UUID) -> Response:
    scope = get_scope(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    file = retries.retry_file(scope=scope, file=file)
    return answer_with_file(scope, file.pk, status.HTTP_202_ACCEPTED)


@requires(MEMBER)
@extend_schema(responses=ReaderSerializer)
@api_view(["GET"])
def file_reader(request: Request, pk: UUID) -> Response:
    scope = get_scope(request)
    found = list_blocks(scope, get_file_or_404(scope, pk), granted=True)
    return Response({"notice": NOTICE, "blocks": [block.to_json() for block in found]})


@requires(MEMBER)
@extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
@api_view(["GET"])
def file_download(request: Request, pk: UUID) -> Any:
    """The original, where the caller is cleared for everything in it; else 403."""
    scope = get_scope(request)
    return downloads.stream_original(request._request, *downloads.open_original(scope, get_file_or_404(scope, pk)))
