from django.urls import path

from entities.access import declare_attachment_views, declare_sender_views
from retrieval import api

app_name = "retrieval_api"

urlpatterns = [
    path("search/", api.search_view, name="search"),
    path("suggest/", api.suggest_view, name="suggest"),
    path("entities/<uuid:pk>/related/", api.related_view, name="related"),
    path("citations/<uuid:pk>/<int:n>/", api.citation_view, name="citation"),
]

declare_attachment_views(*(route.callback for route in urlpatterns if route.name in ("citation",)))
declare_sender_views(*(route.callback for route in urlpatterns if route.name in ("search", "citation")))
