from django.urls import path

from references import api, api_aliases

app_name = "references_api"

urlpatterns = [
    path("entities/<uuid:pk>/aliases/", api_aliases.entity_aliases, name="aliases"),
    path("references/", api.references, name="references"),
    path("references/<uuid:pk>/", api.reference, name="reference"),
    path("entities/<uuid:pk>/graph/", api.graph, name="graph"),
]
