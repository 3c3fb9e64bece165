from django.urls import path

from chat import api

app_name = "chat_api"

urlpatterns = [
    path("chat/sessions/", api.sessions, name="sessions"),
    path("chat/sessions/<uuid:pk>/", api.session, name="session"),
    path("chat/sessions/<uuid:pk>/export/", api.export, name="export"),
    path("chat/sessions/<uuid:pk>/messages/", api.messages, name="messages"),
    path("chat/turns/<uuid:pk>/", api.turn, name="turn"),
    path("chat/turns/<uuid:pk>/events/", api.turn_events, name="events"),
    path("chat/turns/<uuid:pk>/rating/", api.rating, name="rating"),
    path("chat/turns/<uuid:pk>/stop/", api.stop, name="stop"),
    path("chat/turns/<uuid:pk>/context/", api.context, name="context"),
]
