"""What models cost the workspace, for its administrators."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Sum
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import ADMIN, requires
from llm.metering import get_monthly_cap
from llm.models import ModelCall

SUMS = {
    "calls": Count("pk"),
    "tokens_in": Sum("tokens_in"),
    "tokens_out": Sum("tokens_out"),
    "tokens_cached": Sum("tokens_cached"),
    "cost": Sum("cost"),
}


class SumsSerializer(serializers.Serializer):
    """cost: USD."""

    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    tokens_cached = serializers.IntegerField()
    cost = serializers.CharField()


class UsageRowSerializer(SumsSerializer):
    feature = serializers.CharField()
    model = serializers.CharField()
    outcome = serializers.CharField()


class UsageSerializer(serializers.Serializer):
    """month: like 2026-03. budget: USD."""

    month = serializers.CharField()
    budget = serializers.CharField()
    total = SumsSerializer()
    rows = UsageRowSerializer(many=True)


@requires(ADMIN)
@extend_schema(responses=UsageSerializer)
@api_view(["GET"])
def usage(request: Request) -> Response:
    """Calls, tokens and cost (USD) of this month, by feature, model and outcome, beside the month's budget."""
    now = datetime.now(UTC)
    calls = ModelCall.objects.filter(at__gte=now.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
    rows = calls.values("feature", "model", "outcome").annotate(**SUMS).order_by("feature", "model", "outcome")
    total = calls.aggregate(**SUMS)
    return Response(
        {
            "month": f"{now:%Y-%m}",
            "budget": str(get_monthly_cap(request.access_scope.workspace)),  # type: ignore[attr-defined]
            "total": _build_plain_row(total),
            "rows": [_build_plain_row(row) for row in rows],
        }
    )


def _build_plain_row(row: Any) -> dict[str, Any]:
    return {key: str(value or 0) if key == "cost" else value if value is not None else 0 for key, value in row.items()}
