"""Records, types and people over the API. Transport only: the work is in `entities.actions` and `entities.records`."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib.auth import authenticate
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities import actions
from entities.access import (
    MEMBER,
    PUBLIC_ROUTE,
    NoWorkspace,
    Scope,
    get_entity_or_404,
    load_granted_atoms,
    may,
    may_create,
    requires,
)
from entities.api.lists import list_atom_labels, paginate
from entities.api.serializers import (
    TypeSerializer,
    build_entity_json,
    build_input_serializer,
    build_type_json,
    build_type_serializer,
    record_shape,
)
from entities.api.shapes import FOREVER, IN_THE_BIN, PAGING, Label, build_page_shape, is_forever
from entities.attempts import SLOW_DOWN, note_wrong_password, too_many
from entities.bin import bin_entity
from entities.errors import PASSWORD_FIRST, build_payload
from entities.models import Entity, Membership, Role, User
from entities.records import BadQuery, list_records, load_visible_links
from entities.registry import get_column, list_entity_types, list_parent_types
from entities.text import read_texts
from entities.tokens import issue_token

MAX_BATCH = 500
# Fields with an order, and how their values are written in an address.
FILTER_TYPES: dict[type, Any] = {
    serializers.IntegerField: int,
    serializers.DecimalField: OpenApiTypes.DECIMAL,
    serializers.DateField: OpenApiTypes.DATE,
}


class Credentials(serializers.Serializer):
    username = serializers.CharField()
    password = serializers.CharField(style={"input_type": "password"}, trim_whitespace=False)
    workspace = serializers.CharField(help_text="The workspace's slug.")


@requires(PUBLIC_ROUTE)
@extend_schema(request=Credentials, responses=inline_serializer("TokenAnswer", {"token": serializers.CharField()}))
@api_view(["POST"])
@authentication_classes([])
@permission_classes([])
def token(request: Request) -> Response:
    """A token for one membership."""
    data = Credentials(data=request.data)
    data.is_valid(raise_exception=True)
    given = data.validated_data
    if too_many(request._request, given["username"]):
        return Response(build_payload("too_many_requests", SLOW_DOWN), status=429)
    user = authenticate(request._request, username=given["username"], password=given["password"])
    wrong = Response(build_payload("not_signed_in", "The user name, password or workspace is not right."), status=401)
    if user is None:
        note_wrong_password(request._request, given["username"])
        return wrong
    try:
        scope = Scope.for_user(user, given["workspace"])  # type: ignore[arg-type]
    except NoWorkspace:
        return wrong
    if user.password_by_other:  # type: ignore[attr-defined]
        return Response(build_payload("password_first", PASSWORD_FIRST), status=403)
    with scope.open():
        # A change of the password ends the tokens that it finds: it finds this one, or this one finds the change.
        if User.objects.select_for_update(no_key=True).get(pk=user.pk).password != user.password:
            return wrong
        secret = issue_token(Membership.objects.get(user=user), "api")
        actions.record(scope, "token.issued", "user", user.pk)
    return Response({"token": secret})


class UserSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()


class MeSerializer(serializers.Serializer):
    """labels: what the caller is cleared for. Public is among them, as everybody holds it."""

    user = UserSerializer()
    workspace = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    labels = Label(many=True)


@requires(MEMBER)
@extend_schema(responses=MeSerializer)
@api_view(["GET"])
def me(request: Request) -> Response:
    """Who the caller is here, and what they are cleared for."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    return Response(
        {
            "user": {"id": request.user.pk, "username": request.user.get_username(), "name": str(request.user)},
            "workspace": scope.slug,
            "roles": list(Role.objects.filter(group__user=request.user.pk).values_list("name", flat=True)),
            "labels": list_atom_labels({0, *load_granted_atoms()}),
        }
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
    return found


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
        responses={201: record_shape(model)},
    )
    @api_view(["GET", "POST"])
    def records(request: Request) -> Response:
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        if request.method == "POST":
            entity = create(scope, model, request.data)
            return Response(answer(scope, entity.pk), status=status.HTTP_201_CREATED)
        try:
            rows = list_records(scope, model, request.query_params.dict())
        except BadQuery as problem:
            raise ValidationError({problem.parameter: [problem.detail]}) from None
        links: dict[Any, Any] = {}
        return paginate(request, LinkedRows(rows, scope, links), lambda row: build_entity_json(row, set(links)))

    return records


class LinkedRows:
    """A queryset that, when a page of it is cut, loads the visible linked records of that page in one query."""

    def __init__(self, rows: Any, scope: Scope, links: dict[Any, Any]) -> None:
        self.rows, self.scope, self.links = rows, scope, links
        self.ordered = True

    def count(self) -> int:
        return int(self.rows.count())

    def __len__(self) -> int:
        return self.count()

    def __getitem__(self, cut: slice) -> list[Any]:
        page = list(self.rows[cut])
        self.links.update(load_visible_links(self.scope, page))
        return page


class CreatedSerializer(serializers.Serializer):
    created = serializers.ListField(child=serializers.UUIDField())


def build_batch_view(model: type[Entity]) -> Callable[..., Any]:
    """`entities/<type>/batch/`: create many, all or none."""

    @requires(MEMBER)
    @extend_schema(
        operation_id=f"{model._meta.model_name}_batch",
        request=build_type_serializer(model)(many=True),
        responses={201: CreatedSerializer},
    )
    @api_view(["POST"])
    def batch(request: Request) -> Response:
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        items = request.data.get("items") if isinstance(request.data, dict) else request.data
        if not isinstance(items, list) or not items:
            raise ValidationError({"items": ["Give a list of records."]})
        if len(items) > MAX_BATCH:
            raise ValidationError({"items": [f"At most {MAX_BATCH} at once; split the batch."]})
        made = [create_numbered(scope, model, number, item) for number, item in enumerate(items)]
        return Response({"created": [str(e.pk) for e in made]}, status=status.HTTP_201_CREATED)

    return batch


def record_view(model: type[Entity]) -> Callable[..., Any]:
    """`entities/<type>/<id>/`: read, change, delete."""

    @requires(MEMBER)
    @extend_schema(operation_id=f"{model._meta.model_name}_read", methods=["GET"], responses=record_shape(model))
    @extend_schema(
        operation_id=f"{model._meta.model_name}_change",
        methods=["PATCH"],
        request=build_type_serializer(model)(partial=True),
        responses=record_shape(model),
    )
    @extend_schema(
        operation_id=f"{model._meta.model_name}_delete",
        methods=["DELETE"],
        description=IN_THE_BIN,
        parameters=[FOREVER],
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
            actions.change_entity(scope=scope, entity=entity, fields=fields, texts=texts)
        elif request.method == "DELETE":
            refuse_unless(scope, entity, "delete")
            # What belongs to it goes too, seen or not: docs/access.md.
            delete = actions.delete_entity if is_forever(request) else bin_entity
            delete(scope=scope, entity=entity)
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(answer(scope, entity.pk))

    return record


def refuse_unless(scope: Scope, entity: Entity, verb: str) -> None:
    """403 for a verb on a record that the caller sees; one they do not see was a 404 before."""
    if not may(scope, entity, verb):
        raise PermissionDenied(f"You may see this {entity.type_name}, but not {verb} it.")


def create(scope: Scope, model: type[Entity], data: Any) -> Entity:
    if not may_create(scope, model):
        raise PermissionDenied(f"None of your roles here may create a {model._meta.verbose_name}.")
    serializer = build_input_serializer(scope, model, data=data)
    serializer.is_valid(raise_exception=True)
    fields, texts = split_texts(model, serializer.validated_data)
    return actions.create_entity(scope=scope, model=model, fields=fields, texts=texts)


def create_numbered(scope: Scope, model: type[Entity], number: int, data: Any) -> Entity:
    """`create`, whose complaint says which of a batch it is about."""
    try:
        return create(scope, model, data)
    except ValidationError as problem:
        raise ValidationError({f"items[{number}]": problem.detail}) from None


def split_texts(model: type[Entity], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    texts = {name: data[name] for name in model.long_texts if name in data}
    return {name: value for name, value in data.items() if name not in texts}, texts


def answer(scope: Scope, pk: UUID) -> dict[str, Any]:
    entity = get_entity_or_404(scope, pk)
    return build_entity_json(entity, set(load_visible_links(scope, [entity])), read_texts(scope, entity))
