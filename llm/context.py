"""What every page of a workspace shows of its model (a context processor)."""

from typing import Any

from django.http import HttpRequest

from entities.access import has_open_scope
from llm.client import is_offline


def model_notice(request: HttpRequest) -> dict[str, Any]:
    """offline_engine: asked only where a page has a place for the notice."""
    if getattr(request, "access_scope", None) is None:
        return {}
    return {"offline_engine": lambda: has_open_scope() and is_offline()}
