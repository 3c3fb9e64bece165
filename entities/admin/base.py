"""What all administration pages share."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from unfold.admin import ModelAdmin

from entities.access import Scope
from entities.actions import record_action
from entities.admin_site import site
from entities.versioned_forms import SEEN, add_version, describe_last_author


class WorkspaceAdmin(ModelAdmin):
    """Rights come from the workspace role alone; rows from row-level security; every change is audited by id."""

    actions = None
    list_filter_submit = True
    view_on_site = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return site.has_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return site.has_permission(request)

    def scope(self, request: HttpRequest) -> Scope:
        return request.access_scope  # type: ignore[attr-defined, no-any-return]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change and hasattr(obj, "workspace_id"):
            obj.workspace_id = self.scope(request).workspace
        super().save_model(request, obj, form, change)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """One that is about to be written is held first, and is then as it is now."""
        found = super().get_object(request, object_id, from_field)
        if found is None or request.method != "POST" or not self.has_change_permission(request, found):
            return found
        rows = type(found)._base_manager.select_for_update(no_key=True, of=("self",)).filter(pk=found.pk)
        list(rows.order_by().values_list("pk"))
        return super().get_object(request, object_id, from_field)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        sets = super().get_fieldsets(request, obj)
        if obj is None or not self.has_change_permission(request, obj) or SEEN in flatten_fieldsets(sets):
            return sets
        (title, options), *others = sets
        return [(title, {**options, "fields": [*options["fields"], SEEN]}), *others]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """What an old page says is written as far as its reader has changed it (`VersionedForm`)."""
        if obj is not None and self.has_change_permission(request, obj):
            author = describe_last_author(obj) if request.method == "POST" else ""
            kwargs.setdefault("form", add_version(self.form, author=author))
        return super().get_form(request, obj, change, **kwargs)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the list shows can be asked for: a filter by another column would answer guesses at it."""
        shown = {*self.list_display, *(f for f in self.list_filter if isinstance(f, str))}
        return lookup.removesuffix("__exact").removesuffix("__id") in shown

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for obj in formset.save(commit=False):
            obj.workspace_id = self.scope(request).workspace
            obj.save()
        for obj in formset.deleted_objects:
            obj.delete()
        formset.save_m2m()

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        self._record_change(request, "added", obj)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:
        self._record_change(request, "changed", obj)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            self._record_change(request, "deleted", obj)

    def _record_change(self, request: HttpRequest, what: str, obj: Any) -> None:
        name = obj._meta.model_name
        record_action(self.scope(request), f"{name}.{what}", name, obj.pk, **self.describe_for_audit(obj))

    def describe_for_audit(self, obj: Any) -> dict[str, Any]:
        """What the audit says of an object, as it stands or before it goes: ids, labels and flags, no text."""
        return {}

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """Django's own history is off; the audit has it."""
        return redirect(reverse("admin:entities_auditentry_changelist") + "?" + urlencode({"q": object_id}))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if any("\x00" in value for value in request.GET.values()):
            raise BadRequest(gettext("A question holds no NUL characters."))
        return super().changelist_view(request, extra_context)


class ListAdmin(WorkspaceAdmin):
    """Rows that are read in their list and have no page of their own: its address would have a number that counts the
    rows of all workspaces (docs/adr/0023).
    """

    list_display_links = None

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        return None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_delete_permission = has_change_permission
