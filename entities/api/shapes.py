"""How answers look, for the OpenAPI document: what several apps share, pages of lists, and the one shape of errors."""

from functools import cache
from typing import Any

from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.request import Request

from entities.bin import BIN_DAYS

PAGING = [
    OpenApiParameter("page", int, description="From 1."),
    OpenApiParameter("page_size", int, description="At most 200; 50 when not given."),
]

ERROR = {
    "type": "object",
    "description": "Every answer from 400 on. `detail` is a sentence for people, `code` a word for programs.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "detail": {"type": "string"},
                "fields": {
                    "type": "object",
                    "description": "What is wrong with each field or parameter; nested for lists and batches.",
                    "additionalProperties": {"anyOf": [{"type": "array"}, {"type": "object"}]},
                },
            },
            "required": ["code", "detail"],
        }
    },
    "required": ["error"],
}


VERSION_HELP = "Of what you may see of it. Send it back in `If-Match` when you change or delete it."


class Whole(serializers.Serializer):
    """A body that is sent whole by PATCH too. The document otherwise says of PATCH that every field may be left out."""

    @property
    def partial(self) -> bool:
        return False

    @partial.setter
    def partial(self, value: bool) -> None:
        """drf-spectacular sets it for PATCH."""


class Label(serializers.Serializer):
    """One atom of a label. A label is the list of its atoms: none for Public. Only `GET me/`, which lists what the
    caller is cleared for, names Public itself, with the value 0.
    """

    value = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name, in place of DRF's attribute


class RecordRef(serializers.Serializer):
    """name: null where the caller is not cleared for it."""

    id = serializers.UUIDField()
    type = serializers.CharField()
    name = serializers.CharField(allow_null=True)


class FileRef(serializers.Serializer):
    """name: null where the caller is not cleared for it."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)


class Placeholder(serializers.Serializer):
    """Text that exists and needs more clearance. requires: the atoms that the caller lacks."""

    type = serializers.ChoiceField(["placeholder"])
    requires = Label(many=True)


class TextBlock(serializers.Serializer):
    """A paragraph. labels: null until it has been classified."""

    type = serializers.ChoiceField(["text"])
    text = serializers.CharField()
    labels = Label(many=True, allow_null=True)
    passage = serializers.UUIDField()


class Redacted(serializers.Serializer):
    """A field that exists and is not shown. requires: the atoms that the caller lacks."""

    field = serializers.CharField()
    requires = Label(many=True)


def build_union(name: str, *shapes: type[serializers.Serializer], **more: Any) -> PolymorphicProxySerializer:
    """Either of `shapes`; their `type`, or the fields that they require, tell which."""
    return PolymorphicProxySerializer(
        component_name=name, serializers=list(shapes), resource_type_field_name=None, **more
    )


def build_page_shape(row: Any) -> serializers.Serializer:
    """The shape of `paginate`'s answers. row: a serializer class, or `build_union`."""
    return _build_page_type(row)()


@cache
def _build_page_type(row: Any) -> type[serializers.Serializer]:
    several = isinstance(row, PolymorphicProxySerializer)
    name = row.component_name if several else row.__name__.removesuffix("Serializer")
    fields = {
        "count": serializers.IntegerField(),
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": serializers.ListField(child=row) if several else row(many=True),
    }
    return type(f"{name}Page", (serializers.Serializer,), fields)


def add_errors(result: Any, **context: Any) -> Any:
    """Hook of the OpenAPI document: says of every operation that it may answer with an error."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    result["components"]["schemas"]["Error"] = ERROR
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["4XX"] = {"description": "Refused; `detail` says why.", "content": content}
    return result


IN_THE_BIN = (
    f"Moves it to the bin, where it is hidden from everybody and can be restored for {BIN_DAYS} days (`GET bin/`)."
)
FILE_IN_THE_BIN = f"{IN_THE_BIN} What came in a message is deleted for good."
FOREVER = OpenApiParameter("forever", bool, description="1: delete it for good, past the bin.")


def is_forever(request: Request) -> bool:
    return request.query_params.get("forever", "").lower() in ("1", "true")
