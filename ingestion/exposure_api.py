"""What stands open, over the API. Transport only: the work is in `exposure`."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import STEWARD_OR_ADMIN, requires
from entities.api.lists import label_list
from entities.api.serializers import make_printable
from entities.api.shapes import Label, RecordRef
from ingestion.api import get_scope
from ingestion.desk import Item
from ingestion.exposure import Amount, measure_exposure

MOST_TWINS = 1_000


class LevelExposureSerializer(serializers.Serializer):
    """Text with one label in one collection of a type of records. collection: null for typed text. labels: null until
    it is classified. read_by, partly_read_by: how many people read all of it, and some of it.
    """

    type = serializers.CharField()
    collection = serializers.CharField(allow_null=True)
    labels = Label(many=True, allow_null=True)
    paragraphs = serializers.IntegerField()
    files = serializers.IntegerField()
    records = serializers.IntegerField()
    read_by = serializers.IntegerField()
    partly_read_by = serializers.IntegerField()


class RestingExposureSerializer(serializers.Serializer):
    """Text that nobody has judged, by its label and by how many people read it."""

    labels = Label(many=True)
    read_by = serializers.IntegerField()
    paragraphs = serializers.IntegerField()
    files = serializers.IntegerField()
    records = serializers.IntegerField()


class TwinSideSerializer(serializers.Serializer):
    """file, page: null for typed text."""

    id = serializers.UUIDField()
    text = serializers.CharField()
    labels = Label(many=True)
    entity = serializers.UUIDField()
    file = serializers.UUIDField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)


class TwinSerializer(serializers.Serializer):
    """Two paragraphs that say nearly the same. alike: share of their words that both have. hidden: which fewer may
    read.
    """

    alike = serializers.FloatField()
    hidden = TwinSideSerializer()
    open = TwinSideSerializer()


class OpenRecordSerializer(serializers.Serializer):
    """A record that more people see than read anything of its hidden files."""

    record = RecordRef()
    visibility = serializers.CharField()
    files = serializers.IntegerField()
    seen_by = serializers.IntegerField()
    read_by = serializers.IntegerField()


class ExposureSerializer(serializers.Serializer):
    """people: members who can sign in. twins: the most alike, at most 1,000 of `twin_count`; twins_left_out: paragraphs
    that were too many to compare. records: at most 50 of `record_count`.
    """

    people = serializers.IntegerField()
    levels = LevelExposureSerializer(many=True)
    unjudged = RestingExposureSerializer(many=True)
    twins = TwinSerializer(many=True)
    twin_count = serializers.IntegerField()
    twins_left_out = serializers.IntegerField()
    records = OpenRecordSerializer(many=True)
    record_count = serializers.IntegerField()


@requires(STEWARD_OR_ADMIN)
@extend_schema(responses=ExposureSerializer)
@api_view(["GET"])
def exposure(request: Request) -> Response:
    """For stewards and administrators: who reads how much, counted over what the caller may read."""
    if request.query_params:
        refusal = gettext("There is no such parameter.")
        raise ValidationError({make_printable(name): [refusal] for name in sorted(request.query_params)})
    found = measure_exposure(get_scope(request), MOST_TWINS)
    return Response(
        {
            "people": found.people,
            "levels": [
                {
                    "type": level.kind._meta.model_name,
                    "collection": level.collection or None,
                    "labels": None if level.label is None else label_list(level.label),
                    **build_amount_json(level.amount),
                    "read_by": level.whole,
                    "partly_read_by": level.partly,
                }
                for level in found.levels
            ],
            "unjudged": [
                {"labels": label_list(row.label), "read_by": row.people, **build_amount_json(row.amount)}
                for row in found.resting
            ],
            "twins": [
                {
                    "alike": round(twin.alike, 3),
                    "hidden": build_side_json(twin.hidden),
                    "open": build_side_json(twin.open),
                }
                for twin in found.twins.twins
            ],
            "twin_count": found.twins.count,
            "twins_left_out": found.twins.left_out,
            "records": [
                {
                    "record": {"id": str(row.record.pk), "type": row.record.type_name, "name": row.name},
                    "visibility": row.record.visibility,
                    "files": row.files,
                    "seen_by": row.seen_by,
                    "read_by": row.read_by,
                }
                for row in found.records
            ],
            "record_count": found.record_count,
        }
    )


def build_amount_json(amount: Amount) -> dict[str, int]:
    return {"paragraphs": amount.paragraphs, "files": amount.files, "records": amount.records}


def build_side_json(item: Item) -> dict[str, Any]:
    return {
        "id": item.key,
        "text": item.paragraph.text,
        "labels": label_list(item.paragraph.data_classification or 0),
        "entity": str(item.where.entity),
        "file": str(item.where.file) if item.where.file else None,
        "page": item.where.page,
    }
