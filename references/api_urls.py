from django.urls import path

from references import api

app_name = "references_api"

urlpatterns = [
    path("references/", api.references, name="references"),
    path("references/<uuid:pk>/", api.reference, name="reference"),
    path("entities/<uuid:pk>/graph/", api.graph, name="graph"),
]
