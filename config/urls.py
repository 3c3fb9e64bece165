"""Addresses outside a workspace. Those inside one are config/workspace_urls.py, under /w/<slug>/."""

from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path

from config import health
from entities.access import PUBLIC_ROUTE, requires


def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """For pages that name no icon: the admin site, the API documentation, a PDF."""
    return HttpResponseRedirect(static("img/mark.svg"))


urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", requires(PUBLIC_ROUTE)(health.healthz), name="healthz"),
    path("readyz", requires(PUBLIC_ROUTE)(health.readyz), name="readyz"),
    path("favicon.ico", requires(PUBLIC_ROUTE)(favicon), name="favicon"),
    path("api/", include("config.api_urls")),
    path("", include("entities.root_urls")),
]

handler400 = "entities.errors.bad_request"
handler403 = "entities.errors.forbidden"
handler404 = "entities.errors.not_found"
handler500 = "entities.errors.server_error"
