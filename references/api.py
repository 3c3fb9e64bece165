"""References and the graph over the API. Transport only: the work is in `references.actions` and `references.graph`."""

from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext, gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, Scope, get_entity_or_404, hold_rows, requires
from entities.api import label_list, paginate
from entities.api.shapes import PAGING, VERSION_HELP, Label, RecordRef, build_page_shape
from entities.api.versions import IF_MATCH, answer_with_version, check_version
from entities.models import Entity
from entities.versions import build_version
from references import actions
from references.graph import DEEPEST, build_graph
from references.kinds import Kind, LocationType
from references.locations import BadLocation, Location, check_location, list_visible_locations
from references.models import Reference

NO_RECORD = gettext_lazy("There is no such record, or none that you may see.")


class NewReference(serializers.Serializer):
    source = serializers.UUIDField()  # type: ignore[assignment]
    target = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=[k for k in Kind.values if k != Kind.CITATION])
    label = serializers.CharField(  # type: ignore[assignment]
        max_length=500, required=False, allow_blank=True, default=""
    )
    reason = serializers.CharField(max_length=4000, required=False, allow_blank=True, default="")
    location_type = serializers.ChoiceField(choices=LocationType.values, required=False, allow_blank=True, default="")
    location = serializers.DictField(required=False, default=dict)


class ChangedReference(serializers.Serializer):
    kind = serializers.ChoiceField(choices=[k for k in Kind.values if k != Kind.CITATION], required=False)
    label = serializers.CharField(max_length=500, required=False, allow_blank=True)  # type: ignore[assignment]
    reason = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class OriginSerializer(serializers.Serializer):
    """principal: as whom it was made: the id of a user, or a role's with a minus sign."""

    kind = serializers.CharField()
    principal = serializers.IntegerField()


class ReferenceSerializer(serializers.Serializer):
    """How `Page.to_json` looks."""

    id = serializers.UUIDField()
    version = serializers.CharField(help_text=VERSION_HELP)
    kind = serializers.ChoiceField(Kind.values)
    source = RecordRef()  # type: ignore[assignment]
    target = RecordRef()
    label = serializers.CharField()  # type: ignore[assignment]
    reason = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    location_type = serializers.ChoiceField(LocationType.values, allow_null=True)
    location = serializers.DictField()
    origin = OriginSerializer()
    created_at = serializers.DateTimeField()


class NodeSerializer(RecordRef):
    """depth: hops from the record that was asked for."""

    depth = serializers.IntegerField()


class EdgeSerializer(serializers.Serializer):
    source = serializers.UUIDField()  # type: ignore[assignment]
    target = serializers.UUIDField()
    kind = serializers.CharField()
    count = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]


class GraphSerializer(serializers.Serializer):
    nodes = NodeSerializer(many=True)
    edges = EdgeSerializer(many=True)


@requires(MEMBER)
@extend_schema(
    operation_id="references_list",
    methods=["GET"],
    responses=build_page_shape(ReferenceSerializer),
    parameters=[
        OpenApiParameter("entity", str, description="References of this record."),
        OpenApiParameter("kind", str, enum=Kind.values),
        OpenApiParameter("direction", str, enum=["out", "in", "both"], description="As seen from `entity`."),
        *PAGING,
    ],
)
@extend_schema(
    operation_id="references_create", methods=["POST"], request=NewReference, responses={201: ReferenceSerializer}
)
@api_view(["GET", "POST"])
def references(request: Request) -> Response:
    """The references that the caller may see · a new one, whose text is hidden until it has been labelled."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    if request.method == "POST":
        made = ReferencePage(scope, [create_from_data(scope, request.data)])
        return answer_with_version(made.to_json(made.references[0]), status.HTTP_201_CREATED)
    rows = select_references(scope, request.query_params.dict())
    pages = Pages(rows, scope)
    return paginate(request, pages, lambda row: pages.cut.to_json(row))


@requires(MEMBER)
@extend_schema(
    operation_id="references_change",
    methods=["PATCH"],
    request=ChangedReference,
    parameters=[IF_MATCH],
    responses=ReferenceSerializer,
)
@extend_schema(operation_id="references_delete", methods=["DELETE"], parameters=[IF_MATCH], responses={204: None})
@api_view(["PATCH", "DELETE"])
def reference(request: Request, pk: UUID) -> Response:
    """Change the kind or the words, or remove it."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    found = get_reference_or_404(scope, pk)
    data = ChangedReference(data=request.data, partial=True)
    data.is_valid(raise_exception=True)

    def load() -> dict[str, object]:
        hold_rows(Reference.objects.filter(pk=pk), to_change=True)
        return list_values(get_reference_or_404(scope, pk))

    check_version(request, load)
    try:
        if request.method == "DELETE":
            actions.remove_reference(scope=scope, reference=found)
            return Response(status=status.HTTP_204_NO_CONTENT)
        changed = actions.change_reference(scope=scope, reference=found, **data.validated_data)
    except ValueError as problem:
        raise PermissionDenied(str(problem)) from None
    return answer_with_version(ReferencePage(scope, [changed]).to_json(changed))


@requires(MEMBER)
@extend_schema(
    operation_id="entities_graph",
    responses=GraphSerializer,
    parameters=[OpenApiParameter("depth", int, description=f"Hops, 1 to {DEEPEST}; 1 when not given.")],
)
@api_view(["GET"])
def graph(request: Request, pk: UUID) -> Response:
    """What the record is linked to, as far as the caller may see it: {nodes, edges}."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    entity = get_entity_or_404(scope, pk)
    found = build_graph(scope, entity, parse_depth(request.query_params.get("depth")))
    return Response(
        {
            "nodes": [{"id": str(n.id), "type": n.type, "name": n.name, "depth": n.depth} for n in found.nodes],
            "edges": [
                {"source": str(e.source), "target": str(e.target), "kind": e.kind, "count": e.count, "label": e.label}
                for e in found.edges
            ],
        }
    )


def parse_depth(given: str | None) -> int:
    try:
        depth = int(given or 1)
    except ValueError:
        depth = 0
    if not 1 <= depth <= DEEPEST:
        raise ValidationError({"depth": [gettext("Give a number of hops from 1 to %(most)s.") % {"most": DEEPEST}]})
    return depth


def select_references(scope: Scope, query: dict[str, str]) -> Any:
    """The caller's references as the query asks for them."""
    rows = Reference.objects.readable_by(scope)
    kind, direction = query.get("kind"), query.get("direction", "both")
    if kind:
        if kind not in Kind.values:
            refusal = gettext("There is no kind %(kind)s. Kinds are: %(kinds)s.")
            raise ValidationError({"kind": [refusal % {"kind": repr(kind[:60]), "kinds": ", ".join(Kind.values)}]})
        rows = rows.filter(kind=kind)
    if direction not in ("out", "in", "both"):
        raise ValidationError({"direction": [gettext("Give out, in or both.")]})
    if query.get("entity"):
        rows = rows.filter_touching(get_entity_or_404(scope, query["entity"]).pk, direction)
    elif direction != "both":
        raise ValidationError({"direction": [gettext("A direction is seen from a record: give `entity` too.")]})
    return rows.order_by("-created_at", "pk")


def create_from_data(scope: Scope, given: Any) -> Reference:
    data = NewReference(data=given)
    data.is_valid(raise_exception=True)
    wanted = dict(data.validated_data)
    source = record_or_refuse(scope, wanted.pop("source"), "source")
    target = record_or_refuse(scope, wanted.pop("target"), "target")
    try:
        place = check_location(scope, target, wanted.pop("location_type"), wanted.pop("location"))
    except BadLocation as problem:
        raise ValidationError({"location": [str(problem)]}) from None
    try:
        return actions.add_reference(scope=scope, source=source, target=target, location=place, **wanted)
    except ValueError as problem:
        raise ValidationError({"detail": [str(problem)]}) from None


def record_or_refuse(scope: Scope, pk: UUID, name: str) -> Entity:
    """A record named in a request's body: one answer for absent, foreign and hidden ones."""
    try:
        return get_entity_or_404(scope, pk)
    except Http404:
        raise ValidationError({name: [NO_RECORD]}) from None


def get_reference_or_404(scope: Scope, pk: UUID) -> Reference:
    """Raises: Http404, one answer for absent, foreign and hidden references."""
    found = Reference.objects.readable_by(scope).filter(pk=pk).first()
    if found is None:
        raise Http404("Not found.")
    return found


def list_values(reference: Reference) -> dict[str, object]:
    """What the version of a reference stands for."""
    return {"kind": reference.kind, "label": reference.label, "reason": reference.reason}


class ReferencePage:
    """References with the records at their ends and the places that the caller may know, each in one query."""

    def __init__(self, scope: Scope, references: list[Reference]) -> None:
        self.references = references
        ends = {pk for r in references for pk in (r.source_id, r.target_id)}
        found = Entity.objects.readable_by(scope).filter(pk__in=ends) if ends else ()
        self.records = {e.pk: e for e in found}
        self.places = list_visible_locations(scope, references, self.records)

    def to_json(self, reference: Reference) -> dict[str, Any]:
        """labels: None until the text has been labelled. location: ids and numbers by `location_type`."""
        label = reference.data_classification
        place = self.places.get(reference.pk, Location())
        return {
            "id": str(reference.pk),
            "version": build_version(list_values(reference)),
            "kind": reference.kind,
            "source": end_json(self.records[reference.source_id]),
            "target": end_json(self.records[reference.target_id]),
            "label": reference.label,
            "reason": reference.reason,
            "labels": None if label is None else label_list(label),
            "location_type": place.type or None,
            "location": place.detail,
            "origin": {"kind": reference.origin, "principal": reference.origin_principal},
            "created_at": reference.created_at,
        }


class Pages:
    """A list of references that is read a page at a time; `cut` is the last one read."""

    ordered = True

    def __init__(self, rows: Any, scope: Scope) -> None:
        self.rows, self.scope = rows, scope
        self.cut = ReferencePage(scope, [])

    def count(self) -> int:
        return int(self.rows.count())

    def __len__(self) -> int:
        return self.count()

    def __getitem__(self, cut: slice) -> list[Reference]:
        self.cut = ReferencePage(self.scope, list(self.rows[cut]))
        return self.cut.references


def end_json(entity: Entity) -> dict[str, str]:
    return {"id": str(entity.pk), "type": entity.type_name, "name": str(entity)}
