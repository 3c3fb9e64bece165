"""The month's cap and the metered calls, in Django admin: figures only."""

from django.http import HttpRequest

from entities.admin import ListAdmin, WorkspaceAdmin
from entities.admin_site import site
from llm.models import Budget, ModelCall


class BudgetAdmin(WorkspaceAdmin):
    list_display = ["__str__"]
    fields = ["monthly_cap"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not Budget.objects.exists()


class ModelCallAdmin(ListAdmin):
    list_display = [
        "at",
        "feature",
        "model",
        "tokens_in",
        "tokens_out",
        "tokens_cached",
        "cost",
        "latency_ms",
        "outcome",
    ]
    list_filter = ["feature", "model", "outcome"]


site.register(Budget, BudgetAdmin)
site.register(ModelCall, ModelCallAdmin)
