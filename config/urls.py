"""Addresses outside a workspace. Those inside one are config/workspace_urls.py, under /w/<slug>/."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

from config import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
if find_spec("entities.urls"):
    urlpatterns.append(path("", include("entities.urls")))
