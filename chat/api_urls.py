from django.urls import URLPattern

app_name = "chat_api"

urlpatterns: list[URLPattern] = []
