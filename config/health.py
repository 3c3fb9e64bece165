"""Is the process alive, and can it serve?"""

from django.http import HttpRequest, HttpResponse, JsonResponse


def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; touches no database."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"ready": True})
