from django.urls import URLPattern

app_name = "references"

urlpatterns: list[URLPattern] = []
