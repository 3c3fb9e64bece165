from django.urls import path

from entities.api import account, views
from entities.api.audit import audit
from entities.registry import list_entity_types

app_name = "entities_api"

urlpatterns = [
    path("token/", account.token, name="token"),
    path("me/", account.me, name="me"),
    path("types/", views.types, name="types"),
    path("audit/", audit, name="audit"),
]
for name, model in list_entity_types().items():
    urlpatterns += [
        path(f"entities/{name}/", views.build_collection_view(model), name=f"{name}_list"),
        path(f"entities/{name}/batch/", views.build_batch_view(model), name=f"{name}_batch"),
        path(f"entities/{name}/<uuid:pk>/", views.record_view(model), name=f"{name}_detail"),
    ]
