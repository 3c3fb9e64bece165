"""Which models servers on this computer have, and which of them are proposed. Everything here is another program's
answer: it is limited in size and time, and what is no name of a model is left out.
"""

import json
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

HOST = "127.0.0.1"
TIMEOUT = httpx2.Timeout(connect=2.0, read=5.0, write=2.0, pool=5.0)
SECONDS = 6.0
"""Of one look at one address. A computer that runs a model on its CPU is busy."""
MOST_BYTES = 1_000_000
MOST_MODELS = 100
LONGEST_NAME = 80
MOST_TOKENS = 100_000_000
NAME = re.compile(r"[\w.:/@+() -]{1,80}", re.ASCII)
SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,2})x)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z0-9])", re.I)
NO_CHAT = re.compile(
    r"embed|(?<![a-z])(?:bge|e5|gte|minilm|rerank\w*|whisper|tts|clip|stable-diffusion|flux|guard\w*)(?![a-z])", re.I
)
CONTEXTS = ("max_model_len", "context_length", "context_window", "loaded_context_length", "n_ctx")
"""Names under which servers say how many tokens they read at once. What a model was trained for is another number."""
SMALLEST_FAST = 3.0
"""Billions of parameters: smaller models seldom use tools."""


@dataclass(frozen=True)
class ListedModel:
    """size: billions of parameters, as its name says; 0.0 where it says nothing. chats: whether it answers, as models
    for vectors, speech or pictures do not. context: tokens that it reads, 0 where its server does not say.
    """

    name: str
    size: float = 0.0
    chats: bool = True
    context: int = 0


@dataclass(frozen=True)
class LocalServer:
    """url: with /v1."""

    port: int
    models: Sequence[ListedModel]

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"

    @property
    def fast(self) -> str:
        """The smallest that may do; "" where none answers."""
        return suggest_models(self.models)[0]

    @property
    def deep(self) -> str:
        """The largest; "" where it is the fast one."""
        fast, deep = suggest_models(self.models)
        return "" if deep == fast else deep


def find_local_servers(ports: Sequence[int]) -> list[LocalServer]:
    """Those that answer on these ports, in this order."""
    if not ports:
        return []
    with _build_client() as client, ThreadPoolExecutor(len(ports)) as pool:
        listed = pool.map(lambda port: read_models(load_json(client, f"http://{HOST}:{port}/v1/models")), ports)
        return [LocalServer(port, models) for port, models in zip(ports, listed, strict=True) if models]


def suggest_models(models: Sequence[ListedModel]) -> tuple[str, str]:
    """(fast, deep) by the sizes in the names; of models that name none, the first."""
    able = [one for one in models if one.chats]
    if not able:
        return "", ""
    sized = sorted((one for one in able if one.size), key=lambda one: one.size)
    if not sized:
        return able[0].name, able[0].name
    fast = next((one for one in sized if one.size >= SMALLEST_FAST), sized[-1])
    return fast.name, sized[-1].name


def find_context(url: str, model: str, key: str = "") -> int:
    """Tokens that the server at `url` (with /v1) reads at once with a model that it has loaded; 0 where it does not
    say. Ollama, LM Studio and llama.cpp say it at an address of their own, which gets no key.
    """
    headers = {"authorization": f"Bearer {key}"} if key else {}
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    with _build_client() as client:
        told = _read_context(load_json(client, f"{url}/models", headers), model)
        for path in ("/api/ps", "/api/v0/models"):
            told = told or _read_context(load_json(client, f"{root}{path}"), model)
        settings = None if told else load_json(client, f"{root}/props")
    return told or (_find_tokens(settings.get("default_generation_settings")) if isinstance(settings, dict) else 0)


def _build_client() -> httpx2.Client:
    """No proxy, and no redirects: nobody has named the host that they lead to."""
    return httpx2.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False)


def load_json(client: httpx2.Client, url: str, headers: dict[str, str] | None = None) -> Any:
    """What is at an address, or None: nothing there, a redirect, no JSON, too long or too slow."""
    until, body = time.monotonic() + SECONDS, b""
    asked = {"accept": "application/json", "accept-encoding": "identity"} | (headers or {})
    try:
        with client.stream("GET", url, headers=asked) as answer:
            if answer.status_code != 200:
                return None
            for piece in answer.iter_raw():
                body += piece
                if len(body) > MOST_BYTES or time.monotonic() > until:
                    return None
        return json.loads(body)
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError, RecursionError):
        return None


def read_models(listed: Any) -> list[ListedModel]:
    """Of the answer to `/v1/models`, each name once."""
    found: dict[str, ListedModel] = {}
    for entry in _list_entries(listed):
        name = entry.get("id")
        if isinstance(name, str) and NAME.fullmatch(name) and name == name.strip():
            chats = not NO_CHAT.search(name) and "embed" not in str(entry.get("type", ""))[:20]
            found.setdefault(name, ListedModel(name, read_size(name), chats, _find_tokens(entry)))
        if len(found) == MOST_MODELS:
            break
    return list(found.values())


def read_size(name: str) -> float:
    """Billions of parameters: 7.0 of "qwen2.5:7b-instruct", 56.0 of "mixtral-8x7b", 0.27 of "gemma3:270m"."""
    found = SIZE.search(name)
    if found is None:
        return 0.0
    times, number, unit = found.groups()
    return int(times or 1) * float(number) / (1000 if unit in "mM" else 1)


def _list_entries(listed: Any) -> list[dict[str, Any]]:
    """Of a list of models, as OpenAI's API (`data`) or Ollama's own (`models`) has it."""
    entries = (listed.get("data") or listed.get("models")) if isinstance(listed, dict) else None
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def _read_context(listed: Any, model: str) -> int:
    for entry in _list_entries(listed):
        if any(entry.get(name) in (model, f"{model}:latest") for name in ("id", "name", "model")):
            return _find_tokens(entry) or _find_tokens(entry.get("meta"))
    return 0


def _find_tokens(entry: Any) -> int:
    values = [entry.get(name) for name in CONTEXTS] if isinstance(entry, dict) else []
    return next((one for one in values if type(one) is int and 0 < one <= MOST_TOKENS), 0)
