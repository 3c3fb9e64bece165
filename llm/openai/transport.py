"""Transports of the Anthropic SDK's clients that send to a server which speaks the Chat Completions API."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

from llm.openai.answer import AnswerError, Completion, parse_json, raise_error, read_complaint
from llm.openai.request import Untranslatable, estimate_tokens, find_fallback, translate_request
from llm.openai.stream import EventTranslator
from llm.wire import EVENT_STREAM, STATUS_TYPES

AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
PASSED_ON = ("retry-after", "retry-after-ms")
MOST_FALLBACKS = 1_000
MOST_BYTES = 32_000_000
"""Of one answer, unpacked."""

logger = logging.getLogger(__name__)
_fallbacks: dict[tuple[str, str], frozenset[str]] = {}
"""(address, model) -> fields that are sent in another form there, as the server has asked for and then answered."""


@dataclass(frozen=True)
class Server:
    """base_url: what `/chat/completions` is appended to. key: "" for none."""

    base_url: str
    key: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def headers(self) -> dict[str, str]:
        """Nothing of the SDK's own. Azure takes its keys in a header of its own."""
        sent = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        if not self.key:
            return sent
        is_azure = (urlsplit(self.base_url).hostname or "").endswith(AZURE)
        return sent | ({"api-key": self.key} if is_azure else {"authorization": f"Bearer {self.key}"})


class Exchange:
    """A request of the SDK on its way out, and its answer on its way back. Raises Untranslatable when it is made."""

    def __init__(self, server: Server, request: httpx2.Request) -> None:
        if request.url.path != "/v1/messages":
            raise Untranslatable("Messages alone are translated.")
        self._server, self._request = server, request
        self._body: dict[str, Any] = json.loads(request.content)
        self._size = self._length = 0
        self._place = (server.url, str(self._body["model"]))
        self._asked_for: frozenset[str] = frozenset()
        self._translate()

    def _translate(self) -> None:
        self._sent = translate_request(self._body, _fallbacks.get(self._place, frozenset()) | self._asked_for)

    def build_request(self, client: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        text = json.dumps(self._sent, ensure_ascii=False)
        self._length = len(text)
        content = text.encode("utf-8", "replace")
        extensions = dict(self._request.extensions)  # the SDK's timeouts
        headers = self._server.headers
        return client.build_request("POST", self._server.url, content=content, headers=headers, extensions=extensions)

    def is_stream(self, answer: httpx2.Response) -> bool:
        """A server may also answer whole, though a stream was asked for."""
        kind = answer.headers.get("content-type", "")
        return answer.is_success and "application/json" not in kind

    def limit(self, data: bytes) -> bytes:
        """`data`, unless the answer is too long. Raises: RemoteProtocolError."""
        self._size += len(data)
        if self._size > MOST_BYTES:
            raise httpx2.RemoteProtocolError("the answer is too long")
        return data

    def adapt(self, answer: httpx2.Response, body: bytes) -> bool:
        """Whether the request is sent once more, in a form that the server's refusal asks for."""
        refused = find_fallback(answer.status_code, read_complaint(body), self._sent)
        if not refused:
            return False
        self._asked_for |= {refused}
        self._translate()
        return True

    def _remember(self) -> None:
        """The form that the server asked for, now that it has begun to answer."""
        if not self._asked_for:
            return
        if len(_fallbacks) >= MOST_FALLBACKS:
            _fallbacks.clear()
        _fallbacks[self._place] = _fallbacks.get(self._place, frozenset()) | self._asked_for
        self._asked_for = frozenset()

    def translate(self, translator: EventTranslator, data: bytes) -> list[bytes]:
        """The events that the next bytes of a streamed answer make. Raises: as `limit`."""
        events = list(translator.feed(self.limit(data)))
        if translator.has_begun:
            self._remember()
        return events

    def build_response(self, answer: httpx2.Response, body: bytes) -> httpx2.Response:
        """Of an answer that is no stream: the status of an error is what the server gave."""
        if not answer.is_success:
            return _build_error(answer.status_code, "The server refused the request.", answer)
        try:
            whole = parse_json(body)
            raise_error(whole)
        except AnswerError as error:
            return _build_error(error.status, str(error), answer)
        translator = EventTranslator(self.create_completion())
        events = b"".join(translator.translate(whole))
        if translator.has_begun:
            self._remember()
        return httpx2.Response(200, headers=EVENT_STREAM, content=events)

    def create_completion(self) -> Completion:
        return Completion(self._body["model"], estimate_tokens(self._sent, self._length))


class OpenAITransport(httpx2.BaseTransport):
    """client: what really sends. It follows no redirects."""

    def __init__(self, server: Server, client: httpx2.Client) -> None:
        self._server, self._client = server, client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            exchange = Exchange(self._server, request)
        except Untranslatable as problem:
            return _refuse(problem)
        while True:
            answer = self._client.send(exchange.build_request(self._client), stream=True)
            if exchange.is_stream(answer):
                return httpx2.Response(200, headers=EVENT_STREAM, stream=Events(answer, exchange))
            with closing(answer):
                body = b"".join(exchange.limit(data) for data in answer.iter_bytes())
            if not exchange.adapt(answer, body):
                return exchange.build_response(answer, body)

    def close(self) -> None:
        self._client.close()


class AsyncOpenAITransport(httpx2.AsyncBaseTransport):
    """client: what really sends. It follows no redirects."""

    def __init__(self, server: Server, client: httpx2.AsyncClient) -> None:
        self._server, self._client = server, client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            exchange = Exchange(self._server, request)
        except Untranslatable as problem:
            return _refuse(problem)
        while True:
            answer = await self._client.send(exchange.build_request(self._client), stream=True)
            if exchange.is_stream(answer):
                return httpx2.Response(200, headers=EVENT_STREAM, stream=AsyncEvents(answer, exchange))
            async with aclosing(answer):
                body = b"".join([exchange.limit(data) async for data in answer.aiter_bytes()])
            if not exchange.adapt(answer, body):
                return exchange.build_response(answer, body)

    async def aclose(self) -> None:
        await self._client.aclose()


class Events(httpx2.SyncByteStream):
    """The body of a translated stream."""

    def __init__(self, answer: httpx2.Response, exchange: Exchange) -> None:
        self._answer, self._exchange = answer, exchange

    def __iter__(self) -> Iterator[bytes]:
        translator = EventTranslator(self._exchange.create_completion())
        for data in self._answer.iter_bytes():
            yield from self._exchange.translate(translator, data)
            if translator.is_over:
                return
        yield from translator.finish()

    def close(self) -> None:
        self._answer.close()


class AsyncEvents(httpx2.AsyncByteStream):
    """The body of a translated stream."""

    def __init__(self, answer: httpx2.Response, exchange: Exchange) -> None:
        self._answer, self._exchange = answer, exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        translator = EventTranslator(self._exchange.create_completion())
        async for data in self._answer.aiter_bytes():
            for event in self._exchange.translate(translator, data):
                yield event
            if translator.is_over:
                return
        for event in translator.finish():
            yield event

    async def aclose(self) -> None:
        await self._answer.aclose()


def _refuse(problem: Untranslatable) -> httpx2.Response:
    logger.warning("a request was not sent: %s", problem)
    return _build_error(400, str(problem))


def _build_error(status: int, message: str, answer: httpx2.Response | None = None) -> httpx2.Response:
    """As Anthropic's API has it, with what the headers of the server's answer say of another try.

    message: a sentence of this package, because the SDK makes it the message of its error.
    """
    passed = {name: answer.headers[name] for name in PASSED_ON if answer and name in answer.headers}
    kind = STATUS_TYPES.get(status, "api_error")
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return httpx2.Response(status, headers=passed, json=error)
