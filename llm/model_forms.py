"""Forms that connect a workspace to a model: a key, or a server of its own."""

import httpx2
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext, gettext_lazy

from llm.endpoints import Endpoint
from llm.models import WorkspaceEndpoint
from llm.models_catalogue import CatalogueError

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
    deep_model = forms.CharField(
        label=gettext_lazy("Name of a larger model for answers"),
        required=False,
        max_length=80,
        help_text=gettext_lazy(
            "It answers in conversations and writes the Pulses; the other one labels and summarises. Leave it empty to "
            "have one model for everything."
        ),
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
        deep = "" if data["deep_model"] == data["model"] else data["deep_model"]
        return Endpoint(data["key"], data["base_url"], data["model"], own=True, api=data["api"], deep_model=deep)
