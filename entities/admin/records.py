"""Metadata of records, and grants on single ones. Records that the administrator may not see do not exist here."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from unfold.views import ChangeList
from unfold.widgets import UnfoldAdminTextInputWidget

from entities.access import Scope, has_permission
from entities.actions import announce_access_change
from entities.admin.base import WorkspaceAdmin
from entities.language import translate_stored
from entities.models import Entity, Membership, User
from entities.rag import VERBS
from entities.templatetags.clearance_ui import name_or_kind


class VerbField(forms.ModelChoiceField):
    """What a grant allows, in one word."""

    def label_from_instance(self, obj: Any) -> str:
        return translate_stored(obj.codename.removesuffix("_entity"))


class GrantForm(forms.ModelForm):
    def clean_expires_at(self) -> Any:
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= timezone.now():
            raise ValidationError(gettext("A grant ends in the future; to end one now, delete it."))
        return expires_at


class NamedRecords(ChangeList):
    """A page of grants, with the names of its records read at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        scope: Scope = request.access_scope  # type: ignore[attr-defined]
        records = Entity.objects.readable_by(scope).in_bulk({grant.content_object_id for grant in self.result_list})
        for grant in self.result_list:
            record = records.get(grant.content_object_id)
            grant.record_name = name_or_kind(record) if record else str(grant.content_object_id)


class GrantAdmin(WorkspaceAdmin):
    """Grants to members and roles of this workspace, on records that the administrator may share."""

    form = GrantForm
    list_display = ["record", "holder", "verb", "expires_at"]
    list_select_related = ["permission"]
    exclude = ["workspace"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        shared = Entity.objects.visible_to(self.scope(request), "share")
        return super().get_queryset(request).filter(content_object__in=shared.values("pk"))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "content_object":
            # By its key, typed: a chooser would look names up, and say of a hidden record that it is one.
            kwargs["queryset"] = Entity.objects.visible_to(self.scope(request), "share")
            kwargs["widget"] = UnfoldAdminTextInputWidget()
            kwargs["label"] = gettext("Record")
            kwargs["help_text"] = gettext("The id of a record that you may share.")
            return db_field.formfield(**kwargs)
        if db_field.name == "user":
            kwargs["queryset"] = User.objects.filter(pk__in=Membership.objects.values("user")).order_by("username")
        if db_field.name == "permission":
            kwargs["queryset"] = Permission.objects.filter(
                content_type__app_label="entities", codename__in=[f"{verb}_entity" for verb in VERBS]
            )
            kwargs["form_class"] = VerbField
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        announce_access_change(self.scope(request), obj.content_object_id)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        announce_access_change(self.scope(request), obj.content_object_id)

    def describe_for_audit(self, obj: Any) -> dict[str, Any]:
        holder = {"user": obj.user_id} if hasattr(obj, "user_id") else {"role": obj.group.role.pk}
        verb = obj.permission.codename.removesuffix("_entity")
        until = obj.expires_at.isoformat() if obj.expires_at else None
        return {"entity": str(obj.content_object_id), **holder, "verb": verb, "expires_at": until}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return NamedRecords

    def record(self, grant: Any) -> str:
        return str(grant.record_name)

    @admin.display(description="May", ordering="permission")
    def verb(self, grant: Any) -> str:
        return translate_stored(grant.permission.codename.removesuffix("_entity"))

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
        announce_access_change(self.scope(request), obj.pk)

    def describe_for_audit(self, obj: Any) -> dict[str, Any]:
        return {"visibility": str(obj.visibility)}

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may see a record is decided by those who may share it; other administrators look."""
        return super().has_change_permission(request) and (
            obj is None or has_permission(self.scope(request), obj, "share")
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
