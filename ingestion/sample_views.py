"""How far the demo workspace is that a founder has chosen to have beside their own."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from entities.access import MEMBER, requires
from entities.models import Entity
from ingestion.access import select_visible_files
from ingestion.claims import UNFINISHED
from ingestion.demo.load import SLUG, is_unfinished
from ingestion.desk_views import get_scope
from ingestion.listing import build_file_views


@requires(MEMBER)
@require_safe
def describe_sample(request: HttpRequest) -> HttpResponse:
    """What of the demo is there and read, counted over what the caller may see. Raises: Http404 in other workspaces."""
    scope = get_scope(request)
    if scope.slug != SLUG:
        raise Http404("Not found.")
    is_loading = is_unfinished()  # before the counts, which are of all of it when it is not
    files = build_file_views(scope, select_visible_files(scope))
    read = sum(file.state not in UNFINISHED for file in files)
    context = {
        "records": Entity.objects.visible_to(scope).count(),
        "files": len(files),
        "read": read,
        "is_loading": is_loading,
        "is_live": is_loading or read < len(files),
        "home_url": reverse("entities:home"),
    }
    return render(request, "ingestion/sample_panel.html", context)
