from django.urls import path

from chat import attachment_views, session_views, views
from chat.evaluation.views import answer_runs
from entities.access import declare_attachment_views, declare_sender_views

app_name = "chat"

urlpatterns = [
    path("entities/<uuid:pk>/chat/", views.dock, name="dock"),
    path("entities/<uuid:pk>/chat/ask/", views.ask, name="ask"),
    path("chat/", session_views.conversations, name="conversations"),
    path("chat/recent/", session_views.recent, name="recent"),
    path("chat/new/", views.new, name="new"),
    path("chat/mentions/", views.mentions, name="mentions"),
    path("chat/ask/", views.ask_workspace, name="ask_workspace"),
    path("chat/<uuid:pk>/", views.session_page, name="session"),
    path("chat/attach/", attachment_views.attach_to_workspace, name="attach_to_workspace"),
    path("entities/<uuid:pk>/chat/attach/", attachment_views.attach_to_record, name="attach"),
    path("chat/<uuid:pk>/attachments/", attachment_views.attachments, name="attachments"),
    path(
        "chat/<uuid:pk>/attachments/<uuid:file>/remove/", attachment_views.remove_attachment, name="remove_attachment"
    ),
    path("chat/<uuid:pk>/change/", session_views.change, name="change"),
    path("chat/<uuid:pk>/delete/", session_views.delete, name="delete"),
    path("chat/<uuid:pk>/export/", session_views.export, name="export"),
    path("evaluation/answers/", answer_runs, name="answer_runs"),
    path("chat/turns/<uuid:pk>/", views.turn, name="turn"),
    path("chat/turns/<uuid:pk>/earlier/", views.earlier, name="earlier"),
    path("chat/turns/<uuid:pk>/again/", views.again, name="again"),
    path("chat/turns/<uuid:pk>/rate/", views.rate, name="rate"),
    path("chat/turns/<uuid:pk>/stop/", views.stop, name="stop"),
    path("chat/turns/<uuid:pk>/context/", views.context, name="context"),
]

# All but the names that are offered for mentions: a file goes with its conversation, and is looked in there anyway.
declare_attachment_views(*(route.callback for route in urlpatterns if route.name != "mentions"))
declare_sender_views(*(route.callback for route in urlpatterns if route.name != "mentions"))
