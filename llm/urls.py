from django.urls import path

from llm import model_views

app_name = "llm"

urlpatterns = [
    path("model/", model_views.model, name="model"),
    path("model/test/", model_views.check, name="check_model"),
    path("model/disconnect/", model_views.disconnect, name="disconnect_model"),
]
