"""What the administrators of a workspace choose for its searches."""

from typing import Any

from django.http import HttpRequest

from entities.admin import WorkspaceAdmin
from entities.admin_site import site
from retrieval.models import RankingSettings


class RankingSettingsAdmin(WorkspaceAdmin):
    fields = ["rerank", "strict"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not RankingSettings.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


site.register(RankingSettings, RankingSettingsAdmin)
