"""`Idempotency-Key` of requests that make something."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from entities.access import Scope
from entities.api.errors import KeyUsed
from entities.repeats import OtherRequest, digest_request, make_under_key

LONGEST_KEY = 200
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Of your choice, such as a UUID. For 24 hours the same request with it makes nothing more, and answers"
    " with what the first has made. 422 with another request.",
)


def make_once(request: Request, make: Callable[[], list[UUID]]) -> list[UUID]:
    """What `make` makes, or what it has made for the same request with this key. Raises: KeyUsed, ValidationError."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return make()
    if not (key.isprintable() and 0 < len(key) <= LONGEST_KEY):
        problem = gettext("A key is a line of 1 to %(most)s characters.") % {"most": LONGEST_KEY}
        raise ValidationError({"Idempotency-Key": [problem]})
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    try:
        return make_under_key(scope, key, _digest(request), make)
    except OtherRequest:
        raise KeyUsed from None


def _digest(request: Request) -> str:
    data: Any = request.data
    fields = (
        {name: data.getlist(name) for name in data if name not in request.FILES} if hasattr(data, "getlist") else data
    )
    return digest_request(f"{request.method} {request.path}", fields, request.FILES.values())
