from django.urls import path

from entities.access import finds_attachments
from retrieval import api

app_name = "retrieval_api"

urlpatterns = [
    path("search/", api.search_view, name="search"),
    path("suggest/", api.suggest_view, name="suggest"),
    path("entities/<uuid:pk>/related/", api.related_view, name="related"),
    path("citations/<uuid:pk>/<int:n>/", api.citation_view, name="citation"),
]

finds_attachments(*(route.callback for route in urlpatterns if route.name in ("citation",)))
