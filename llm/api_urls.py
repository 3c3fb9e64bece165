from django.urls import path

from llm import api

app_name = "llm_api"

urlpatterns = [path("usage/", api.usage, name="usage")]
