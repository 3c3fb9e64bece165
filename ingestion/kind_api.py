"""What each kind of document is kept for, over the API. Transport only: the work is in `kind_floors`."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import ADMIN, requires
from entities.api.lists import list_atom_labels
from entities.api.shapes import VERSION_HELP, Label, Whole
from entities.api.versions import IF_MATCH, answer_with_version, check_version
from entities.versions import build_version
from ingestion.api import get_scope
from ingestion.kind_floors import KindRow, change_kind_floors, count_left, list_kind_rows, lock_kind_floors
from ingestion.kinds import KINDS


class DocumentKindSerializer(serializers.Serializer):
    """labels: what such a document is kept for, [] where it is not kept as a whole; shipped: what it is kept for unless
    an administrator says otherwise. Both name levels that the caller is cleared for alone.
    """

    key = serializers.CharField()
    looks_like = serializers.CharField()
    labels = Label(many=True)
    shipped = Label(many=True)


class DocumentKindsSerializer(serializers.Serializer):
    """left: files that the caller may read and that are not kept so yet; this goes on by itself."""

    version = serializers.CharField(help_text=VERSION_HELP)
    kinds = DocumentKindSerializer(many=True)
    left = serializers.IntegerField()


class KindChangeSerializer(serializers.Serializer):
    """labels: levels that the caller is cleared for; null for those that Clearance comes with."""

    key = serializers.ChoiceField(list(KINDS))
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=99_999), allow_null=True)


class KindChangesSerializer(Whole):
    """Kinds that are not named stay as they are."""

    kinds = KindChangeSerializer(many=True)


@requires(ADMIN)
@extend_schema(operation_id="document_kinds_read", methods=["GET"], responses=DocumentKindsSerializer)
@extend_schema(
    operation_id="document_kinds_change",
    methods=["PATCH"],
    parameters=[IF_MATCH],
    request=KindChangesSerializer,
    responses=DocumentKindsSerializer,
)
@api_view(["GET", "PATCH"])
@parser_classes([JSONParser])
def document_kinds(request: Request) -> Response:
    """For administrators: what documents of each kind are kept for. What is added binds documents that are kept already
    too; what is taken away holds for those that are judged from then on.
    """
    if request.method == "PATCH":
        given = KindChangesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        check_version(request, hold_values)
        wanted = {one["key"]: one["labels"] for one in given.validated_data["kinds"]}
        change_kind_floors(scope=get_scope(request), wanted=wanted)
    return answer_with_version(build_json(list_kind_rows()))


def hold_values() -> dict[str, object]:
    """What the version stands for, which nobody else changes until the open scope ends."""
    lock_kind_floors()
    return list_values(list_kind_rows())


def list_values(rows: Iterable[KindRow]) -> dict[str, object]:
    return {row.key: sorted(row.atoms) for row in rows}


def build_json(rows: list[KindRow]) -> dict[str, Any]:
    return {
        "version": build_version(list_values(rows)),
        "kinds": [
            {
                "key": row.key,
                "looks_like": row.looks_like,
                "labels": list_atom_labels(row.atoms),
                "shipped": list_atom_labels(row.shipped),
            }
            for row in rows
        ],
        "left": count_left(rows),
    }
