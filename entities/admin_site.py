"""Django admin inside one workspace's scope: metadata and labels, never text (design §2.4)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver
from django.utils.translation import gettext_lazy
from unfold.sites import UnfoldAdminSite

from entities.access import ADMIN, opens_own_scope, requires
from entities.access.routes import OWN_PASSWORD, SIGN_IN, open_scope_satisfies, opens_its_own
from entities.admin_words import translate_admin

# The first would redirect to records by content type, past their access functions; passwords have a page of their own.
LEFT_OUT = {"view_on_site", "password_change_done"}
# The menu, in the order of the work: (group, its models by app label and class name, what people call them).
MENU = (
    (gettext_lazy("People and access"), {
        "entities.Membership": gettext_lazy("Members"),
        "entities.Role": gettext_lazy("Roles"),
        "entities.Classification": gettext_lazy("Classifications"),
        "entities.EntityRoleGrant": gettext_lazy("Records granted to roles"),
        "entities.EntityUserGrant": gettext_lazy("Records granted to people"),
    }),
    (gettext_lazy("Records and files"), {
        "entities.Entity": gettext_lazy("Records"),
        "ingestion.File": gettext_lazy("Files"),
        "ingestion.RecordIndex": gettext_lazy("State of the index"),
    }),
    (gettext_lazy("Models"), {
        "llm.Budget": gettext_lazy("Budgets"),
        "llm.ModelCall": gettext_lazy("Model calls"),
        "ingestion.WorkspaceModel": gettext_lazy("Embedding models"),
    }),
    (gettext_lazy("Workspace"), {
        "entities.WorkspaceSettings": gettext_lazy("Settings"),
        "retrieval.RankingSettings": gettext_lazy("Search"),
        "entities.AuditEntry": gettext_lazy("Audit"),
    }),
)  # fmt: skip


class WorkspaceAdminSite(UnfoldAdminSite):
    site_header = site_title = gettext_lazy("Clearance administration")
    index_title = gettext_lazy("Administration of this workspace")
    site_url = None

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        super().register(model_or_iterable, admin_class, **options)
        for model in [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable:
            translate_admin(model, type(self._registry[model]))

    def has_permission(self, request: HttpRequest) -> bool:
        """Administrators of the open workspace. `is_superuser` and `is_staff` grant nothing."""
        scope = getattr(request, "access_scope", None)
        return scope is not None and request.user.is_active and open_scope_satisfies(scope, ADMIN)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """The menu and the index by what people do; a model that `MENU` forgets stays under its app."""
        apps = super().get_app_list(request, app_label)
        models = {f"{app['app_label']}.{model['object_name']}": model for app in apps for model in app["models"]}
        groups = []
        for title, names in MENU:
            found = [models.pop(key) | {"name": name} for key, name in names.items() if key in models]
            groups.append({"name": title, "app_label": title.lower().replace(" ", "-"), "app_url": "", "models": found})
        for app in apps:
            rest = [model for model in app["models"] if f"{app['app_label']}.{model['object_name']}" in models]
            groups.append(app | {"models": rest})
        return [group for group in groups if group["models"]]

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Django's own form would check passwords in the scope's transaction, and as many as somebody likes."""
        return redirect(SIGN_IN)

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect(OWN_PASSWORD)

    def get_urls(self) -> list[Any]:
        """Every route under the rule of administrators; Django wraps its views where no attribute would survive."""
        return guard_patterns(super().get_urls())


def guard_patterns(patterns: list[Any]) -> list[Any]:
    kept = []
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            guard_patterns(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            if pattern.name in LEFT_OUT:
                continue
            callback = requires(ADMIN)(pattern.callback)
            # A view that opens its scope itself says so outermost.
            pattern.callback = opens_own_scope(callback) if opens_its_own(pattern.callback) else callback
        kept.append(pattern)
    return kept


site = WorkspaceAdminSite(name="admin")
