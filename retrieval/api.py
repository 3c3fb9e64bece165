"""Search, suggestions, related records and citations over the API (design §11)."""

import time
from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, Scope, get_entity_or_404, opens_own_scope, requires
from entities.api import label_list
from entities.api.errors import TooManyRequests
from entities.api.shapes import FileRef, Label, RecordRef
from retrieval.audit import list_disclosed, note_search
from retrieval.cards import name_sent_files
from retrieval.citation_links import build_citation_json
from retrieval.dates import NEWEST, choose_newest
from retrieval.owners import get_citing_or_404
from retrieval.pace import TooManySearches, check_search_pace
from retrieval.params import read_search_query
from retrieval.query import KINDS
from retrieval.related import find_related
from retrieval.rerank import find_and_rerank
from retrieval.results import SearchResult
from retrieval.search import choose_results, list_notices
from retrieval.suggest import suggest_names

KIND_NAMES = {kind: name for name, kind in KINDS.items()}


class ScoresSerializer(serializers.Serializer):
    """vector: cosine similarity; null of a record without a vector, and of a passage that came in beside another.
    lexical: BM25 as a share of what the question's four rarest words can give; null where no word matched, or a hundred
    passages match better.
    """

    vector = serializers.FloatField(allow_null=True)
    lexical = serializers.FloatField(allow_null=True)


class ResultSerializer(serializers.Serializer):
    """A passage. score: 0 to 1, comparable within one search."""

    id = serializers.UUIDField()
    src = serializers.CharField()
    kind = serializers.ChoiceField(list(KINDS))
    score = serializers.FloatField()
    scores = ScoresSerializer()
    why = serializers.CharField()
    via_reference = serializers.BooleanField()
    text = serializers.CharField()
    labels = Label(many=True)
    entity = RecordRef()
    file = FileRef(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    section = serializers.CharField()
    url = serializers.CharField()


class ResultsSerializer(serializers.Serializer):
    """notices: sentences about what could not be done as it was asked, such as a quoted phrase that nothing holds."""

    results = ResultSerializer(many=True)
    notices = serializers.ListField(child=serializers.CharField())


class SuggestionSerializer(serializers.Serializer):
    """type: of the record, "file", or "search": the question with its last word completed. kind: the word for it. id:
    null for a search.
    """

    id = serializers.UUIDField(allow_null=True)
    type = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.CharField()
    url = serializers.CharField()


class SuggestionsSerializer(serializers.Serializer):
    results = SuggestionSerializer(many=True)


class RelatedRecord(RecordRef):
    """score: cosine similarity of the descriptions. nearly_same: the two may be one record that was entered twice."""

    score = serializers.FloatField()
    nearly_same = serializers.BooleanField()
    url = serializers.CharField()


class RelatedSerializer(serializers.Serializer):
    results = RelatedRecord(many=True)


class SourceSerializer(serializers.Serializer):
    """exact: the passage stands as it was cited."""

    type = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    entity = RecordRef(allow_null=True)
    file = FileRef(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    section = serializers.CharField()
    labels = Label(many=True)
    exact = serializers.BooleanField()


class CitationSerializer(serializers.Serializer):
    """available: whether the caller may read the source today."""

    n = serializers.IntegerField()
    available = serializers.BooleanField()
    source = SourceSerializer()  # type: ignore[assignment]
    preview = serializers.CharField()
    support = serializers.CharField(allow_null=True)
    url = serializers.CharField(allow_null=True)


def declare_list_param(name: str, kind: Any, **more: Any) -> OpenApiParameter:
    """A parameter that may be given several times."""
    return OpenApiParameter(name, kind, many=True, explode=True, **more)


def build_result_json(result: SearchResult) -> dict[str, Any]:
    return {
        "id": str(result.id),
        "src": result.src,
        "kind": KIND_NAMES[result.kind],
        "score": result.score,
        "scores": {"vector": result.scores.vector, "lexical": result.scores.lexical},
        "why": result.why,
        "via_reference": result.via_reference,
        "text": result.text,
        "labels": label_list(result.label),
        "entity": {"id": str(result.entity.id), "type": result.entity.type, "name": result.entity.name},
        "file": {"id": str(result.file.id), "name": result.file.name} if result.file else None,
        "page": result.page,
        "section": result.section,
        "url": result.url,
    }


@opens_own_scope
@requires(MEMBER)
@extend_schema(
    operation_id="search",
    responses=ResultsSerializer,
    parameters=[
        OpenApiParameter("q", str, required=True),
        declare_list_param("type", str),
        declare_list_param("entity", UUID),
        declare_list_param("file", UUID),
        declare_list_param("collection", str),
        declare_list_param("session", UUID),
        declare_list_param("kind", str, enum=list(KINDS)),
        OpenApiParameter("since", str, description="First day, like 2026-03-31."),
        OpenApiParameter("until", str, description="Last day."),
        OpenApiParameter("reference_depth", int, description="Follow references from the given entities so far."),
        OpenApiParameter("limit", int),
        OpenApiParameter("sort", str, enum=[NEWEST], description="The latest of the best ones first."),
    ],
)
@api_view(["GET"])
def search_view(request: Request) -> Response:
    """The passages that answer `q` best, among those that the caller may see. What stands in quotation marks must stand
    in a passage word for word; where no passage holds it, a notice says so and the nearest are given.
    """
    scope = get_scope(request)
    try:
        check_search_pace(scope)
    except TooManySearches as refused:
        raise TooManyRequests(str(refused)) from None
    asked = read_search_query(scope, request.query_params)
    problems = {name: [sentence] for name, sentence in asked.problems.items()}
    if "\x00" in request.query_params.get("q", ""):
        problems["q"] = [gettext("A question holds no NUL characters.")]
    elif not asked.text:
        problems["q"] = [gettext("Say what to look for.")]
    if (sort := request.query_params.get("sort", "")) not in ("", NEWEST):
        problems["sort"] = [gettext("Only newest can be asked for; without it the best come first.")]
    if problems:
        raise ValidationError(problems)
    started, depth = time.monotonic(), asked.reference_depth
    found = find_and_rerank(scope, asked.text, within=asked.within, reference_depth=depth)
    with scope.open():
        results = choose_newest(scope, found).results if sort else choose_results(scope, found, limit=asked.limit)
        results = results[: asked.limit]
        shown = list_disclosed(results)
        note_search(scope, "api", found, asked.within, shown, started, depth=depth, written=asked.written)
        answer = [build_result_json(result) for result in name_sent_files(scope, results)]
    return Response({"results": answer, "notices": list_notices(found, cut=asked.cut)})


@requires(MEMBER)
@extend_schema(
    operation_id="suggest", responses=SuggestionsSerializer, parameters=[OpenApiParameter("q", str, required=True)]
)
@api_view(["GET"])
def suggest_view(request: Request) -> Response:
    """Names of records and files that hold `q`, and `q` with its last word completed from text that the caller sees."""
    found = suggest_names(get_scope(request), request.query_params.get("q", ""))
    return Response(
        {"results": [{"id": s.id, "type": s.type, "name": s.name, "kind": s.kind, "url": s.url} for s in found]}
    )


@requires(MEMBER)
@extend_schema(operation_id="related", responses=RelatedSerializer)
@api_view(["GET"])
def related_view(request: Request, pk: UUID) -> Response:
    """The records whose description is nearest in meaning."""
    scope = get_scope(request)
    found = find_related(scope, get_entity_or_404(scope, pk))
    return Response(
        {
            "results": [
                {
                    "id": str(r.entity.id),
                    "type": r.entity.type,
                    "name": r.entity.name,
                    "score": r.score,
                    "nearly_same": r.nearly_same,
                    "url": r.entity.url,
                }
                for r in found
            ]
        }
    )


@requires(MEMBER)
@extend_schema(operation_id="citation", responses=CitationSerializer)
@api_view(["GET"])
def citation_view(request: Request, pk: UUID, n: int) -> Response:
    """What `[n]` in a message or a Pulse stands for, under today's labels and permissions."""
    scope = get_scope(request)
    answer = build_citation_json(scope, get_citing_or_404(scope, pk), n)
    if answer is None:
        raise NotFound()
    return Response(answer)


def get_scope(request: Request) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]
