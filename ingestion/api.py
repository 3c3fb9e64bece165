"""Files over the API (design §11). Transport only: the work is in `actions`, `listing`, `reader` and `relabelling`."""

from typing import Any, get_args
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, STEWARD, Scope, get_entity_or_404, requires
from entities.api.lists import label_list, labels_of_atoms, paginate
from entities.api.shapes import PAGING, Label, Placeholder, TextBlock, Whole, one_of, page_of
from entities.models import Entity
from entities.rag import Strategy
from ingestion import actions, downloads
from ingestion.access import get_file_or_404, get_record_for
from ingestion.link_targets import Reason
from ingestion.link_views import linked_from, links_of
from ingestion.listing import file_view, list_files
from ingestion.models import File, Paragraph
from ingestion.reader import NOTICE, blocks
from ingestion.relabelling import get_paragraph_or_404
from ingestion.votes import SOURCES, Vote, decide, votes_of

STRATEGY_CHOICES = list(get_args(Strategy))


class FileError(serializers.Serializer):
    """page: of the file, where that is the caller's to know."""

    code = serializers.CharField()
    detail = serializers.CharField()
    page = serializers.IntegerField(required=False)


class FileNote(serializers.Serializer):
    """How the file was read, such as under another type than its name says."""

    code = serializers.CharField()
    detail = serializers.CharField()


class FileSerializer(serializers.Serializer):
    """The file object. name, size and pages are null where they are not the caller's to know. origin: the file that it
    came in as an attachment. notes: told to who uploaded it and to stewards."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)
    media_type = serializers.CharField()
    size = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(["pending", "processing", "ready", "quarantined", "failed"])
    stage = serializers.CharField()
    progress = serializers.IntegerField()
    error = FileError(allow_null=True)
    pages = serializers.IntegerField(allow_null=True)
    entity = serializers.UUIDField()
    collection = serializers.CharField()
    labels = Label(many=True)
    revision = serializers.IntegerField()
    origin = serializers.UUIDField(allow_null=True)
    strategy = serializers.ChoiceField(STRATEGY_CHOICES)
    notes = FileNote(many=True)


class UploadSerializer(serializers.Serializer):
    file = serializers.FileField()
    collection = serializers.CharField(required=False)
    labels = serializers.ListField(child=serializers.IntegerField(), required=False)
    path = serializers.CharField(
        required=False, help_text="Where it stood among other files, with its name: links between files follow it."
    )
    strategy = serializers.ChoiceField(STRATEGY_CHOICES, required=False)
    batch = serializers.UUIDField(required=False, help_text="The same for all that is sent together.")


class FileText(TextBlock):
    """A paragraph of a file. page: from 1, null where the format has none. section: the headings above it. read_by: who
    read it, only of text that was read off a picture."""

    page = serializers.IntegerField(allow_null=True)
    section = serializers.CharField()
    read_by = serializers.ChoiceField(["ocr", "vision"], required=False)


class FilePlaceholder(Placeholder):
    """A run of paragraphs that need more clearance."""

    page = serializers.IntegerField(allow_null=True)


class ReaderSerializer(serializers.Serializer):
    notice = serializers.CharField()
    blocks = serializers.ListField(child=one_of("FileBlock", FileText, FilePlaceholder))


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


class VoteSerializer(serializers.Serializer):
    """by: the user who decided, for "manual". confidence: of "model", 0 to 1."""

    source = serializers.ChoiceField(sorted(SOURCES))  # type: ignore[assignment]
    labels = Label(many=True)
    reason = serializers.CharField()
    by = serializers.IntegerField(required=False)
    confidence = serializers.FloatField(required=False)


class ParagraphSerializer(serializers.Serializer):
    """labels: null until it has been classified. floor: what it has at least, from its file and its collection,
    and without a label from what was found in it."""

    id = serializers.UUIDField()
    page = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    floor = Label(many=True)
    votes = VoteSerializer(many=True)


class RelabelledSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    labels = Label(many=True)
    votes = VoteSerializer(many=True)


class RelabelSerializer(Whole):
    """seen: of a paragraph as `GET desk/` gave it; should it be another by now, nothing is decided (409)."""

    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), allow_empty=True)
    reason = serializers.CharField(max_length=500)
    seen = serializers.CharField(max_length=64, required=False)


def scope_of(request: Request) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(MEMBER)
@extend_schema(operation_id="entity_files_list", methods=["GET"], responses=page_of(FileSerializer), parameters=PAGING)
@extend_schema(
    operation_id="entity_files_upload",
    methods=["POST"],
    request={"multipart/form-data": UploadSerializer},
    responses={202: FileSerializer},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser, FormParser])
def entity_files(request: Request, pk: UUID) -> Response:
    """The files of a record; upload one."""
    scope = scope_of(request)
    entity = get_entity_or_404(scope, pk)
    if request.method == "GET":
        return paginate(request, list_files(scope, entity), lambda view: view.to_json())
    get_record_for(scope, pk, "upload")
    file = take_upload(scope, entity, request.FILES, request.data)
    return Response(file_view(scope, file).to_json(), status=status.HTTP_202_ACCEPTED)


def take_upload(scope: Scope, entity: Entity, files: Any, data: Any) -> File:
    """The upload of a multipart request, from a program or a page. Raises: ValidationError, BadUpload, TooLarge."""
    upload = files.get("file")
    if upload is None:
        raise ValidationError({"file": ["Send the file as the multipart field “file”."]})
    return actions.upload_file(
        scope=scope,
        entity=entity,
        upload=upload,
        collection=str(data.get("collection") or ""),
        labels=read_labels(data),
        path=str(data.get("path") or ""),
        strategy=str(data.get("strategy") or ""),
        batch=read_batch(data),
    )


def read_batch(data: Any) -> UUID | None:
    given = str(data.get("batch") or "")
    try:
        return UUID(given) if given else None
    except ValueError:
        raise ValidationError({"batch": ["A batch is a UUID of your choice."]}) from None


def read_labels(data: Any) -> list[int]:
    """`labels` as repeated fields or as one list separated by commas."""
    given = data.getlist("labels") if hasattr(data, "getlist") else data.get("labels") or []
    parts = [part.strip() for item in given for part in str(item).split(",") if part.strip()]
    try:
        return [int(part) for part in parts]
    except ValueError:
        raise ValidationError({"labels": ["Labels are numbers, as `GET me/` lists them."]}) from None


@requires(MEMBER)
@extend_schema(operation_id="file_read", methods=["GET"], responses=FileSerializer)
@extend_schema(operation_id="file_delete", methods=["DELETE"], responses={204: None})
@api_view(["GET", "DELETE"])
def file_detail(request: Request, pk: UUID) -> Response:
    scope = scope_of(request)
    file = get_file_or_404(scope, pk)
    if request.method == "DELETE":
        get_record_for(scope, file.entity_id, "delete")
        actions.delete_file(scope=scope, file=file)
        return Response(status=status.HTTP_204_NO_CONTENT)
    return Response(file_view(scope, file).to_json())


@requires(MEMBER)
@extend_schema(request=None, responses={202: FileSerializer})
@api_view(["POST"])
def file_retry(request: Request, pk: UUID) -> Response:
    scope = scope_of(request)
    file = get_file_or_404(scope, pk)
    get_record_for(scope, file.entity_id, "upload")
    file = actions.retry_file(scope=scope, file=file)
    return Response(file_view(scope, file).to_json(), status=status.HTTP_202_ACCEPTED)


@requires(MEMBER)
@extend_schema(responses=ReaderSerializer)
@api_view(["GET"])
def file_reader(request: Request, pk: UUID) -> Response:
    scope = scope_of(request)
    found = blocks(scope, get_file_or_404(scope, pk))
    return Response({"notice": NOTICE, "blocks": [block.to_json() for block in found]})


@requires(MEMBER)
@extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
@api_view(["GET"])
def file_download(request: Request, pk: UUID) -> Any:
    """The original, where the caller is cleared for everything in it; else 403."""
    scope = scope_of(request)
    return downloads.stream(request._request, *downloads.original(scope, get_file_or_404(scope, pk)))


@requires(MEMBER)
@extend_schema(
    responses=page_of(LinkSerializer),
    parameters=[*PAGING, OpenApiParameter("reason", str, enum=[reason.value for reason in Reason])],
)
@api_view(["GET"])
def file_links(request: Request, pk: UUID) -> Response:
    """The links in what the caller may read of a file, in order, with where each leads for them. `reason` asks for
    those that lead nowhere for that reason."""
    scope = scope_of(request)
    found = links_of(scope, get_file_or_404(scope, pk))
    reason = request.query_params.get("reason", "")
    if reason and reason not in list(Reason):
        raise ValidationError({"reason": [f"Reasons are: {', '.join(Reason)}."]})
    return paginate(request, [v for v in found if not reason or v.reason == reason], lambda view: view.to_json())


@requires(MEMBER)
@extend_schema(responses=page_of(BacklinkSerializer), parameters=PAGING)
@api_view(["GET"])
def file_backlinks(request: Request, pk: UUID) -> Response:
    """Files with links that lead the caller to this one."""
    scope = scope_of(request)
    found = linked_from(scope, get_file_or_404(scope, pk))
    return paginate(request, found, lambda b: {"file": str(b.file), "name": b.name, "count": b.count})


@requires(STEWARD)
@extend_schema(responses=page_of(ParagraphSerializer), parameters=PAGING)
@api_view(["GET"])
def file_paragraphs(request: Request, pk: UUID) -> Response:
    """For stewards: the paragraphs they are cleared for, in order, with their votes. Positions would tell of others."""
    file = get_file_or_404(scope_of(request), pk)
    return paginate(request, Paragraph.objects.filter(file=file.pk).order_by("position"), paragraph_json)


@requires(STEWARD)
@extend_schema(request=RelabelSerializer, responses=RelabelledSerializer)
@api_view(["PATCH"])
@parser_classes([JSONParser])
def paragraph_detail(request: Request, pk: UUID) -> Response:
    """A steward's decision on a label, with its reason."""
    scope = scope_of(request)
    paragraph = get_paragraph_or_404(scope, pk)
    given = RelabelSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    votes = actions.relabel_paragraph(scope=scope, paragraph=paragraph, **given.validated_data)
    atoms = decide(votes, model_needed=False) or frozenset()
    return Response(
        {"id": str(paragraph.pk), "labels": labels_of_atoms(atoms), "votes": [vote_json(vote) for vote in votes]}
    )


def paragraph_json(paragraph: Paragraph) -> dict[str, Any]:
    label = paragraph.data_classification
    return {
        "id": str(paragraph.pk),
        "page": paragraph.page,
        "text": paragraph.text,
        "labels": None if label is None else label_list(label),
        "floor": label_list(paragraph.floor),
        "votes": [vote_json(vote) for vote in votes_of(paragraph.votes)],
    }


def vote_json(vote: Vote) -> dict[str, Any]:
    data: dict[str, Any] = {"source": vote.source, "labels": labels_of_atoms(vote.labels), "reason": vote.reason}
    if vote.by is not None:
        data["by"] = vote.by
    if vote.confidence is not None:
        data["confidence"] = vote.confidence
    return data
