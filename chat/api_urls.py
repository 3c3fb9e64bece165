from django.urls import path

from chat import api, attachment_api, turn_api
from entities.access import declare_attachment_views, declare_sender_views

app_name = "chat_api"

urlpatterns = [
    path("chat/sessions/", api.sessions, name="sessions"),
    path("chat/sessions/<uuid:pk>/", api.session, name="session"),
    path("chat/sessions/<uuid:pk>/export/", api.export, name="export"),
    path("chat/sessions/<uuid:pk>/messages/", api.messages, name="messages"),
    path("chat/sessions/<uuid:pk>/attachments/", attachment_api.attachments, name="attachments"),
    path("chat/sessions/<uuid:pk>/attachments/<uuid:file>/", attachment_api.attachment, name="attachment"),
    path("chat/turns/<uuid:pk>/", turn_api.turn, name="turn"),
    path("chat/turns/<uuid:pk>/events/", turn_api.turn_events, name="events"),
    path("chat/turns/<uuid:pk>/rating/", turn_api.rating, name="rating"),
    path("chat/turns/<uuid:pk>/stop/", turn_api.stop, name="stop"),
    path("chat/turns/<uuid:pk>/context/", turn_api.context, name="context"),
]

declare_attachment_views(*(route.callback for route in urlpatterns))
declare_sender_views(*(route.callback for route in urlpatterns))
