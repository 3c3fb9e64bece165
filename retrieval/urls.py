from django.urls import path

from entities.access import declare_attachment_views, declare_sender_views
from retrieval import views
from retrieval.evaluation import views as evaluation

app_name = "retrieval"

urlpatterns = [
    path("search/", views.search_page, name="search"),
    path("search/suggest/", views.suggestions, name="suggest"),
    path("entities/<uuid:pk>/related/", views.related_panel, name="related"),
    path("citations/<uuid:pk>/<int:n>/", views.citation_preview, name="citation"),
    path("evaluation/", evaluation.runs, name="evaluation"),
    path("evaluation/runs/<uuid:pk>/", evaluation.run_detail, name="evaluation-run"),
    path("evaluation/bench/", evaluation.bench_page, name="bench"),
]

declare_attachment_views(*(route.callback for route in urlpatterns if route.name in ("citation",)))
declare_sender_views(*(route.callback for route in urlpatterns if route.name in ("search", "citation")))
