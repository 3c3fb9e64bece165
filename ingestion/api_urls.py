from django.urls import URLPattern

app_name = "ingestion_api"

urlpatterns: list[URLPattern] = []
