"""Everything under `/w/<workspace>/`. The middleware has opened the scope and made the prefix the script prefix."""

from django.urls import include, path

from entities.admin_site import site

urlpatterns = [
    path("", include("entities.urls")),
    path("", include("llm.urls")),
    path("", include("ingestion.urls")),
    path("", include("references.urls")),
    path("", include("retrieval.urls")),
    path("", include("pulse.urls")),
    path("", include("chat.urls")),
    path("api/", include("config.api_urls")),
    path("admin/", site.urls),
]

handler400 = "entities.errors.bad_request"
handler403 = "entities.errors.forbidden"
handler404 = "entities.errors.not_found"
handler500 = "entities.errors.server_error"
