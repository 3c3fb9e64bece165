"""Paragraphs of files and their votes over the API, for stewards (design §11)."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import STEWARD, opens_own_scope, requires
from entities.api.lists import label_list, list_atom_labels, paginate
from entities.api.shapes import PAGING, Label, Whole, build_page_shape
from entities.api.versions import refuse_if_needed
from ingestion.access import get_file_or_404
from ingestion.api import get_scope
from ingestion.models import Paragraph
from ingestion.relabelling import digest_judged, get_paragraph_or_404, relabel_paragraph
from ingestion.votes import SOURCES, Vote, build_votes, decide_atoms


class VoteSerializer(serializers.Serializer):
    """by: the user who decided, for "manual". confidence: of "model", 0 to 1. proposed: labels that "rules" suggest to
    stewards. public: that no label is needed was decided. held: `labels` are suggested until somebody else has
    judged the text."""

    source = serializers.ChoiceField(sorted(SOURCES))  # type: ignore[assignment]
    labels = Label(many=True)
    reason = serializers.CharField()
    by = serializers.IntegerField(required=False)
    confidence = serializers.FloatField(required=False)
    proposed = Label(many=True, required=False)
    public = serializers.BooleanField(required=False)
    held = serializers.BooleanField(required=False)


class ParagraphSerializer(serializers.Serializer):
    """labels: null until it has been classified. floor: what it has at least, from its file and its collection,
    and without a label from what was found in it. judged: whether somebody or something knows the label; else the text
    rests. seen: to be sent back with a decision."""

    id = serializers.UUIDField()
    page = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    floor = Label(many=True)
    judged = serializers.BooleanField()
    votes = VoteSerializer(many=True)
    seen = serializers.CharField()


class RelabelledSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    labels = Label(many=True)
    votes = VoteSerializer(many=True)


class RelabelSerializer(Whole):
    """seen: of a paragraph as it was listed; should it be another by now, nothing is decided (409)."""

    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), allow_empty=True)
    reason = serializers.CharField(max_length=500)
    seen = serializers.CharField(max_length=64, required=False)


@requires(STEWARD)
@extend_schema(responses=build_page_shape(ParagraphSerializer), parameters=PAGING)
@api_view(["GET"])
def file_paragraphs(request: Request, pk: UUID) -> Response:
    """For stewards: the paragraphs they are cleared for, in order, with their votes. Positions would tell of others."""
    file = get_file_or_404(get_scope(request), pk)
    return paginate(request, Paragraph.objects.filter(file=file.pk).order_by("position"), build_paragraph_json)


@opens_own_scope
@requires(STEWARD)
@extend_schema(request=RelabelSerializer, responses=RelabelledSerializer)
@api_view(["PATCH"])
@parser_classes([JSONParser])
def paragraph_detail(request: Request, pk: UUID) -> Response:
    """A steward's decision on a label, with its reason. It holds when the scope is closed."""
    scope = get_scope(request)
    with scope.open():
        paragraph = get_paragraph_or_404(scope, pk)
        given = RelabelSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if "seen" not in given.validated_data:
            refuse_if_needed()
        votes = relabel_paragraph(scope=scope, paragraph=paragraph, **given.validated_data)
        atoms = decide_atoms(votes, model_needed=False) or frozenset()
        shown = {"labels": list_atom_labels(atoms), "votes": [vote_json(vote) for vote in votes]}
    return Response({"id": str(paragraph.pk), **shown})


def build_paragraph_json(paragraph: Paragraph) -> dict[str, Any]:
    label = paragraph.data_classification
    return {
        "id": str(paragraph.pk),
        "page": paragraph.page,
        "text": paragraph.text,
        "labels": None if label is None else label_list(label),
        "floor": label_list(paragraph.floor),
        "judged": paragraph.judged,
        "votes": [vote_json(vote) for vote in build_votes(paragraph.votes)],
        "seen": digest_judged(paragraph),
    }


def vote_json(vote: Vote) -> dict[str, Any]:
    data: dict[str, Any] = {"source": vote.source, "labels": list_atom_labels(vote.labels), "reason": vote.reason}
    if vote.by is not None:
        data["by"] = vote.by
    if vote.confidence is not None:
        data["confidence"] = vote.confidence
    if vote.proposed:
        data["proposed"] = list_atom_labels(vote.proposed)
    if vote.public:
        data["public"] = True
    if vote.held:
        data["held"] = True
    return data
