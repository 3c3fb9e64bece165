"""Which models servers on this computer have, and which of them are proposed. Everything here is another program's
answer: it is limited in size and time, and what is no name of a model is left out.
"""

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import httpx2

HOST = "127.0.0.1"
TIMEOUT = httpx2.Timeout(connect=2.0, read=5.0, write=2.0, pool=5.0)
SECONDS = 6.0
"""Of one look, headers included. A computer that runs a model on its CPU is busy."""
MOST_BYTES = 1_000_000
MOST_MODELS = 100
NAME = re.compile(r"[\w.:/@+() -]{1,80}", re.ASCII)
SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,2})x)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z0-9])", re.I)
NO_CHAT = re.compile(
    r"embed|(?<![a-z])(?:bge|e5|gte|minilm|rerank\w*|whisper|tts|clip|stable-diffusion|flux|guard\w*)(?![a-z])", re.I
)
SMALLEST_FAST = 3.0
"""Billions of parameters: smaller models seldom use tools."""


@dataclass(frozen=True)
class ListedModel:
    """size: billions of parameters, as its name says; 0.0 where it says nothing. chats: whether it answers, as models
    for vectors, speech or pictures do not.
    """

    name: str
    size: float = 0.0
    chats: bool = True


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
    """Those that answer on these ports in time, in this order. No proxy is used and no redirect is followed: nobody has
    named the host that it leads to.
    """
    client = httpx2.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False)
    pool = ThreadPoolExecutor(len(ports) or 1)
    try:
        looks = [pool.submit(load_json, client, f"http://{HOST}:{port}/v1/models") for port in ports]
        in_time, _ = wait(looks, SECONDS)
        listed = [read_models(look.result()) if look in in_time else [] for look in looks]
    finally:
        pool.shutdown(wait=False)
        client.close()  # which ends a look that is not over
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


def load_json(client: httpx2.Client, url: str) -> Any:
    """What is at an address, or None: nothing there, a redirect, no JSON, or too long."""
    body, asked = b"", {"accept": "application/json", "accept-encoding": "identity"}
    try:
        with client.stream("GET", url, headers=asked) as answer:
            if answer.status_code != 200:
                return None
            for piece in answer.iter_raw():
                body += piece
                if len(body) > MOST_BYTES:
                    return None
        return json.loads(body)
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError, RecursionError):
        return None


def read_models(listed: Any) -> list[ListedModel]:
    """Of the answer to `/v1/models`, each name once."""
    found: dict[str, ListedModel] = {}
    entries = listed.get("data") if isinstance(listed, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        name = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(name, str) and NAME.fullmatch(name) and name == name.strip():
            chats = not NO_CHAT.search(name) and "embed" not in str(entry.get("type", ""))[:20]
            found.setdefault(name, ListedModel(name, read_size(name), chats))
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
