"""`GET audit/`: for administrators of the workspace (docs/audit.md)."""

from datetime import date
from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import ADMIN, Scope, requires
from entities.api.lists import Pagination, list_atom_labels
from entities.api.shapes import PAGING, Label, build_page_shape
from entities.audit.queries import AuditRow, TextState, build_day_filter, build_rows
from entities.models import AuditEntry


class ObjectSerializer(serializers.Serializer):
    kind = serializers.CharField()
    id = serializers.CharField()


class RetrievedSerializer(serializers.Serializer):
    row = serializers.UUIDField()
    entity = serializers.UUIDField()


class QuestionSerializer(serializers.Serializer):
    """The words of a search or an answer, and what was found. state: redacted when they were taken out. The rest only
    where it is shown; labels: null where there are none yet; retrieved: of records that the caller may see.
    """

    state = serializers.ChoiceField([TextState.SHOWN, TextState.HIDDEN, TextState.REDACTED])
    text = serializers.CharField(required=False)
    labels = Label(many=True, required=False, allow_null=True)
    retrieved = RetrievedSerializer(many=True, required=False)
    within = serializers.DictField(required=False)


class AuditSerializer(serializers.Serializer):
    """number: the row's place in the chain. actor: the id of a user, a role's with a minus sign, or 0 for the program.
    detail: ids, labels and figures. question: null for what has no words.
    """

    number = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    actor = serializers.IntegerField()
    action = serializers.CharField()
    object = ObjectSerializer()
    detail = serializers.DictField()
    question = QuestionSerializer(allow_null=True)


@requires(ADMIN)
@extend_schema(
    responses=build_page_shape(AuditSerializer),
    parameters=[
        OpenApiParameter("action", str, description="Like `search` or `answer`."),
        OpenApiParameter("actor", int),
        OpenApiParameter("since", date, description="First day (UTC)."),
        OpenApiParameter("until", date, description="Last day."),
        *PAGING,
    ],
)
@api_view(["GET"])
def audit(request: Request) -> Response:
    """Who did what, newest first. Words of questions show as far as the caller is cleared for them."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    paginator = Pagination()
    page = paginator.paginate_queryset(AuditEntry.objects.filter(**read_conditions(request)), request) or []
    return paginator.get_paginated_response([build_row_json(row) for row in build_rows(scope, page)])


def read_conditions(request: Request) -> dict[str, Any]:
    """The conditions of a request. Raises: ValidationError."""
    given = {name: value for name, value in request.query_params.dict().items() if value}
    problems = {
        name: [gettext("A filter holds no NUL characters.")] for name, value in given.items() if "\x00" in value
    }
    actor = given.get("actor", "")
    if actor and not (actor.removeprefix("-").isascii() and actor.removeprefix("-").isdigit() and len(actor) < 19):
        problems["actor"] = [gettext("Give the number of a user, a role's with a minus sign, or 0.")]
    days: dict[str, date | None] = {"since": None, "until": None}
    for name in days:
        try:
            days[name] = date.fromisoformat(given[name]) if name in given else None
        except ValueError:
            problems[name] = [
                gettext("%(value)s is not a day. Write it like 2026-03-31.") % {"value": repr(given[name][:60])}
            ]
    if problems:
        raise ValidationError(problems)
    found: dict[str, Any] = build_day_filter(days["since"], days["until"])
    if actor:
        found["actor"] = int(actor)
    if "action" in given:
        found["action"] = given["action"]
    return found


def build_row_json(row: AuditRow) -> dict[str, Any]:
    entry = row.entry
    return {
        "number": row.number,
        "at": entry.at,
        "actor": entry.actor,
        "action": entry.action,
        "object": {"kind": entry.object_kind, "id": entry.object_id},
        "detail": entry.detail,
        "question": None if row.state is TextState.NONE else build_question_json(row),
    }


def build_question_json(row: AuditRow) -> dict[str, Any]:
    if row.words is None:
        return {"state": row.state}
    words = row.words
    return {
        "state": row.state,
        "text": words.text,
        "labels": None if words.atoms is None else list_atom_labels(words.atoms),
        "retrieved": [{"row": str(index_row), "entity": str(record)} for index_row, record in words.retrieved],
        "within": words.within,
    }
