"""Pages of people: members and invitations, roles and what they clear for, and the page behind an invitation's link."""

import logging
import re
from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from entities.access import ADMIN, PUBLIC_ROUTE, requires
from entities.access.routes import password_first
from entities.actions import PULSE_ROLE
from entities.devices import remember_device
from entities.invitations import (
    VALID_DAYS,
    InvitationEnded,
    accept_invitation,
    find_invitation,
    list_invitations,
    make_invitation,
    withdraw_invitation,
)
from entities.join_codes import build_account_name
from entities.models import Invitation, Role, User, Workspace
from entities.password_form import NewPasswordForm
from entities.people import change_levels, list_levels, list_people, list_roles
from entities.views import get_scope

logger = logging.getLogger(__name__)
CELL = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")


class InvitationForm(forms.Form):
    """Whom to invite, and with which roles."""

    note = forms.CharField(
        label=gettext_lazy("For whom"),
        max_length=150,
        help_text=gettext_lazy("Only administrators see this."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    roles = forms.ModelMultipleChoiceField(
        Role.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input m-0"}),
        help_text=gettext_lazy("Without a role they only read Public text."),
    )

    email = forms.EmailField(
        label=gettext_lazy("Send the link to"),
        required=False,
        help_text=gettext_lazy("Leave empty to pass the link on yourself."),
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        if not settings.EMAIL_HOST:
            del self.fields["email"]
        people = Role.objects.exclude(name=PULSE_ROLE).order_by("name")
        self.fields["roles"].queryset = people  # type: ignore[attr-defined]


class AccountForm(NewPasswordForm):
    """The account of somebody who was invited. slug: of the workspace."""

    field_order = ["username", "password"]

    username = forms.CharField(
        label=gettext_lazy("Your name"), max_length=100, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )

    def __init__(self, slug: str, data: Any = None) -> None:
        super().__init__(data)
        self.slug = slug
        self.fields["username"].help_text = gettext("You sign in as name@%(slug)s.") % {"slug": slug}

    def clean_username(self) -> str:
        username: str = User.normalize_username(build_account_name(self.cleaned_data["username"], self.slug))
        User._meta.get_field("username").clean(username, None)
        if User.objects.filter(username__iexact=username).exists():
            raise ValidationError(gettext("This workspace has or had a member of this name. Choose another one."))
        return username


@requires(ADMIN)
@never_cache
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest) -> HttpResponse:
    """Members with what they may read; invitations, and a new one. Its link is on the page that answers, this once."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    link = ""
    if form.is_valid():
        path = make_invitation(get_scope(request), note=form.cleaned_data["note"], roles=form.cleaned_data["roles"])
        link = f"{request.scheme}://{request.get_host()}{path}"
        if email := form.cleaned_data.get("email"):
            name = Workspace.objects.values_list("name", flat=True).get(pk=get_scope(request).workspace)
            transaction.on_commit(partial(mail_invitation, str(request.user), name, email, link))
        form = InvitationForm()
    context = {
        "people": list_people(),
        "invitations": list_invitations(),
        "form": form,
        "link": link,
        "valid_days": VALID_DAYS,
    }
    return render(request, "entities/people.html", context, status=422 if form.errors else 200)


def mail_invitation(inviter: str, workspace: str, email: str, link: str) -> None:
    """After the commit. Where the mail server does not take it, the link on the page still works."""
    greeting = gettext("%(inviter)s invites you to %(workspace)s.") % {"inviter": inviter, "workspace": workspace}
    validity = gettext("The link works for one person and expires in %(days)s days.") % {"days": VALID_DAYS}
    text = f"{greeting}\n\n{link}\n\n{validity}"
    try:
        send_mail(gettext("You are invited"), text, None, [email])
    except OSError:
        logger.exception("an invitation was not sent: the mail server did not take it")


@requires(ADMIN)
@require_POST
def withdraw(request: HttpRequest) -> HttpResponse:
    """An invitation's link no longer works. Raises: Http404."""
    try:
        wanted = UUID(request.POST.get("invitation", ""))
    except ValueError:
        raise Http404("Not found.") from None
    if withdraw_invitation(get_scope(request), get_object_or_404(Invitation, pk=wanted)):
        messages.success(request, gettext("The invitation is withdrawn: its link no longer works."))
    else:
        messages.error(request, gettext("The invitation has just been used."))
    return redirect("entities:people")


@requires(ADMIN)
@require_http_methods(["GET", "POST"])
def roles(request: HttpRequest) -> HttpResponse:
    """All roles beside all levels, with a tick where a role clears for a level."""
    if request.method == "POST":
        were, ticked = (read_cells(request.POST.getlist(name)) for name in ("was", "cell"))
        roles = {*were, *ticked}
        changed = change_levels(get_scope(request), {role: ticked.get(role, set()) for role in roles}, were)
        messages.success(
            request,
            ngettext("%(count)s role changed.", "%(count)s roles changed.", changed) % {"count": changed}
            if changed
            else gettext("No change."),
        )
        return redirect("entities:roles")
    return render(request, "entities/roles.html", {"roles": list_roles(), "levels": list_levels()})


def read_cells(values: Sequence[str]) -> dict[int, set[int]]:
    """Key of a role -> levels, of cells as the page writes them: "12:5"."""
    found: dict[int, set[int]] = {}
    for value in values:
        if match := CELL.fullmatch(value):
            found.setdefault(int(match[1]), set()).add(int(match[2]))
    return found


@requires(PUBLIC_ROUTE)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def invited(request: HttpRequest, slug: str, secret: str) -> HttpResponseBase:
    """Join the workspace of an invitation, with a new account or the one that is signed in."""
    try:
        workspace, _, with_roles = find_invitation(slug, secret)
        context: dict[str, Any] = {"workspace": workspace, "roles": with_roles}
        if request.user.is_authenticated:
            if request.user.password_by_other:
                return password_first(request)
            if request.method == "GET":
                return render(request, "registration/invited.html", context)
            accept_invitation(workspace, secret, request.user)
            return redirect(f"/w/{workspace.slug}/")
        form = AccountForm(slug, request.POST if request.method == "POST" else None)
        if form.is_valid():
            username = form.cleaned_data["username"]
            user = User(username=username, first_name=username.rpartition("@")[0])  # others see the name alone
            user.set_password(form.cleaned_data["password"])  # takes a moment, which no transaction should wait for
            accept_invitation(workspace, secret, user)
            login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            response = redirect(f"/w/{workspace.slug}/")
            remember_device(request, response, user)
            return response
    except InvitationEnded:
        raise Http404(gettext("This invitation was used, withdrawn, or is too old. Ask for a new one.")) from None
    context["form"] = form
    return render(request, "registration/invited.html", context, status=422 if form.is_bound else 200)
