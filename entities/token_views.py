"""The page of one's own API tokens."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from entities.access import MEMBER, requires
from entities.models.people import KEY_LENGTH
from entities.tokens import LIFETIMES_IN_DAYS, MAX_TOKENS, list_tokens, make_token, revoke_token
from entities.views import get_scope

KEY = re.compile(rf"[0-9a-f]{{{KEY_LENGTH}}}")


class TokenForm(forms.Form):
    """What a token is for, and how long it works."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What will use it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Works for"), choices=LIFETIMES_IN_DAYS.items(), coerce=int, initial=90
    )


@requires(MEMBER)
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The caller's tokens, and a new one. Its secret is on the page that answers, this once."""
    scope = get_scope(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret = ""
    if form.is_valid():
        if list_tokens(scope).count() >= MAX_TOKENS:
            refusal = gettext("You have %(count)s tokens. Revoke one that nothing uses any more.")
            form.add_error(None, refusal % {"count": MAX_TOKENS})
        else:
            secret = make_token(scope, **form.cleaned_data)
            form = TokenForm()
    context: dict[str, Any] = {"tokens": list_tokens(scope), "form": form, "secret": secret}
    return render(request, "entities/tokens.html", context, status=422 if form.errors else 200)


@requires(MEMBER)
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """Raises: Http404 where it is not the caller's."""
    wanted = request.POST.get("token", "")
    if not KEY.fullmatch(wanted) or not revoke_token(get_scope(request), wanted):
        raise Http404("Not found.")
    messages.success(request, gettext("The token is revoked: it no longer works."))
    return redirect("entities:tokens")
