"""What administrators of a workspace manage: people, roles, classifications, grants, and records' metadata."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from entities.access import Scope
from entities.actions import add_member, record, tell_access_changed
from entities.admin_site import site
from entities.models import (
    AuditEntry,
    Classification,
    ClassificationGrant,
    Entity,
    EntityRoleGrant,
    EntityUserGrant,
    Membership,
    Role,
    User,
    Workspace,
    WorkspaceSettings,
)
from entities.models.classification import FIRST_COMPOUND, FIRST_CUSTOM
from entities.rag import VERBS


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
        self._record(request, "added", obj)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:
        self._record(request, "changed", obj)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            self._record(request, "deleted", obj)

    def _record(self, request: HttpRequest, what: str, obj: Any) -> None:
        record(self.scope(request), f"{obj._meta.model_name}.{what}", obj._meta.model_name, obj.pk)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """Django's own history is off; the audit has it."""
        from django.shortcuts import redirect
        from django.urls import reverse

        return redirect(reverse("admin:entities_auditentry_changelist") + f"?q={object_id}")


class GrantInline(TabularInline):
    model = ClassificationGrant
    fields = ["classification"]
    extra = 0
    has_view_permission = has_change_permission = has_add_permission = has_delete_permission = (  # type: ignore[assignment]
        lambda self, request, obj=None: site.has_permission(request)
    )

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = Classification.objects.filter(value__gt=0, value__lt=FIRST_COMPOUND)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class ClassificationAdmin(WorkspaceAdmin):
    list_display = ["label", "value", "icon", "color", "conceal"]
    fields = ["label", "icon", "color", "description", "conceal"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(value__lt=FIRST_COMPOUND)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Custom levels only; the database refuses one that is in use."""
        return site.has_permission(request) and (obj is None or obj.value >= FIRST_CUSTOM)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            used = (
                Classification.objects.filter(value__lt=FIRST_COMPOUND)
                .order_by("-value")
                .values_list("value", flat=True)
            )
            obj.value = max(FIRST_CUSTOM, (used.first() or 0) + 1)
            obj.components = [obj.value]
        super().save_model(request, obj, form, change)


class RoleAdmin(WorkspaceAdmin):
    list_display = ["name", "clearances", "is_admin", "is_steward"]
    fields = ["name", "is_admin", "is_steward"]
    inlines = [GrantInline]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        tell_access_changed(self.scope(request))

    def clearances(self, role: Role) -> str:
        return ", ".join(g.classification.label for g in role.classification_grants.select_related("classification"))


class MembershipForm(forms.ModelForm):
    username = forms.CharField(help_text="An existing user's name; a new user is made when there is none.")
    password = forms.CharField(required=False, widget=forms.PasswordInput, help_text="For a new user.")
    roles = forms.ModelMultipleChoiceField(Role.objects.none(), required=False, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = Membership
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["roles"].queryset = Role.objects.all()  # type: ignore[attr-defined]
        if self.instance.pk:
            self.fields["username"].disabled = True
            self.fields.pop("password")
            self.fields["username"].initial = self.instance.user.username
            self.fields["roles"].initial = Role.objects.filter(group__user=self.instance.user)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.instance.pk and data.get("username"):
            user = User.objects.filter(username=data["username"]).first()
            if user is None and not data.get("password"):
                self.add_error("password", "There is no such user yet; a new one needs a password.")
            elif user is not None and Membership.objects.filter(user=user).exists():
                self.add_error("username", "This user is a member already.")
        return data


class MembershipAdmin(WorkspaceAdmin):
    form = MembershipForm
    list_display = ["user", "roles", "created_at"]
    list_select_related = ["user"]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["username", "roles"] if obj else ["username", "password", "roles"]

    def roles(self, membership: Membership) -> str:
        return ", ".join(Role.objects.filter(group__user=membership.user_id).values_list("name", flat=True)) or "—"

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        if not change:
            name = form.cleaned_data["username"]
            obj.user = User.objects.filter(username=name).first() or User.objects.create_user(
                name, password=form.cleaned_data["password"]
            )
        super().save_model(request, obj, form, change)
        held = set(Role.objects.filter(group__user=obj.user_id))
        wanted = set(form.cleaned_data["roles"])
        obj.user.groups.remove(*[role.group_id for role in held - wanted])
        add_member(Workspace.objects.get(pk=obj.workspace_id), obj.user, wanted - held)
        tell_access_changed(self.scope(request))

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        obj.user.groups.remove(*Role.objects.filter(group__user=obj.user_id).values_list("group_id", flat=True))
        super().delete_model(request, obj)
        tell_access_changed(self.scope(request))
        messages.info(request, "The membership ended; the person's account stays for other workspaces.")


class EntityGrantAdmin(WorkspaceAdmin):
    """Grants on single records: to members and roles of this workspace, for the verbs of records."""

    list_display = ["content_object_id", "holder", "permission", "expires_at"]
    raw_id_fields = ["content_object"]
    exclude = ["workspace"]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "user":
            kwargs["queryset"] = User.objects.filter(pk__in=Membership.objects.values("user"))
        if db_field.name == "permission":
            kwargs["queryset"] = Permission.objects.filter(
                content_type__app_label="entities", codename__in=[f"{verb}_entity" for verb in VERBS]
            )
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        tell_access_changed(self.scope(request), obj.content_object_id)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        tell_access_changed(self.scope(request), obj.content_object_id)

    def holder(self, grant: Any) -> str:
        return str(getattr(grant, "user", None) or grant.group.role)


class EntityAdmin(WorkspaceAdmin):
    """Metadata of the records that the administrator may see. No names, no text."""

    list_display = ["id", "content_type", "visibility", "created_at", "updated_at", "archived_at"]
    fields = [
        "id",
        "content_type",
        "visibility",
        "source_system",
        "source_id",
        "created_at",
        "updated_at",
        "archived_at",
    ]
    readonly_fields = [f for f in fields if f != "visibility"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return Entity.objects.readable_by(self.scope(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Called by its type and key: names are text."""
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            found.title = f"{found.type_title} {found.pk}"
        return found

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        # Only this column: the instance holds no more than its reader may see.
        Entity.objects.filter(pk=obj.pk).update(visibility=obj.visibility)
        tell_access_changed(self.scope(request), obj.pk)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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


site.register(Classification, ClassificationAdmin)
site.register(Role, RoleAdmin)
site.register(Membership, MembershipAdmin)
site.register(EntityUserGrant, EntityGrantAdmin)
site.register(EntityRoleGrant, EntityGrantAdmin)
site.register(Entity, EntityAdmin)
site.register(WorkspaceSettings, SettingsAdmin)
site.register(AuditEntry, AuditAdmin)
