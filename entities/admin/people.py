"""Roles with their clearances, and members with their roles."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from entities.access import opens_own_scope
from entities.actions import announce_access_change, load_resting_level, record_action
from entities.admin.base import WorkspaceAdmin
from entities.admin_site import site
from entities.join_codes import build_account_name, end_codes, find_user_by_code
from entities.language import translate_level
from entities.middleware import answer_in_scope
from entities.models import Classification, ClassificationGrant, LabelGrant, Membership, Role, User
from entities.models.classification import STEWARDS
from entities.stewards_level import follow_stewards_level
from entities.versioned_forms import SEEN, add_version

NO_CODE = gettext_lazy("This code is not for this workspace, was used before, or is more than a day old.")


class GrantInline(TabularInline):
    model = ClassificationGrant
    form = add_version(forms.ModelForm)
    fields = ["classification", SEEN]
    extra = 0
    has_view_permission = has_change_permission = has_add_permission = has_delete_permission = (  # type: ignore[assignment]
        lambda self, request, obj=None: site.has_permission(request)
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(classification__value__lt=STEWARDS)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["queryset"] = Classification.objects.filter(value__gt=0, value__lt=STEWARDS)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


def keep_an_administrator() -> None:
    """Raises: PermissionDenied where nobody could administer the workspace any more; the request is rolled back."""
    members = User.objects.filter(is_active=True, pk__in=Membership.objects.values("user"))
    if not members.filter(groups__role__in=Role.objects.filter(is_admin=True)).exists():
        raise PermissionDenied(
            gettext("Then nobody could administer this workspace. Give somebody else that role first.")
        )


class RoleForm(forms.ModelForm):
    class Meta:
        model = Role
        fields = ["name", "is_admin", "is_steward"]

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        if Role.objects.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise ValidationError(gettext("There is already a role with this name."))
        return name


class NewRoleForm(RoleForm):
    """reads_resting: cleared for the level of text that nobody has judged, unless its maker takes the tick away."""

    reads_resting = forms.BooleanField(required=False, initial=True, widget=UnfoldBooleanSwitchWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if level := load_resting_level():
            words = gettext("Reads new text that nobody has judged yet: cleared for %(level)s")
            self.fields["reads_resting"].label = words % {"level": translate_level(level.label)}


class RoleAdmin(WorkspaceAdmin):
    form = RoleForm
    list_display = ["name", "clearances", "is_admin", "is_steward"]
    fields = ["name", "is_admin", "is_steward"]
    inlines = [GrantInline]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.fields, *(["reads_resting"] if obj is None and load_resting_level() else [])]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        given = {"form": NewRoleForm} if obj is None else {}
        return super().get_form(request, obj, change, **given, **kwargs)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        level = load_resting_level() if form.cleaned_data.get("reads_resting") else None
        role = form.instance
        if level is not None:
            ClassificationGrant.objects.get_or_create(workspace_id=role.workspace_id, role=role, classification=level)
        follow_stewards_level(role)
        keep_an_administrator()
        announce_access_change(self.scope(request))

    def delete_model(self, request: HttpRequest, obj: Role) -> None:
        super().delete_model(request, obj)
        keep_an_administrator()
        announce_access_change(self.scope(request))

    def describe_for_audit(self, obj: Role) -> dict[str, Any]:
        labels = obj.classification_grants.order_by("classification__value")
        values = list(labels.values_list("classification__value", flat=True))
        return {"labels": values, "is_admin": obj.is_admin, "is_steward": obj.is_steward}

    def clearances(self, role: Role) -> str:
        grants = role.classification_grants.select_related("classification").order_by("classification__value")
        return ", ".join(translate_level(grant.classification.label) for grant in grants)


class ClearanceField(forms.ModelMultipleChoiceField):
    """Of `LabelGrant` rows, by what they clear somebody for and until when."""

    def label_from_instance(self, obj: Any) -> str:
        until = f"until {date_format(timezone.localtime(obj.expires_at), 'j F Y, H:i')}" if obj.expires_at else "no end"
        return f"{obj.classification.label} ({until})"


class MembershipForm(forms.ModelForm):
    """A new person's account is made here under the workspace's own names; who has an account shows a code for it.

    So nothing that is typed here tells whether an account exists elsewhere in the installation (docs/access.md).
    """

    slug: str = ""
    """Of the open workspace; the admin sets it on the form of each request."""

    username = forms.CharField(required=False, label="New person's name", widget=UnfoldAdminTextInputWidget)
    password = forms.CharField(
        required=False, widget=UnfoldAdminPasswordWidget, help_text="For the first time: they choose their own then."
    )
    code = forms.CharField(
        required=False,
        label="Or a code for joining",
        widget=UnfoldAdminTextInputWidget,
        help_text="Of somebody who has an account already: they ask for it at /join/ and give it to you.",
    )
    roles = forms.ModelMultipleChoiceField(Role.objects.none(), required=False, widget=forms.CheckboxSelectMultiple)
    ended = ClearanceField(
        LabelGrant.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Take back clearances of their own",
        help_text="Stewards granted these to this person alone, whatever roles they have.",
    )

    class Meta:
        model = Membership
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["roles"].queryset = Role.objects.all()  # type: ignore[attr-defined]
        # On this form's own field: those of the class are the same for all workspaces.
        self.fields["username"].help_text = (
            "" if self.instance.pk else gettext("They sign in as name@%(slug)s.") % {"slug": self.slug}
        )
        if self.instance.pk:
            self.fields["username"].disabled = True
            self.fields["username"].label = gettext("Name")
            self.fields.pop("password")
            self.fields.pop("code")
            self.fields["username"].initial = self.instance.user.username
            self.fields["roles"].initial = Role.objects.filter(group__user=self.instance.user)
        own = LabelGrant.objects.filter(membership=self.instance.pk).select_related("classification")
        self.fields["ended"].queryset = own.order_by("classification__value", "created_at")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.instance.pk or self.errors:
            return data
        if bool(data["username"]) == bool(data["code"]):
            raise ValidationError(gettext("Give either a new person's name and password, or a code for joining."))
        if data["code"]:
            data["user"] = find_user_by_code(data["code"], self.slug)
            if data["user"] is None:
                self.add_error("code", NO_CODE)
            elif Membership.objects.filter(user=data["user"]).exists():
                self.add_error("code", gettext("This person is a member already."))
        else:
            self.clean_account(data)
        return data

    def clean_account(self, data: dict[str, Any]) -> None:
        data["account"] = build_account_name(data["username"], self.slug)
        try:
            User._meta.get_field("username").clean(data["account"], None)
        except ValidationError as problem:
            self.add_error("username", problem)
        if User.objects.filter(username=data["account"]).exists():
            self.add_error("username", "This workspace has or had a member of this name: ask them for a code.")
        try:
            validate_password(data["password"] or "", User(username=data["account"]))
        except ValidationError as problem:
            self.add_error("password", problem)


def hash_password_first(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponseBase]:
    """The view in the caller's scope, with `request.password_hash` of the form's password, or an empty one.

    Computed before the scope's transaction begins, which would hold a connection meanwhile (entities/passwords.py).
    """

    @opens_own_scope
    @wraps(view)
    def hashing(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            password = MembershipForm.base_fields["password"].clean(request.POST.get("password", ""))
        except ValidationError:
            password = ""  # the form refuses it too
        request.password_hash = make_password(password) if password else ""  # type: ignore[attr-defined]
        return answer_in_scope(request, lambda request: view(request, *args, **kwargs))

    return hashing


class MembershipAdmin(WorkspaceAdmin):
    form = MembershipForm
    list_display = ["user", "roles", "created_at"]
    list_select_related = ["user"]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.slug = self.scope(request).slug
        return form

    def get_urls(self) -> list[Any]:
        urls: list[Any] = super().get_urls()
        for pattern in urls:
            if pattern.name == "entities_membership_add":
                pattern.callback = hash_password_first(pattern.callback)
        return urls

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        own = ["ended"] if obj and LabelGrant.objects.filter(membership=obj.pk).exists() else []
        return ["username", "roles", *own] if obj else ["username", "password", "code", "roles"]

    def roles(self, membership: Membership) -> str:
        return ", ".join(Role.objects.filter(group__user=membership.user_id).values_list("name", flat=True)) or "—"

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        if not change:
            data = form.cleaned_data
            obj.user = data.get("user") or User.objects.create(
                username=User.normalize_username(data["account"]),
                password=request.password_hash,  # type: ignore[attr-defined]
                password_by_other=True,
            )
            if data.get("user") and not end_codes(obj.user):
                raise PermissionDenied(NO_CODE)  # another request used it meanwhile
            messages.info(request, f"They sign in as {obj.user.username}.")
        super().save_model(request, obj, form, change)
        held = set(Role.objects.filter(group__user=obj.user_id))
        wanted = set(form.cleaned_data["roles"])
        obj.user.groups.remove(*[role.group_id for role in held - wanted])
        obj.user.groups.add(*[role.group_id for role in wanted - held])
        self.take_back(request, obj, list(form.cleaned_data["ended"]))
        keep_an_administrator()
        announce_access_change(self.scope(request))

    def take_back(self, request: HttpRequest, obj: Membership, ended: list[LabelGrant]) -> None:
        if ended:
            labels = sorted(grant.classification.value for grant in ended)
            LabelGrant.objects.filter(pk__in=[grant.pk for grant in ended]).delete()
            record_action(
                self.scope(request), "access.taken_back", "membership", obj.pk, user=obj.user_id, labels=labels
            )

    def describe_for_audit(self, obj: Membership) -> dict[str, Any]:
        held = Role.objects.filter(group__user=obj.user_id).order_by("pk")
        return {"user": obj.user_id, "roles": list(held.values_list("pk", flat=True))}

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        obj.user.groups.remove(*Role.objects.filter(group__user=obj.user_id).values_list("group_id", flat=True))
        super().delete_model(request, obj)
        end_codes(obj.user)
        keep_an_administrator()
        announce_access_change(self.scope(request))
        messages.info(request, "The membership ended; the person's account stays for other workspaces.")
