"""Addresses inside a workspace: the script prefix /w/<slug>/ is already taken off (entities.middleware)."""

from importlib.util import find_spec

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(f"{app}.workspace_urls"))
    for app in reversed(settings.LAYERS)
    if find_spec(f"{app}.workspace_urls")
]
