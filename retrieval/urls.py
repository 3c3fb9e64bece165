from django.urls import path

from retrieval import views

app_name = "retrieval"

urlpatterns = [
    path("search/", views.search_page, name="search"),
    path("search/suggest/", views.suggestions, name="suggest"),
    path("entities/<uuid:pk>/related/", views.related_panel, name="related"),
    path("citations/<uuid:pk>/<int:n>/", views.citation_preview, name="citation"),
]
