"""The workspace's settings, but for what the page of the workspace has."""

from typing import Any

from django.http import HttpRequest

from entities.admin.base import WorkspaceAdmin
from entities.models import WorkspaceSettings


class SettingsAdmin(WorkspaceAdmin):
    fields = ["citation_style", "classification_prompt", "keep_questions_days", "keep_audit_days", "needs_versions"]

    def describe_for_audit(self, obj: WorkspaceSettings) -> dict[str, Any]:
        return {"keep_questions_days": obj.keep_questions_days, "keep_audit_days": obj.keep_audit_days}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
