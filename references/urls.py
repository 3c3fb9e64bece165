from django.urls import path

from references import views

app_name = "references"

urlpatterns = [
    path("entities/<uuid:pk>/references/", views.panel, name="panel"),
    path("entities/<uuid:pk>/references/new/", views.add, name="add"),
    path("references/<uuid:pk>/remove/", views.remove, name="remove"),
]
