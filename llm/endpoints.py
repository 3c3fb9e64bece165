"""Where a workspace's models are: its own key or server, else the installation's settings (docs/models.md).

The key is saved encrypted with the installation's secret key. No page, log or audit entry holds it.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.crypto import salted_hmac

from entities.access import Scope, has_open_scope
from entities.access.scope import load_once
from entities.actions import record_action
from llm import models_catalogue
from llm.abilities import Abilities, Labels, choose_labels
from llm.models import EndpointTest, WorkspaceEndpoint
from llm.models_catalogue import TIERS, Model

ANTHROPIC_URL = "https://api.anthropic.com"
Api = Literal["anthropic", "openai"]


@dataclass(frozen=True)
class Endpoint:
    """key, base_url: as the SDK takes them; with neither, the offline engine answers. model: of all tiers, or of "fast"
    alone where there is a deep_model for the others; "": those of the settings. own: saved by the workspace's
    administrators. unreadable: its key was saved under another secret key of the installation. api: what it speaks:
    Anthropic's Messages API, or OpenAI's Chat Completions API, for which `base_url` is what `/chat/completions`
    follows. labels: how the classifying call asks it, or "rules" where it cannot be asked for labels.
    """

    key: str = field(default="", repr=False)
    base_url: str = ""
    model: str = ""
    own: bool = False
    unreadable: bool = False
    api: Api = "anthropic"
    deep_model: str = ""
    labels: Labels = "tool"

    @property
    def server(self) -> "Endpoint":
        """Where it is and with what key, whichever model is asked there."""
        return replace(self, model="", deep_model="", labels="tool")

    @property
    def is_offline(self) -> bool:
        return not (self.key or self.base_url)

    @property
    def is_anthropic(self) -> bool:
        """Whether it is Anthropic's own, and no server that speaks its API."""
        is_there = urlsplit(self.base_url or ANTHROPIC_URL).hostname == "api.anthropic.com"
        return is_there and self.api == "anthropic" and not self.is_offline

    def find_model(self, tier: str) -> Model:
        """Raises: CatalogueError."""
        if not self.model:
            return models_catalogue.get_tier_model(tier)
        name = self.model if tier == "fast" else self.deep_model or self.model
        return models_catalogue.find_model(name, free=bool(self.base_url))

    def list_models(self) -> list[tuple[str, str]]:
        """(tier, name of its model), each model once."""
        found: dict[str, str] = {}
        for tier in TIERS:
            found.setdefault(self.find_model(tier).name, tier)
        return [(tier, name) for name, tier in found.items()]


def get_installation_endpoint() -> Endpoint:
    """Anthropic's settings come first. OpenAI's are empty unless the operator has chosen that API (config/settings.py);
    its key is sent nowhere without an address.
    """
    if settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL:
        return Endpoint(settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL)
    if settings.OPENAI_BASE_URL:
        return Endpoint(settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL, api="openai")
    return Endpoint()


def get_endpoint(workspace: int) -> Endpoint:
    """Opens a service scope where none is open."""
    if has_open_scope():
        return get_current_endpoint()
    if not settings.WORKSPACE_MODELS or not workspace:
        return get_installation_endpoint()
    with Scope.for_service(workspace).open():
        return get_current_endpoint()


def get_current_endpoint() -> Endpoint:
    """Of the workspace whose scope is open; of the installation where none is."""
    if not settings.WORKSPACE_MODELS or not has_open_scope():
        return get_installation_endpoint()
    found: Endpoint = load_once("model endpoint", _load_endpoint)
    return found


def save_endpoint(scope: Scope, endpoint: Endpoint, findings: Sequence[Abilities] = ()) -> None:
    """In the open scope of an administrator. findings: of its test."""
    labels = choose_labels(findings)
    WorkspaceEndpoint.objects.update_or_create(
        workspace_id=scope.workspace,
        defaults={
            "api": endpoint.api,
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "deep_model": endpoint.deep_model,
            "sealed_key": encode_key(endpoint.key),
            "labels": labels,
            "findings": [one.to_json() for one in findings],
            "saved_by": scope.principal,
        },
    )
    saved = {"api": endpoint.api, "address": endpoint.base_url, "model": endpoint.model, "labels": labels}
    saved |= {"deep_model": endpoint.deep_model} if endpoint.deep_model else {}
    record_action(scope, "model.connected", "workspace", scope.workspace, **saved)


def remove_endpoint(scope: Scope) -> bool:
    """Whether there was one. In the open scope of an administrator."""
    removed, _ = WorkspaceEndpoint.objects.filter(workspace_id=scope.workspace).delete()
    if removed:
        record_action(scope, "model.disconnected", "workspace", scope.workspace)
    return bool(removed)


def encode_key(key: str) -> str:
    """As the database has it; "" for none."""
    return _build_cipher().encrypt(key.encode()).decode() if key else ""


def decode_key(sealed: str) -> str:
    """Raises: InvalidToken where it was sealed under another secret key of the installation."""
    return _build_cipher().decrypt(sealed.encode()).decode() if sealed else ""


def _load_endpoint() -> Endpoint:
    row = WorkspaceEndpoint.objects.first()
    if row is None:
        return get_installation_endpoint()
    try:
        key = decode_key(row.sealed_key)
    except InvalidToken:
        # Text goes nowhere rather than to a server that was not meant for it.
        return Endpoint(own=True, unreadable=True)
    return build_endpoint(row, key)


def build_endpoint(row: WorkspaceEndpoint | EndpointTest, key: str) -> Endpoint:
    """Of a workspace's own. What is not known to be obeyed is left to the rules."""
    api: Api = "openai" if row.api == "openai" else "anthropic"
    labels: Labels = "tool"
    if isinstance(row, WorkspaceEndpoint) and row.labels != "tool":
        labels = "json" if row.labels == "json" else "rules"
    return Endpoint(key, row.base_url, row.model, own=True, api=api, deep_model=row.deep_model, labels=labels)


def _build_cipher() -> Fernet:
    secret = salted_hmac("clearance.model_endpoint", "key", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(secret))
