"""Files for the administrators of a workspace: how far each one got, and why not further. No names, no text."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from entities.admin import WorkspaceAdmin
from entities.admin_site import site
from entities.models import Entity
from ingestion.access import visible_files
from ingestion.models import File, RecordIndex


class FileAdmin(WorkspaceAdmin):
    """Attempts, errors and stages of the files on records that the administrator may see."""

    list_display = ["id", "collection", "state", "stage", "progress", "attempts", "error_code", "updated_at"]
    list_filter = ["state", "stage", "error_code"]
    fields = [*list_display, "entity_id", "error_detail", "error_page", "claimed_until", "woken_at", "created_at"]
    readonly_fields = fields
    ordering = ["-updated_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return visible_files(self.scope(request)).defer("name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RecordIndexAdmin(FileAdmin):
    """Records whose own text waits to be labelled and indexed."""

    list_display = ["entity_id", "stale_since", "attempts", "claimed_until", "error"]
    list_filter: list[str] = []
    fields = list_display
    readonly_fields = fields
    ordering = ["-stale_since"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        seen = Entity.objects.visible_to(self.scope(request)).values("pk")
        return RecordIndex.objects.filter(entity__in=seen, stale_since__isnull=False)


site.register(File, FileAdmin)
site.register(RecordIndex, RecordIndexAdmin)
