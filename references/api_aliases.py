"""Aliases of records over the API. Transport only: the work is in `references.aliases`."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, get_entity_or_404, requires
from entities.api import paginate
from entities.api.shapes import PAGING, Whole, build_page_shape
from entities.models import Alias
from references.aliases import KINDS, BadAlias, add_alias, list_aliases, remove_alias


class AliasSerializer(serializers.Serializer):
    """value: in the form in which links are compared."""

    kind = serializers.ChoiceField([kind.value for kind in KINDS])
    value = serializers.CharField()


class NewAlias(Whole):
    kind = serializers.ChoiceField([kind.value for kind in KINDS])
    value = serializers.CharField(max_length=1000)


@requires(MEMBER)
@extend_schema(
    operation_id="entity_aliases_list", methods=["GET"], responses=build_page_shape(AliasSerializer), parameters=PAGING
)
@extend_schema(operation_id="entity_aliases_add", methods=["POST"], request=NewAlias, responses={201: AliasSerializer})
@extend_schema(
    operation_id="entity_aliases_remove",
    methods=["DELETE"],
    parameters=[
        OpenApiParameter("kind", str, required=True, enum=[kind.value for kind in KINDS]),
        OpenApiParameter("value", str, required=True),
    ],
    responses={204: None},
)
@api_view(["GET", "POST", "DELETE"])
def entity_aliases(request: Request, pk: UUID) -> Response:
    """Other names by which links in documents find a record."""
    scope = request.access_scope  # type: ignore[attr-defined]
    entity = get_entity_or_404(scope, pk)
    if request.method == "GET":
        return paginate(request, list_aliases(entity), build_alias_json)
    try:
        if request.method == "DELETE":
            query = request.query_params
            remove_alias(scope=scope, entity=entity, kind=query.get("kind", ""), value=query.get("value", ""))
            return Response(status=status.HTTP_204_NO_CONTENT)
        given = NewAlias(data=request.data)
        given.is_valid(raise_exception=True)
        made = add_alias(scope=scope, entity=entity, **given.validated_data)
    except BadAlias as problem:
        raise ValidationError({"value": [str(problem)]}) from None
    return Response(build_alias_json(made), status=status.HTTP_201_CREATED)


def build_alias_json(alias: Alias) -> dict[str, Any]:
    return {"kind": alias.kind, "value": alias.value}
