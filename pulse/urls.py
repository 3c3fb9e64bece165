from django.urls import URLPattern

app_name = "pulse"

urlpatterns: list[URLPattern] = []
