from django.urls import URLPattern

app_name = "references_api"

urlpatterns: list[URLPattern] = []
