"""The workspace's settings and its audit."""

from typing import Any

from django.http import HttpRequest

from entities.admin.base import WorkspaceAdmin


class SettingsAdmin(WorkspaceAdmin):
    fields = ["citation_style", "classification_prompt"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AuditAdmin(WorkspaceAdmin):
    list_display = ["at", "actor", "action", "object_kind", "object_id"]
    search_fields = ["object_id", "action"]
    list_filter = ["action"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_delete_permission = has_change_permission
