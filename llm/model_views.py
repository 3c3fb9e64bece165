"""The page on which a workspace is connected to a model: a key or a server of its own, tested before it is saved."""

from collections.abc import Sequence

import httpx2
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import MaxLengthValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from entities.access import ADMIN, Scope, opens_own_scope, requires
from entities.access.routes import open_scope_satisfies
from entities.models import User
from llm.endpoint_check import CheckResult, check_endpoint
from llm.endpoints import (
    Endpoint,
    describe_endpoint,
    get_current_endpoint,
    get_installation_endpoint,
    remove_endpoint,
    save_endpoint,
)
from llm.models import WorkspaceEndpoint
from llm.models_catalogue import TIERS, CatalogueError

MAX_PORT = 65_535
LONGEST_ADDRESS = 300


class KeyForm(forms.Form):
    """A key of Anthropic's API."""

    prefix = "anthropic"
    key = forms.CharField(
        label=gettext_lazy("API key"),
        max_length=400,
        help_text=gettext_lazy("It is saved encrypted, and never shown again."),
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    model = forms.CharField(
        label=gettext_lazy("Name of the model"),
        required=False,
        max_length=80,
        help_text=gettext_lazy("Leave it empty for the recommended ones."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_model(self) -> str:
        name: str = self.cleaned_data["model"]
        try:
            Endpoint("key", "", name).list_models()
        except CatalogueError:
            raise ValidationError(gettext("The price of this model is not known here. Leave it empty.")) from None
        return name

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.cleaned_data["key"], "", self.cleaned_data["model"], own=True)


class ServerForm(forms.Form):
    """A server that speaks Anthropic's API or OpenAI's."""

    prefix = "server"
    api = forms.ChoiceField(
        label=gettext_lazy("API"),
        choices=WorkspaceEndpoint.Api,
        help_text=gettext_lazy(
            "What the server speaks. OpenAI, Azure OpenAI, OpenRouter and most gateways speak OpenAI’s; "
            "Ollama, LM Studio, vLLM and llama.cpp speak both."
        ),
    )
    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST_ADDRESS,
        help_text=gettext_lazy(
            "For example http://127.0.0.1:11434, https://api.openai.com/v1 or "
            "https://your-resource.openai.azure.com/openai/v1"
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url", "spellcheck": "false"}),
    )
    model = forms.CharField(
        label=gettext_lazy("Name of the model"),
        max_length=80,
        help_text=gettext_lazy("As the server knows it. Where its price is not known here, it counts as free."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=400,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_base_url(self) -> str:
        """As `Endpoint` has it. The Chat Completions API is at /v1 wherever nothing else is given."""
        written: str = self.cleaned_data["base_url"].rstrip("/")
        address = written.removesuffix("/chat/completions")
        is_openai = self.cleaned_data.get("api") == WorkspaceEndpoint.Api.OPENAI
        address = address if is_openai else address.removesuffix("/v1")
        try:
            parts = httpx2.URL(address)
            valid = parts.scheme in ("http", "https") and bool(parts.host) and (parts.port or 1) <= MAX_PORT
        except httpx2.InvalidURL:
            valid = False
        if not valid or parts.userinfo or parts.query or parts.fragment:
            raise ValidationError(gettext("Write an address like http://127.0.0.1:11434, and nothing after it."))
        if is_openai and parts.path == "/" and address == written:
            address += "/v1"
        MaxLengthValidator(LONGEST_ADDRESS)(address)  # what is saved may be longer than what was written
        return address

    @property
    def endpoint(self) -> Endpoint:
        data = self.cleaned_data
        return Endpoint(data["key"], data["base_url"], data["model"], own=True, api=data["api"])


@opens_own_scope
@requires(ADMIN)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def model(request: HttpRequest) -> HttpResponse:
    """What answers now, and a form to connect a model. What does not work is not saved."""
    scope = get_scope(request)
    if request.method == "GET":
        return _render_page(request)
    if not settings.WORKSPACE_MODELS:
        raise Http404("Not found.")
    form = ServerForm(request.POST) if request.POST.get("kind") == "server" else KeyForm(request.POST)
    if not form.is_valid():
        return _render_page(request, form, status=422)
    results = check_endpoint(scope.workspace, scope.principal, form.endpoint)
    if any(result.problem for result in results):
        return _render_page(request, form, results, status=422)
    with scope.open():
        if not open_scope_satisfies(scope, ADMIN):  # the test took its time
            raise PermissionDenied
        save_endpoint(scope, form.endpoint)
    return _render_page(request, None, results)


@opens_own_scope
@requires(ADMIN)
@never_cache
@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Test the model that is connected."""
    scope = get_scope(request)
    with scope.open():
        endpoint = get_current_endpoint()
    if endpoint.is_offline:
        return redirect("llm:model")
    return _render_page(request, None, check_endpoint(scope.workspace, scope.principal, endpoint))


@requires(ADMIN)
@require_POST
def disconnect(request: HttpRequest) -> HttpResponse:
    """Forget the workspace's own key or server."""
    if remove_endpoint(get_scope(request)):
        messages.success(request, gettext("The model is disconnected, and its key is deleted."))
    return redirect("llm:model")


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


def _render_page(
    request: HttpRequest,
    form: KeyForm | ServerForm | None = None,
    results: Sequence[CheckResult] = (),
    status: int = 200,
) -> HttpResponse:
    with get_scope(request).open():
        saved = describe_endpoint()
        context = {
            "form": form,
            "key_form": form if isinstance(form, KeyForm) else KeyForm(),
            "server_form": form if isinstance(form, ServerForm) else ServerForm(initial=vars(saved) if saved else None),
            "results": results,
            "failed": any(result.problem for result in results),
            "endpoint": get_current_endpoint(),
            "saved": saved,
            "saved_by": User.objects.filter(pk=saved.saved_by).first() if saved else None,
            "models": _list_model_names(get_current_endpoint()),
            "installation": not get_installation_endpoint().is_offline,
            "may_connect": settings.WORKSPACE_MODELS,
            "is_forced_offline": settings.MODEL_TRANSPORT == "offline",
            "first": "first" in request.GET,
        }
        return render(request, "llm/model.html", context, status=status)


def _list_model_names(endpoint: Endpoint) -> list[str]:
    if endpoint.is_offline:
        return []
    try:
        return list(dict.fromkeys(endpoint.find_model(tier).name for tier in TIERS))
    except CatalogueError:
        return []
