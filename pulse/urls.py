from django.urls import path

from pulse import views

app_name = "pulse"

urlpatterns = [
    path("pulses/recent/", views.recent, name="recent"),
    path("entities/<uuid:pk>/pulse/", views.panel, name="panel"),
    path("entities/<uuid:pk>/pulse/refresh/", views.refresh_now, name="refresh"),
    path("entities/<uuid:pk>/pulse/allow/", views.allow_now, name="allow"),
]
