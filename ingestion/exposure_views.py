"""The page on which stewards and administrators see what stands open, each part with one act."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from entities.access import ADMIN, STEWARD, STEWARD_OR_ADMIN, requires
from entities.access.routes import open_scope_satisfies
from ingestion.desk_views import get_scope
from ingestion.exposure import measure_exposure

TWINS_SHOWN = 50


@requires(STEWARD_OR_ADMIN)
@never_cache
@require_safe
def exposure(request: HttpRequest) -> HttpResponse:
    scope = get_scope(request)
    context = {
        "exposure": measure_exposure(scope, TWINS_SHOWN),
        "is_admin": open_scope_satisfies(scope, ADMIN),
        "is_steward": open_scope_satisfies(scope, STEWARD),
    }
    return render(request, "ingestion/exposure.html", context)
