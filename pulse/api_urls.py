from django.urls import URLPattern

app_name = "pulse_api"

urlpatterns: list[URLPattern] = []
