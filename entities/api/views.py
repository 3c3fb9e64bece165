"""Records, types and people over the API. Transport only: the work is in `entities.actions` and `entities.records`."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities import actions
from entities.access import (
    MEMBER,
    Scope,
    can_create,
    get_entity_or_404,
    has_permission,
    requires,
)
from entities.access.objects import lock_or_404
from entities.api.lists import paginate
from entities.api.repeats import IDEMPOTENCY_KEY, make_once
from entities.api.serializers import (
    TypeSerializer,
    build_entity_json,
    build_input_serializer,
    build_type_json,
    build_type_serializer,
    record_shape,
)
from entities.api.shapes import FOREVER, IN_THE_BIN, PAGING, build_page_shape, is_forever
from entities.api.versions import IF_MATCH, answer_with_version, check_version
from entities.bin import bin_entity
from entities.errors import VERB_REFUSALS, describe_create_refusal
from entities.models import Entity
from entities.records import BadQuery, list_records, load_visible_links
from entities.registry import get_column, list_entity_types, list_parent_types
from entities.text import read_texts
from entities.versions import READ, SeenText, load_text_digests, load_values

MAX_BATCH = 500
# Fields with an order, and how their values are written in an address.
FILTER_TYPES: dict[type, Any] = {
    serializers.IntegerField: int,
    serializers.DecimalField: OpenApiTypes.DECIMAL,
    serializers.DateField: OpenApiTypes.DATE,
}
CALLED = "Words in the name of a record, of what it links to, or in a text of it that needs no clearance."
OTHER_FILTERS = OpenApiParameter(
    "others",
    {"type": "object", "additionalProperties": {"type": "string"}},
    style="form",
    explode=True,
    description="Any `<field><lookup>=value`, also of a linked record (`project.name`): docs/api.md lists the lookups.",
)


@requires(MEMBER)
@extend_schema(responses=TypeSerializer(many=True))
@api_view(["GET"])
def types(request: Request) -> Response:
    """The types of records, with the fields that exist for the caller."""
    return Response([build_type_json(model) for model in list_entity_types().values()])


def list_field_filters(model: type[Entity]) -> list[OpenApiParameter]:
    """`<field>=`, and for numbers and days `<field>__gte=` and `<field>__lte=`; a field that does not exist for the
    caller is no filter.
    """
    found = []
    for name, field in build_type_serializer(model)().fields.items():
        if name in model.long_texts:
            continue
        choices = [value for value, _ in get_column(model, name).choices or []]
        kind: Any = UUID if name in list_parent_types(model) else FILTER_TYPES.get(type(field), str)
        found.append(OpenApiParameter(name, kind, enum=choices or None))
        if type(field) in FILTER_TYPES:
            found += [OpenApiParameter(f"{name}__{lookup}", kind) for lookup in ("gte", "lte")]
    declared = {"overdue": model.rag().due, "finished": model.rag().finished}
    found += [OpenApiParameter(name, enum=["0", "1"]) for name, value in declared.items() if value]
    return [*found, OpenApiParameter("called", description=CALLED), OTHER_FILTERS]


def build_collection_view(model: type[Entity]) -> Callable[..., Any]:
    """`entities/<type>/`: list and create."""

    @requires(MEMBER)
    @extend_schema(
        operation_id=f"{model._meta.model_name}_list",
        methods=["GET"],
        responses=build_page_shape(record_shape(model)),
        parameters=[
            OpenApiParameter("ordering", str, description="A field, with - for descending."),
            OpenApiParameter("q", str, description="Words in the name."),
            OpenApiParameter("archived", bool),
            *list_field_filters(model),
            *PAGING,
        ],
    )
    @extend_schema(
        operation_id=f"{model._meta.model_name}_create",
        methods=["POST"],
        request=build_type_serializer(model),
        parameters=[IDEMPOTENCY_KEY],
        responses={201: record_shape(model)},
    )
    @api_view(["GET", "POST"])
    def records(request: Request) -> Response:
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        if request.method == "POST":
            (made,) = make_once(request, lambda: [create_from_data(scope, model, request.data).pk])
            return answer_with_version(load_entity_json(scope, made), status.HTTP_201_CREATED)
        try:
            rows = list_records(scope, model, request.query_params.dict())
        except BadQuery as problem:
            raise ValidationError({problem.parameter: [problem.detail]}) from None
        page = LinkedRows(rows, scope)
        return paginate(request, page, lambda row: build_entity_json(row, set(page.links), page.seen.get(row.pk)))

    return records


class LinkedRows:
    """A queryset that, when a page of it is cut, loads the visible linked records of that page in one query, and what
    its versions need of long texts.
    """

    def __init__(self, rows: Any, scope: Scope) -> None:
        self.rows, self.scope = rows, scope
        self.links: dict[Any, Any] = {}
        self.seen: dict[Any, dict[str, SeenText]] = {}
        self.ordered = True

    def count(self) -> int:
        return int(self.rows.count())

    def __len__(self) -> int:
        return self.count()

    def __getitem__(self, cut: slice) -> list[Any]:
        page = list(self.rows[cut])
        self.links.update(load_visible_links(self.scope, page))
        self.seen.update(load_text_digests(page))
        return page


class CreatedSerializer(serializers.Serializer):
    created = serializers.ListField(child=serializers.UUIDField())


def build_batch_view(model: type[Entity]) -> Callable[..., Any]:
    """`entities/<type>/batch/`: create many, all or none."""

    @requires(MEMBER)
    @extend_schema(
        operation_id=f"{model._meta.model_name}_batch",
        request=build_type_serializer(model)(many=True),
        parameters=[IDEMPOTENCY_KEY],
        responses={201: CreatedSerializer},
    )
    @api_view(["POST"])
    def batch(request: Request) -> Response:
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        items = request.data.get("items") if isinstance(request.data, dict) else request.data
        if not isinstance(items, list) or not items:
            raise ValidationError({"items": [gettext("Give a list of records.")]})
        if len(items) > MAX_BATCH:
            raise ValidationError(
                {"items": [gettext("At most %(most)s at once; split the batch.") % {"most": MAX_BATCH}]}
            )
        made = make_once(
            request, lambda: [create_batch_item(scope, model, number, item).pk for number, item in enumerate(items)]
        )
        return Response({"created": [str(pk) for pk in made]}, status=status.HTTP_201_CREATED)

    return batch


def record_view(model: type[Entity]) -> Callable[..., Any]:
    """`entities/<type>/<id>/`: read, change, delete."""

    @requires(MEMBER)
    @extend_schema(operation_id=f"{model._meta.model_name}_read", methods=["GET"], responses=record_shape(model))
    @extend_schema(
        operation_id=f"{model._meta.model_name}_change",
        methods=["PATCH"],
        request=build_type_serializer(model)(partial=True),
        parameters=[IF_MATCH],
        responses=record_shape(model),
    )
    @extend_schema(
        operation_id=f"{model._meta.model_name}_delete",
        methods=["DELETE"],
        description=IN_THE_BIN,
        parameters=[FOREVER, IF_MATCH],
        responses={204: None},
    )
    @api_view(["GET", "PATCH", "DELETE"])
    def record(request: Request, pk: UUID) -> Response:
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        entity = get_entity_or_404(scope, pk, model=model)
        if request.method == "PATCH":
            refuse_unless(scope, entity, "change")
            serializer = build_input_serializer(scope, model, instance=entity, data=request.data, partial=True)
            serializer.is_valid(raise_exception=True)
            fields, texts = split_texts(model, serializer.validated_data)
            check_record_version(request, entity, texts)
            actions.change_entity(scope=scope, entity=entity, fields=fields, texts=texts)
        elif request.method == "DELETE":
            refuse_unless(scope, entity, "delete")
            check_record_version(request, entity)
            # What belongs to it goes too, seen or not: docs/access.md.
            delete = actions.delete_entity if is_forever(request) else bin_entity
            delete(scope=scope, entity=entity)
            return Response(status=status.HTTP_204_NO_CONTENT)
        return answer_with_version(load_entity_json(scope, entity.pk))

    return record


def check_record_version(request: Request, entity: Entity, texts: Iterable[str] = ()) -> None:
    """Of a record that is about to be written, which is held from here on. texts: the long texts among what is written.

    Raises: VersionIsOlder, VersionNeeded, Http404.
    """
    scope: Scope = request.access_scope  # type: ignore[attr-defined]

    def load() -> dict[str, object]:
        lock_or_404(entity)
        now = get_entity_or_404(scope, entity.pk)
        values = load_values(now, load_visible_links(scope, [now]))
        return {name: v for name, v in values.items() if not name.endswith(READ) or name.removesuffix(READ) in texts}

    check_version(request, load)


def refuse_unless(scope: Scope, entity: Entity, verb: str) -> None:
    """403 for a verb on a record that the caller sees; one they do not see was a 404 before."""
    if not has_permission(scope, entity, verb):
        raise PermissionDenied(VERB_REFUSALS[verb])


def create_from_data(scope: Scope, model: type[Entity], data: Any) -> Entity:
    if not can_create(scope, model):
        raise PermissionDenied(describe_create_refusal(model.singular_title))
    serializer = build_input_serializer(scope, model, data=data)
    serializer.is_valid(raise_exception=True)
    fields, texts = split_texts(model, serializer.validated_data)
    return actions.create_entity(scope=scope, model=model, fields=fields, texts=texts)


def create_batch_item(scope: Scope, model: type[Entity], number: int, data: Any) -> Entity:
    """`create_from_data`, whose complaint says which of a batch it is about."""
    try:
        return create_from_data(scope, model, data)
    except ValidationError as problem:
        raise ValidationError({f"items[{number}]": problem.detail}) from None


def split_texts(model: type[Entity], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    texts = {name: data[name] for name in model.long_texts if name in data}
    return {name: value for name, value in data.items() if name not in texts}, texts


def load_entity_json(scope: Scope, pk: UUID) -> dict[str, Any]:
    entity = get_entity_or_404(scope, pk)
    links, seen = set(load_visible_links(scope, [entity])), load_text_digests([entity]).get(entity.pk)
    return build_entity_json(entity, links, seen, read_texts(scope, entity))
