from django.urls import path

from pulse import api

app_name = "pulse_api"

urlpatterns = [
    path("entities/<uuid:pk>/pulse/", api.pulse, name="pulse"),
    path("entities/<uuid:pk>/pulse/refresh/", api.refresh_now, name="refresh"),
]
