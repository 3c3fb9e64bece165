"""Who has a role, and new groups: roles that clear for no level, to share records with (docs/adr/0054)."""

from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from entities.access import ADMIN, Scope, list_declared_rules, requires
from entities.actions import create_role
from entities.admin.people import keep_an_administrator
from entities.models import Role, Workspace
from entities.people import change_members, list_members
from entities.text import validate_one_line


class GroupForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name of the group"), max_length=100, validators=[validate_one_line])

    def clean_name(self) -> str:
        """Types match roles by name: members of a group of such a name could do more than was shared with it."""
        name = str(self.cleaned_data["name"])
        if name in {role for rules in list_declared_rules() for rule in rules for role in rule.roles}:
            raise forms.ValidationError(
                gettext("A rule for records names such a role, so its members could do more. Choose another name.")
            )
        return name


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def new_group(request: HttpRequest) -> HttpResponse:
    """A role that clears for nothing and decides nothing; then on to its members."""
    form = GroupForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        workspace = Workspace.objects.get(pk=get_scope(request).workspace)
        try:
            with transaction.atomic():
                role = create_role(workspace, form.cleaned_data["name"], ())
            return redirect(build_address(role))
        except IntegrityError:
            form.add_error("name", gettext("There is already a role or group with this name."))
    return render(request, "entities/group_new.html", {"form": form}, status=422 if form.errors else 200)


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def role_members(request: HttpRequest) -> HttpResponse:
    """`role` in the address. Raises: Http404; PermissionDenied where nobody would administer the workspace any more."""
    role = get_object_or_404(Role.objects.select_related("group"), pk__in=read_keys([request.GET.get("role", "")]))
    if request.method == "POST":
        ticked, were = (read_keys(request.POST.getlist(name)) for name in ("member", "was"))
        count = change_members(get_scope(request), role, ticked, were)
        keep_an_administrator()
        words = ngettext("%(count)s member changed.", "%(count)s members changed.", count) % {"count": count}
        messages.success(request, words if count else gettext("No change."))
        return redirect(build_address(role))
    return render(request, "entities/role_members.html", {"role": role, "members": list_members(role)})


def build_address(role: Role) -> str:
    return f"{reverse('entities:role_members')}?role={role.pk}"


def read_keys(values: list[str]) -> set[int]:
    return {int(value) for value in values if value.isascii() and value.isdigit() and len(value) < 12}
