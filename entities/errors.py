"""Error answers. Absent, foreign and hidden things answer the same bytes."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy

from entities.language import lowercase_noun

PASSWORD_FIRST = gettext_lazy("Somebody else chose this password. Sign in on the website and choose your own first.")
TOO_MUCH = gettext_lazy("This is too much for one request. Put long content into a file, or send less at once.")
VERB_REFUSALS = {
    "change": gettext_lazy("You may see this record, but not change it."),
    "delete": gettext_lazy("You may see this record, but not delete it."),
    "share": gettext_lazy("You may see this record, but not share it."),
}
NOT_FOUND = gettext_lazy("There is nothing here, or nothing that you may see.")


def describe_create_refusal(kind: str) -> str:
    """kind: the stored title of one record of that kind."""
    return gettext("None of your roles here may create a %(kind)s.") % {"kind": lowercase_noun(kind)}


def build_payload(code: str, detail: object, fields: Any = None) -> dict[str, Any]:
    """The error body of the API (design §11)."""
    error: dict[str, Any] = {"code": code, "detail": str(detail)}
    if fields:
        error["fields"] = fields
    return {"error": error}


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404 for pages and API alike; never says which of absent, foreign or hidden it was."""
    if request.path_info.startswith("/api/"):
        return JsonResponse(build_payload("not_found", NOT_FOUND), status=404)
    return render(request, "errors/404.html", {"detail": NOT_FOUND}, status=404)


def build_not_signed_in() -> HttpResponse:
    """401 of the API, whatever was missing or wrong."""
    answer = JsonResponse(
        build_payload("not_signed_in", gettext("Sign in, or send a token that is valid.")), status=401
    )
    answer["WWW-Authenticate"] = "Token"
    return answer


def conflict(request: HttpRequest) -> HttpResponse:
    """409: something that the request relied on went while it ran. Not what: that may not be the caller's to know."""
    detail = gettext(
        "Something that this relies on was changed or removed at the same moment. Nothing was saved; try again."
    )
    if request.path_info.startswith("/api/"):
        return JsonResponse(build_payload("conflict", detail), status=409)
    return render(request, "errors/409.html", {"detail": detail}, status=409)


def too_many_requests(request: HttpRequest, detail: str) -> HttpResponse:
    """429: the same request will be answered a little later."""
    if request.path_info.startswith("/api/"):
        answer: HttpResponse = JsonResponse(build_payload("too_many_requests", detail), status=429)
    else:
        answer = render(request, "errors/429.html", {"detail": detail}, status=429)
    answer["Retry-After"] = "10"
    return answer


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400, or 413 for one with too much in it, of what is refused before any view has read it."""
    too_much = isinstance(exception, TooManyFilesSent | TooManyFieldsSent | RequestDataTooBig)
    detail = gettext("This request is malformed. Go back, reload the page and try again.")
    if isinstance(exception, TooManyFilesSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        detail = gettext("At most %(most)s files can be sent at once. Send them in batches.") % {"most": most}
    elif too_much:
        detail = str(TOO_MUCH)
    code, status = ("too_large", 413) if too_much else ("invalid", 400)
    if request.path_info.startswith("/api/"):
        return JsonResponse(build_payload(code, detail), status=status)
    return render(request, "errors/400.html", {"detail": detail, "status": status}, status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse(build_payload("forbidden", str(exception) or gettext("You may not do this.")), status=403)
    return render(request, "errors/403.html", {"detail": str(exception or "")}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse(
            build_payload("server_error", gettext("Something went wrong on our side. Nothing was saved.")), status=500
        )
    return render(request, "errors/500.html", status=500)
