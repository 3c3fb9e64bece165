"""Files for the administrators of a workspace: how far each one got, and why not further. No names, no text."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.translation import gettext

from entities.access import get_current_scope
from entities.admin import ListAdmin, WorkspaceAdmin
from entities.admin_site import site
from entities.language import translate_stored
from entities.models import Entity
from ingestion.access import select_disclosed_files, select_readable_files, select_visible_files
from ingestion.known_versions import build_known_updated_at
from ingestion.listing import build_file_view
from ingestion.models import File, RecordIndex, Redo, Stage, State, WorkspaceModel
from ingestion.staleness import NAMES, annotate_causes, is_stale, list_causes
from ingestion.vector_models import count_visible_missing


class Stale(admin.SimpleListFilter):
    """Files whose labels or text were made from what is no longer so."""

    title = "stale"
    parameter_name = "stale"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("Stale")), ("no", gettext("Up to date"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        return queryset.filter(is_stale()) if self.value() == "yes" else queryset.exclude(is_stale())


def build_ready_case(ready: Any, waiting: Any) -> Case:
    """What is shown may be read anew, and waits for the version that is worked on."""
    return Case(When(redo=Redo.NOTHING, then=Value(ready)), default=Value(waiting))


AS_READY: Mapping[str, Any] = {
    "state": build_ready_case(State.READY, State.PENDING),
    "stage": build_ready_case(Stage.DONE, Stage.WAITING),
    "progress": build_ready_case(100, 0),
    "attempts": Value(0),
    "error_code": Value(""),
    "claimed_until": Value(None, DateTimeField()),
    "woken_at": Value(None, DateTimeField()),
}
"""Columns about the version that is worked on, as they are for who does not know of it: of a file that is ready. When
it changed last is `build_known_updated_at`."""


def build_column(name: str) -> Any:
    """A column as the administrator may know it."""

    @admin.display(description=name.replace("_", " "), ordering=f"told_{name}")
    def show_column(self: Any, file: Any) -> Any:
        return getattr(file, f"told_{name}")

    return show_column


class ColumnFilter(admin.SimpleListFilter):
    """By a column as the administrator may know it."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = model_admin.get_queryset(request).order_by(self.parameter_name)
        found = rows.values_list(self.parameter_name, flat=True).distinct()
        return [(value, translate_stored(str(value).capitalize())) for value in found if value]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value()
        return queryset if wanted is None else queryset.filter(**{f"{self.parameter_name}": wanted})


class ByState(ColumnFilter):
    title, parameter_name = "state", "told_state"


class ByStage(ColumnFilter):
    title, parameter_name = "stage", "told_stage"


class ByError(ColumnFilter):
    title, parameter_name = "error code", "told_error_code"


class FileAdmin(WorkspaceAdmin):
    """Attempts, errors and stages of the files on records that the administrator may see."""

    list_display = ["id", "collection", *(f"told_{name}" for name in list(AS_READY)[:5]), "stale", "told_updated_at"]
    list_filter: Sequence[Any] = [ByState, ByStage, ByError, Stale]
    fields = [*list_display, "entity_id", "reason", "told_claimed_until", "told_woken_at", "created_at"]
    readonly_fields = fields

    told_state, told_stage, told_progress, told_attempts = map(build_column, ("state", "stage", "progress", "attempts"))
    told_error_code, told_updated_at = build_column("error_code"), build_column("updated_at")
    told_claimed_until, told_woken_at = build_column("claimed_until"), build_column("woken_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        scope = self.scope(request)
        files = select_readable_files(scope, select_visible_files(scope))
        known = Exists(select_disclosed_files(scope, File.objects.filter(pk=OuterRef("pk"))))
        columns: dict[str, Case | F] = {
            f"told_{name}": Case(When(known, then=name), default=ready) for name, ready in AS_READY.items()
        }
        columns["told_updated_at"] = build_known_updated_at(scope, Q(known))
        return annotate_causes(files).annotate(**columns).defer("name")

    def get_ordering(self, request: HttpRequest) -> Sequence[Any]:
        return self.ordering or ["-told_updated_at"]

    @admin.display(description="Stale for")
    def stale(self, file: File) -> str:
        """What changed since its text was labelled; `manage.py requalify` renews it."""
        return ", ".join(NAMES[name] for name in list_causes(file)) or "–"

    @admin.display
    def reason(self, file: File) -> str:
        """Why it failed, as the files panel tells it: what was met in the bytes is the uploader's and stewards'."""
        error = build_file_view(get_current_scope(), file).error or {}
        page = f" Page {error['page']}." if "page" in error else ""
        return f"{error.get('detail', '')}{page}"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RecordIndexAdmin(FileAdmin):
    """Records whose own text waits to be labelled and indexed."""

    list_display = ["entity_id", "stale_since", "attempts", "claimed_until", "error"]
    list_filter: Sequence[Any] = []
    fields = list_display
    readonly_fields = fields
    ordering = ["-stale_since"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        seen = Entity.objects.visible_to(self.scope(request)).values("pk")
        return RecordIndex.objects.filter(entity__in=seen, stale_since__isnull=False)


class WorkspaceModelAdmin(ListAdmin):
    """The embedding models of the workspace and how far each has come. The page "Search by meaning" changes them, and
    manage.py vector_model.

    Not how many rows there are or wait: they are everybody's. The share is of those that the administrator may see.
    """

    list_display = ["model", "state", "share", "checked_at", "error", "attempts", "added_at", "switched_at"]
    ordering = ["-state"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return WorkspaceModel.objects.select_related("model")

    @admin.display(description="Ready, of what you may see")
    def share(self, row: WorkspaceModel) -> str:
        rows, missing = count_visible_missing(get_current_scope(), row.model_id)
        return f"{100 * (rows - missing) // rows} %" if rows else "–"


site.register(File, FileAdmin)
site.register(RecordIndex, RecordIndexAdmin)
site.register(WorkspaceModel, WorkspaceModelAdmin)
