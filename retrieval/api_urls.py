from django.urls import URLPattern

app_name = "retrieval_api"

urlpatterns: list[URLPattern] = []
