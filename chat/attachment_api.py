"""Attachments of conversations over the API. Transport only: the work is in `chat.attachments`."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from chat.access import get_session_or_404
from chat.attachments import add_attachment, list_attached, remove_attached
from chat.turn_api import get_scope
from entities.access import MEMBER, requires
from entities.api import paginate
from entities.api.shapes import PAGING, build_page_shape
from ingestion.file_shapes import FileSerializer, UploadSerializer


@requires(MEMBER)
@extend_schema(
    operation_id="chat_attachments_list",
    methods=["GET"],
    responses=build_page_shape(FileSerializer),
    parameters=PAGING,
)
@extend_schema(
    operation_id="chat_attachments_create",
    methods=["POST"],
    description="Attach a file to a conversation that you read. Nobody else is told of it, whoever reads the"
    " conversation; your questions there look in it, and it goes with the conversation.",
    request={"multipart/form-data": UploadSerializer},
    responses={202: FileSerializer},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser, FormParser])
def attachments(request: Request, pk: UUID) -> Response:
    """The files that the caller has attached to a conversation; attach one."""
    scope = get_scope(request)
    session = get_session_or_404(scope, pk)
    if request.method == "GET":
        return paginate(request, list_attached(scope, session), lambda view: view.to_json())
    view = add_attachment(scope=scope, session=session, files=request.FILES, data=request.data)
    return Response(view.to_json(), status=status.HTTP_202_ACCEPTED)


@requires(MEMBER)
@extend_schema(
    operation_id="chat_attachments_delete",
    description="Delete a file that you attached, for good, with the answers that were drawn from it.",
    responses={204: None},
)
@api_view(["DELETE"])
def attachment(request: Request, pk: UUID, file: UUID) -> Response:
    scope = get_scope(request)
    remove_attached(scope=scope, session=get_session_or_404(scope, pk), pk=file)
    return Response(status=status.HTTP_204_NO_CONTENT)
