from django.urls import path

from llm import model_views

app_name = "llm"

urlpatterns = [
    path("model/", model_views.model, name="model"),
    path("model/test/", model_views.check, name="check_model"),
    path("model/test/state/", model_views.model_test, name="model_test"),
    path("model/test/stop/", model_views.forget, name="stop_model_test"),
    path("model/local/", model_views.find_local, name="find_local_models"),
    path("model/disconnect/", model_views.disconnect, name="disconnect_model"),
]
