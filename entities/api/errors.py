"""Every error of the API has one shape: {"error": {"code", "detail", "fields"?}} (design §11)."""

from collections.abc import Iterable
from json import JSONDecodeError
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from django.utils.translation import gettext, gettext_lazy
from rest_framework import exceptions
from rest_framework.response import Response

from entities.errors import NOT_FOUND, TOO_MUCH, build_payload

CODES = {
    400: "invalid",
    401: "not_signed_in",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    409: "conflict",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    422: "unprocessable",
    428: "precondition_required",
    429: "too_many_requests",
}


NO_JSON = "JSON parse error - "
"""How DRF begins what Python says of a body, in English in every language."""


class Conflict(exceptions.APIException):
    status_code = 409
    default_code = "conflict"
    default_detail = gettext_lazy("This conflicts with the current state.")


class VersionIsOlder(exceptions.APIException):
    """What a write is about is not as its caller has read it. fields: what has changed, of what they may see."""

    status_code = 412
    default_detail = gettext_lazy("This has changed since you read it. Nothing was saved. Read it again.")

    def __init__(self, fields: Iterable[str] = ()) -> None:
        super().__init__()
        self.fields = {name: [gettext("Changed since.")] for name in fields}


class VersionNeeded(exceptions.APIException):
    status_code = 428
    default_detail = gettext_lazy("This workspace takes changes with a version only: send If-Match.")


class KeyUsed(exceptions.APIException):
    status_code = 422
    default_code = "key_used"
    default_detail = gettext_lazy("This Idempotency-Key came with another request before. Use a new one.")


class TooManyRequests(exceptions.APIException):
    status_code = 429
    default_code = "too_many_requests"
    default_detail = gettext_lazy("Too many requests.")
    wait = 10
    """Seconds, which DRF says in `Retry-After`."""


class TooLarge(exceptions.APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = gettext_lazy("This is too large.")


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer in our shape; a 404 says the same whatever was missing or hidden."""
    # Not at the top: DRF's views read the settings that name this module.
    from rest_framework.views import exception_handler as drf_handler

    if isinstance(exc, Http404 | exceptions.NotFound):
        return Response(build_payload("not_found", NOT_FOUND), status=404)
    if isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied(str(exc) or None)
    response = drf_handler(exc, context)
    if isinstance(exc, RequestDataTooBig):
        return Response(build_payload("too_large", TOO_MUCH), status=413)
    if isinstance(exc, RecursionError):
        return Response(build_payload("invalid", gettext("This JSON is nested too deeply.")), status=400)
    if response is None:
        return None
    code, detail, fields = CODES.get(response.status_code, "error"), "", None
    if isinstance(exc, exceptions.ValidationError):
        fields = response.data if isinstance(response.data, dict) else None
        listed = [str(m) for m in response.data] if isinstance(response.data, list) else []
        if fields and set(fields) == {"detail"}:
            listed, fields = [str(m) for m in _flatten_messages(fields["detail"])], None
        detail = " ".join(listed) or gettext("Some fields need another look.")
    else:
        detail, fields = str(getattr(exc, "detail", exc)), getattr(exc, "fields", None)
        if isinstance(exc, exceptions.ParseError) and detail.startswith(NO_JSON):
            detail = _describe_json_error(exc.__context__)
        specific = getattr(exc, "default_code", "")
        code = specific if response.status_code in (409, 413, 415, 422) and specific else code
    response.data = build_payload(code, detail, fields)
    return response


def _describe_json_error(cause: BaseException | None) -> str:
    """Where the error is. What Python says of it is in English and may quote the body."""
    if isinstance(cause, JSONDecodeError):
        where = {"line": cause.lineno, "column": cause.colno}
        return gettext("This is not valid JSON: see line %(line)s, column %(column)s.") % where
    return gettext("This is not valid JSON.")


def _flatten_messages(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
