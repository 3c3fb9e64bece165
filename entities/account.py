"""One's own account: a new password, and the code by which one joins another workspace (docs/access.md)."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from entities.access import OWN_ACCOUNT, SIGNED_IN, Scope, list_workspaces, requires
from entities.actions import record_action
from entities.attempts import begin_attempt, get_wait
from entities.devices import remember_device
from entities.join_codes import build_code
from entities.models import Token, User
from entities.passwords import TooManyHashes


class PasswordForm(PasswordChangeForm):
    """Django's form, which refuses the old password as the new one and looks at none while one has to wait."""

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(request.user, data)  # type: ignore[arg-type]
        self.request = request
        self.fields["new_password1"].help_text = gettext("At least eight characters, and not a common password.")
        self.fields["new_password2"].label = gettext("New password again")
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        attempt = begin_attempt(self.request, self.user.get_username())
        try:
            old = super().clean_old_password()
        except TooManyHashes:
            attempt.withdraw()
            raise
        attempt.forgive()
        return old

    def clean_new_password1(self) -> str:
        new: str = self.cleaned_data["new_password1"]
        if self.user.check_password(new):
            raise ValidationError(gettext("This is your current password. Choose another one."))
        return new


class JoinForm(forms.Form):
    """Which workspace a code is for. Whether there is such a workspace is not told."""

    workspace = forms.SlugField(
        max_length=50,
        help_text=gettext_lazy("The part of its address after /w/. Its administrator can tell you."),
        error_messages={
            "invalid": gettext_lazy(
                "An address has letters, digits, hyphens and underscores only: legal, not /w/legal/."
            )
        },
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )


@requires(OWN_ACCOUNT)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """A new password; the only page for who still has one that somebody else chose."""
    form = PasswordForm(request, request.POST if request.method == "POST" else None)
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    if form.is_valid():
        change_password(user=form.user, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(request, form.user)
        messages.success(
            request, gettext("Your password is changed, and every other session and API token of yours has ended.")
        )
        local = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
        response = redirect(wanted if local else "/")
        remember_device(request, response, form.user)
        return response
    context = {"form": form, "next": wanted, "chosen_by_other": form.user.password_by_other}
    refused = render(request, "registration/password.html", context, status=422 if form.is_bound else 200)
    if form.is_bound and (seconds := get_wait(form)):
        refused.status_code = 429
        refused["Retry-After"] = str(seconds)
    return refused


@requires(SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """The caller's code for the workspace that they name, which its administrator enters to make them a member."""
    form = JoinForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        slug = form.cleaned_data["workspace"]
        context |= {"slug": slug, "code": build_code(request.user, slug)}  # type: ignore[arg-type]
    return render(request, "entities/join.html", context, status=422 if form.errors else 200)


def change_password(*, user: User, password: str) -> None:
    """Set a password that its owner chose. Needs no scope open.

    What the old one gave ends: sessions by their hash, API tokens and codes for joining here.
    """
    user.set_password(password)
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(
            password=user.password, password_by_other=False, join_epoch=F("join_epoch") + 1
        )
        user.refresh_from_db()
        for slug, _ in list_workspaces(user):
            scope = Scope.for_user(user, slug)
            with scope.open():
                Token.objects.filter(membership__user=user.pk).delete()
                record_action(scope, "password.changed", "user", user.pk)
