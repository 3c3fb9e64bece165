from django.urls import path

from chat import views

app_name = "chat"

urlpatterns = [
    path("entities/<uuid:pk>/chat/", views.dock, name="dock"),
    path("entities/<uuid:pk>/chat/ask/", views.ask, name="ask"),
    path("chat/", views.conversations, name="conversations"),
    path("chat/recent/", views.recent, name="recent"),
    path("chat/<uuid:pk>/", views.session_page, name="session"),
    path("chat/<uuid:pk>/change/", views.change, name="change"),
    path("chat/<uuid:pk>/delete/", views.delete, name="delete"),
    path("chat/<uuid:pk>/export/", views.export, name="export"),
    path("chat/turns/<uuid:pk>/", views.turn, name="turn"),
    path("chat/turns/<uuid:pk>/again/", views.again, name="again"),
    path("chat/turns/<uuid:pk>/stop/", views.stop, name="stop"),
    path("chat/turns/<uuid:pk>/context/", views.context, name="context"),
]
