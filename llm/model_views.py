"""The page on which a workspace is connected to a model: a key or a server of its own, tested before it is saved."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from entities.access import ADMIN, Scope, opens_own_scope, requires
from entities.models import User
from llm.endpoint_check import Finding, check_endpoint
from llm.endpoints import (
    Endpoint,
    current_endpoint,
    describe_endpoint,
    installation_endpoint,
    remove_endpoint,
    save_endpoint,
)
from llm.models_catalogue import TIERS, CatalogueError

KEY, SERVER = "key", "server"


class EndpointForm(forms.Form):
    """A key of Anthropic's API, or a server that speaks the same language."""

    kind = forms.ChoiceField(
        label="Where is the model?",
        choices=[(KEY, "At Anthropic, with an API key"), (SERVER, "On a server of our own")],
        initial=KEY,
        widget=forms.RadioSelect(attrs={"class": "form-check-input m-0"}),
    )
    key = forms.CharField(
        label="API key",
        required=False,
        max_length=400,
        help_text="It is saved encrypted and never shown again. A server of your own may need none.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    base_url = forms.CharField(
        label="Address of the server",
        required=False,
        max_length=300,
        help_text="It has to speak Anthropic's Messages API, as Ollama, LM Studio, vLLM and llama.cpp do. "
        "For example http://127.0.0.1:11434",
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url", "spellcheck": "false"}),
    )
    model = forms.CharField(
        label="Name of the model",
        required=False,
        max_length=80,
        help_text="A server of your own needs one. With a key, leave it empty for the recommended models.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_base_url(self) -> str:
        address: str = self.cleaned_data["base_url"].rstrip("/").removesuffix("/v1")
        if not address:
            return ""
        try:
            parts = urlsplit(address)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            valid = False
        if not valid or parts.username or parts.query or parts.fragment:
            raise ValidationError("Write an address like http://127.0.0.1:11434, and nothing after it.")
        return address

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("kind") == KEY and not cleaned.get("key"):
            self.add_error("key", "Paste the key.")
        if cleaned.get("kind") == SERVER:
            if not cleaned.get("base_url") and "base_url" not in self.errors:
                self.add_error("base_url", "Write the address of the server.")
            if not cleaned.get("model"):
                self.add_error("model", "Write the name of the model, as the server knows it.")
        elif not self.errors and cleaned.get("model"):
            try:
                self.endpoint.list_models()
            except CatalogueError:
                self.add_error("model", "The price of this model is not known here. Leave it empty.")
        return cleaned

    @property
    def endpoint(self) -> Endpoint:
        """What a valid form asks for."""
        own_server = self.cleaned_data["kind"] == SERVER
        return Endpoint(
            self.cleaned_data["key"],
            self.cleaned_data["base_url"] if own_server else "",
            self.cleaned_data["model"],
            own=True,
        )


@opens_own_scope
@requires(ADMIN)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def model(request: HttpRequest) -> HttpResponse:
    """What answers now, and a form to connect a model. What does not work is not saved."""
    scope = scope_of(request)
    if request.method == "GET":
        return _render(request, EndpointForm())
    if not settings.WORKSPACE_MODELS:
        raise Http404("Not found.")
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    findings = check_endpoint(scope.workspace, scope.principal, form.endpoint)
    if any(finding.problem for finding in findings):
        return _render(request, form, findings, status=422)
    with scope.open():
        save_endpoint(scope, form.endpoint)
    return _render(request, EndpointForm(), findings)


@opens_own_scope
@requires(ADMIN)
@never_cache
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Test the model that is connected."""
    scope = scope_of(request)
    with scope.open():
        endpoint = current_endpoint()
    if endpoint.is_offline:
        return redirect("llm:model")
    return _render(request, EndpointForm(), check_endpoint(scope.workspace, scope.principal, endpoint))


@requires(ADMIN)
@require_POST
def disconnect(request: HttpRequest) -> HttpResponse:
    """Forget the workspace's own key or server."""
    if remove_endpoint(scope_of(request)):
        messages.success(request, "The model is disconnected, and its key is deleted.")
    return redirect("llm:model")


def scope_of(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


def _render(
    request: HttpRequest, form: EndpointForm, findings: Sequence[Finding] = (), status: int = 200
) -> HttpResponse:
    with scope_of(request).open():
        saved = describe_endpoint()
        context = {
            "form": form,
            "findings": findings,
            "failed": any(finding.problem for finding in findings),
            "endpoint": current_endpoint(),
            "saved": saved,
            "saved_by": User.objects.filter(pk=saved.saved_by).first() if saved else None,
            "models": _name_models(current_endpoint()),
            "installation": not installation_endpoint().is_offline,
            "may_connect": settings.WORKSPACE_MODELS,
            "is_forced_offline": settings.MODEL_TRANSPORT == "offline",
            "first": "first" in request.GET,
        }
        return render(request, "llm/model.html", context, status=status)


def _name_models(endpoint: Endpoint) -> list[str]:
    if endpoint.is_offline:
        return []
    try:
        return list(dict.fromkeys(endpoint.model_for(tier).name for tier in TIERS))
    except CatalogueError:
        return []
