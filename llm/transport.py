"""Which transport the SDK's clients have: the network, the offline engine, or a scripted model.

`MODEL_TRANSPORT` in the settings is "auto" or "real" (the network when the endpoint has a key or an address, else the
offline engine), "offline" or "scripted". A script that is in force (llm.scripted) comes before the setting.
"""

import asyncio
import json
import math
import os
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import httpx2
from django.conf import settings

from llm import scripted
from llm.endpoints import ANTHROPIC_URL, Endpoint
from llm.errors import ModelUnavailable
from llm.openai.transport import AsyncOpenAITransport, OpenAITransport, Server
from llm.quoting import engine
from llm.wire import build_error_response, build_response

if TYPE_CHECKING:
    import anthropic

Transport = Literal["real", "offline", "scripted"]

# Seconds. `read` is the longest silence between two pieces of an answer; the SDK sends pings meanwhile.
TIMEOUT = httpx2.Timeout(connect=5.0, read=120.0, write=30.0, pool=10.0)
# Attempts after the first, by the SDK, with its exponential pause, on 408, 409, 429, 5xx and lost connections.
RETRIES = 2
CUSTOM_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
"""A variable that the SDK reads."""
# Of one call while a model is tested. A model on a CPU loads for a minute, and then reads the prompt.
TEST_SECONDS = 300
# For a test and at a workspace's own server: what has passed the test is asked as patiently afterwards.
SLOW_TIMEOUT = httpx2.Timeout(connect=5.0, read=TEST_SECONDS, write=30.0, pool=10.0)
OFFLINE_URL = "http://offline.invalid"
UNREACHABLE = "The model could not be reached."
SENTENCES = {
    400: "The model refused the request.",
    401: "The model's provider refused the API key.",
    403: "The model's provider refused the API key.",
    404: "The model's provider does not know this model.",
    413: "The request was too large for the model.",
    429: "The model's provider is limiting our rate; try again in a moment.",
    529: "The model is overloaded; try again in a moment.",
}
TEMPORARY = ("overloaded_error", "api_error", "rate_limit_error", "timeout_error")


def choose_transport(endpoint: Endpoint) -> Transport:
    """The transport that the next call to `endpoint` uses: never the network without a key and an address."""
    if scripted.is_in_force():
        return "scripted"
    if endpoint.unreadable:
        return "offline"
    setting = getattr(settings, "MODEL_TRANSPORT", "auto")
    if setting in ("auto", "real"):
        return "offline" if endpoint.is_offline else "real"
    for known in get_args(Transport):
        if setting == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"MODEL_TRANSPORT is {setting!r}; it is auto, real, offline or scripted")


def may_send_search_results(endpoint: Endpoint) -> bool:
    """Whether passages go there as `search_result` blocks, and citations come back as places in them."""
    return endpoint.is_anthropic and choose_transport(endpoint) != "offline"


def build_sync_client(endpoint: Endpoint, *, is_test: bool = False) -> "anthropic.Anthropic":
    """The SDK's client for workers. is_test: for one call, which is tried once; nothing is taken in that comes later
    than `TEST_SECONDS` from now.
    """
    match choose_transport(endpoint):
        case "real" if is_test:
            return _build_real_client(endpoint.server, time.monotonic() + TEST_SECONDS)
        case "real":
            return _load_real_client(endpoint.server)
        case "scripted":
            return _build_in_process_client(scripted.answer_request)
        case _:
            return _build_in_process_client(_answer_offline)


def build_async_client(endpoint: Endpoint) -> "anthropic.AsyncAnthropic":
    """The SDK's client for the running event loop; connections belong to one loop, so each loop has its own."""
    import anthropic

    match choose_transport(endpoint):
        case "real":
            clients = _async_real.setdefault(asyncio.get_running_loop(), {})
            key = endpoint.server
            if key not in clients:
                http: httpx2.AsyncClient = anthropic.DefaultAsyncHttpxClient(follow_redirects=False)
                if key.api == "openai":
                    server = Server(key.base_url, key.key)
                    http = httpx2.AsyncClient(transport=AsyncOpenAITransport(server, http), trust_env=False)
                clients[key] = anthropic.AsyncAnthropic(http_client=http, **_build_real_options(key))
            return clients[key]
        case "scripted":
            return _build_in_process_async(scripted.answer_request_async)
        case _:
            return _build_in_process_async(_answer_offline_async)


_async_real: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Endpoint, anthropic.AsyncAnthropic]]"
_async_real = weakref.WeakKeyDictionary()


def _build_real_client(endpoint: Endpoint, until: float = math.inf) -> "anthropic.Anthropic":
    """Redirects are not followed: nobody has named the host that they lead to. until: of a test; `time.monotonic`."""
    import anthropic

    def limit_answer(answer: Any) -> None:
        answer.stream = LimitedStream(answer.stream, until)

    is_test = until < math.inf
    hooks: dict[str, list[Callable[..., Any]]] = {"response": [limit_answer]} if is_test else {}
    http: httpx2.Client = anthropic.DefaultHttpxClient(follow_redirects=False, event_hooks=hooks)
    if endpoint.api == "openai":
        server = Server(endpoint.base_url, endpoint.key)
        http = httpx2.Client(transport=OpenAITransport(server, http), trust_env=False)
    options = _build_real_options(endpoint)
    if is_test:
        options |= {"max_retries": 0, "timeout": SLOW_TIMEOUT}
    return anthropic.Anthropic(http_client=http, **options)


_load_real_client = lru_cache(maxsize=32)(_build_real_client)


class LimitedStream(httpx2.SyncByteStream):
    """An answer's body. Raises ReadTimeout at the first bytes that come too late, pings among them."""

    def __init__(self, body: httpx2.SyncByteStream, until: float) -> None:
        self._body, self._until = body, until

    def __iter__(self) -> Iterator[bytes]:
        for data in self._body:
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer takes too long")
            yield data

    def close(self) -> None:
        self._body.close()


def _build_real_options(endpoint: Endpoint) -> dict[str, Any]:
    """A workspace's own takes neither an address nor headers from the installation's environment. Of one that speaks
    OpenAI's API, the SDK knows neither address nor key.

    A local server may need no key; the SDK always sends one.
    """
    import anthropic

    own = endpoint.own
    timeout = SLOW_TIMEOUT if own and endpoint.base_url else TIMEOUT
    patience: dict[str, Any] = {"timeout": timeout, "max_retries": RETRIES}
    if endpoint.api == "openai":
        return _build_in_process_options() | patience
    foreign = [line.partition(":")[0].strip() for line in os.environ.get(CUSTOM_HEADERS, "").split("\n") if own]
    return {
        "api_key": endpoint.key or "none",
        "base_url": endpoint.base_url or (ANTHROPIC_URL if own else None),
        "default_headers": {name: anthropic.Omit() for name in foreign if name},
        "open_telemetry": False,
        **patience,
    }


def _build_in_process_options() -> dict[str, Any]:
    return {"api_key": "none", "base_url": OFFLINE_URL, "timeout": TIMEOUT, "max_retries": 0, "open_telemetry": False}


@cache
def _build_in_process_client(handler: Any) -> "anthropic.Anthropic":
    import anthropic

    http = httpx2.Client(transport=httpx2.MockTransport(handler), trust_env=False)
    return anthropic.Anthropic(http_client=http, **_build_in_process_options())


@cache
def _build_in_process_async(handler: Any) -> "anthropic.AsyncAnthropic":
    import anthropic

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(handler), trust_env=False)
    return anthropic.AsyncAnthropic(http_client=http, **_build_in_process_options())


def _answer_offline(request: httpx2.Request) -> httpx2.Response:
    if request.url.path != "/v1/messages":
        return build_error_response(404, "the offline engine answers /v1/messages only")
    body = json.loads(request.content)
    return build_response(engine.answer(body), body, asynchronous=False)


async def _answer_offline_async(request: httpx2.Request) -> httpx2.Response:
    """In a thread: reading a long prompt takes tens of milliseconds that the event loop has not."""
    if request.url.path != "/v1/messages":
        return build_error_response(404, "the offline engine answers /v1/messages only")
    body = json.loads(request.content)
    answer = await asyncio.to_thread(engine.answer, body)
    return build_response(replace(answer, pace=settings.OFFLINE_PACE), body, asynchronous=True)


def convert_error(error: "anthropic.APIError") -> ModelUnavailable:
    """The SDK's error as ours. An error event in mid-stream comes with status 200 and counts by its type."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code
        if status == 200:
            temporary = error.type in TEMPORARY
            return ModelUnavailable("The model failed in the middle of its answer.", retryable=temporary, status=status)
        temporary = status in (408, 409, 429) or status >= 500
        return ModelUnavailable(
            SENTENCES.get(status, "The model is not available."), retryable=temporary, status=status
        )
    return ModelUnavailable(UNREACHABLE, retryable=True)
