"""Django admin inside one workspace's scope: metadata and labels, never text (design §2.4)."""

from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, URLResolver
from unfold.sites import UnfoldAdminSite

from entities.access import ADMIN, requires
from entities.access.routes import holds

LEFT_OUT = {"view_on_site"}  # would redirect to records by content type, past their access functions


class WorkspaceAdminSite(UnfoldAdminSite):
    site_header = site_title = "Clearance administration"
    index_title = "Administration of this workspace"
    site_url = None

    def has_permission(self, request: HttpRequest) -> bool:
        """Administrators of the open workspace. `is_superuser` and `is_staff` grant nothing."""
        scope = getattr(request, "access_scope", None)
        return scope is not None and request.user.is_active and holds(scope, ADMIN)

    def get_urls(self) -> list[Any]:
        """Every route under the rule of administrators; Django wraps its views where no attribute would survive."""
        return guarded(super().get_urls())


def guarded(patterns: list[Any]) -> list[Any]:
    kept = []
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            guarded(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            if pattern.name in LEFT_OUT:
                continue
            pattern.callback = requires(ADMIN)(pattern.callback)
        kept.append(pattern)
    return kept


site = WorkspaceAdminSite(name="admin")
