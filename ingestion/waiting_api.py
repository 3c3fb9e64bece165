"""Having text judged that rests, over the API. Transport only: the work is in `waiting`."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import STEWARD_OR_ADMIN, Scope, opens_own_scope, requires
from ingestion.api import get_scope
from ingestion.waiting import judge_waiting, measure_waiting


class UnjudgedSerializer(serializers.Serializer):
    """paragraphs: that rest, in `files`, and that the model in use has not read. tokens: that it would be sent, about.
    cost: of that in USD, about; null where the price is not known. left: paragraphs that rest and are being judged. All
    is counted over what the caller may read, and 0 without a model.
    """

    paragraphs = serializers.IntegerField()
    files = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost = serializers.CharField(allow_null=True)
    left = serializers.IntegerField()


@opens_own_scope
@requires(STEWARD_OR_ADMIN)
@extend_schema(operation_id="unjudged_read", methods=["GET"], responses=UnjudgedSerializer)
@extend_schema(operation_id="unjudged_judge", methods=["POST"], request=None, responses={202: UnjudgedSerializer})
@api_view(["GET", "POST"])
def unjudged(request: Request) -> Response:
    """For stewards and administrators: text of files that waits for the model in use; POST has it judged, by the
    workers. 409 without a model.
    """
    scope = get_scope(request)
    if request.method == "POST":
        with scope.open():
            judge_waiting(scope=scope)
    return Response(build_json(scope), status=202 if request.method == "POST" else 200)


def build_json(scope: Scope) -> dict[str, Any]:
    """Opens the scope."""
    with scope.open():
        found = measure_waiting(scope)
    return {**vars(found), "cost": None if found.cost is None else str(found.cost)}
