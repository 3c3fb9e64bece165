"""The API (design §11), reachable at `/api/` and, from pages, at `/w/<workspace>/api/`."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from entities.access import SIGNED_IN, requires

urlpatterns = [
    path("", include("entities.api_urls")),
    path("", include("llm.api_urls")),
    path("", include("ingestion.api_urls")),
    path("", include("references.api_urls")),
    path("", include("retrieval.api_urls")),
    path("", include("pulse.api_urls")),
    path("", include("chat.api_urls")),
    path("schema/", requires(SIGNED_IN)(SpectacularAPIView.as_view()), name="schema"),
    path("docs/", requires(SIGNED_IN)(SpectacularSwaggerSplitView.as_view(url_name="schema")), name="docs"),
]
