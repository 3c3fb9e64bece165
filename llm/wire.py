"""The Messages API as the SDK reads it: an answer as JSON or as server-sent events.

What the offline engine and the scripted model have to say travels through the SDK's own parser, as a remote answer
would.
"""

import asyncio
import json
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from llm.messages import ToolUse

EVENT_STREAM = {"content-type": "text/event-stream", "request-id": "in-process"}
STATUS_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Answer:
    """deltas: pieces of text, in order. cited: blocks of text after them, each with the places of search results that
    it cites (`BlockCitations`). Tools come after the text.

    error: an error event of this type is sent after the text. truncate: the stream ends without its closing events.
    hold: the stream waits for this event after its first delta. pace: seconds after every event of an asynchronous
    stream.
    """

    deltas: tuple[str, ...] = ()
    cited: tuple[tuple[str, tuple[tuple[int, int, int], ...]], ...] = ()
    tools: tuple[ToolUse, ...] = ()
    stop_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    error: str = ""
    truncate: bool = False
    hold: threading.Event | None = None
    pace: float = 0.0

    @property
    def reason(self) -> str:
        return self.stop_reason or ("tool_use" if self.tools else "end_turn")


def create_id(prefix: str) -> str:
    """An identifier as the API makes them."""
    return f"{prefix}_{uuid.uuid4().hex[:24]}"


def format_message(answer: Answer, model: str) -> dict[str, Any]:
    """The answer to a request without `stream`."""
    content: list[dict[str, Any]] = [{"type": "text", "text": "".join(answer.deltas)}] if answer.deltas else []
    content += [{"type": "tool_use", "id": t.id, "name": t.name, "input": t.input} for t in answer.tools]
    return {
        **_build_envelope(answer, model),
        "content": content,
        "stop_reason": answer.reason,
        "usage": {**_build_input_usage(answer), "output_tokens": answer.output_tokens},
    }


def _build_envelope(answer: Answer, model: str) -> dict[str, Any]:
    return {
        "id": create_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**_build_input_usage(answer), "output_tokens": 1},
    }


def _build_input_usage(answer: Answer) -> dict[str, int]:
    return {
        "input_tokens": answer.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.cached_tokens,
    }


def format_events(answer: Answer, model: str) -> Iterator[bytes]:
    """The answer as server-sent events, one a piece. Every text delta is an event of its own."""
    yield format_event("message_start", message=_build_envelope(answer, model))
    index = 0
    if answer.deltas:
        yield format_event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for delta in answer.deltas:
            yield format_event("content_block_delta", index=index, delta={"type": "text_delta", "text": delta})
    if answer.error:
        yield format_event("error", error={"type": answer.error, "message": "sent by the scripted model"})
        return
    if answer.deltas and not answer.truncate:
        yield format_event("content_block_stop", index=index)
        index += 1
    for said, places in answer.cited:
        yield format_event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        yield format_event("content_block_delta", index=index, delta={"type": "text_delta", "text": said})
        for place in places:
            cited = {"type": "citations_delta", "citation": _build_location(*place)}
            yield format_event("content_block_delta", index=index, delta=cited)
        yield format_event("content_block_stop", index=index)
        index += 1
    for tool in answer.tools:
        start = {"type": "tool_use", "id": tool.id, "name": tool.name, "input": {}}
        yield format_event("content_block_start", index=index, content_block=start)
        text = json.dumps(tool.input, ensure_ascii=False)
        middle = len(text) // 2
        for part in (text[:middle],) if answer.truncate else (text[:middle], text[middle:]):
            yield format_event(
                "content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": part}
            )
        if not answer.truncate:
            yield format_event("content_block_stop", index=index)
        index += 1
    if not answer.truncate:
        end = {"stop_reason": answer.reason, "stop_sequence": None}
        yield format_event("message_delta", delta=end, usage={"output_tokens": answer.output_tokens})
        yield format_event("message_stop")


def _build_location(result: int, start: int, end: int) -> dict[str, Any]:
    return {
        "type": "search_result_location",
        "search_result_index": result,
        "start_block_index": start,
        "end_block_index": end,
        "cited_text": "",
        "source": "",
        "title": None,
    }


def format_event(kind: str, **fields: Any) -> bytes:
    """One server-sent event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


class SyncEvents(httpx2.SyncByteStream):
    """The body of a streamed answer for the synchronous client."""

    def __init__(self, answer: Answer, model: str) -> None:
        self.answer, self.model = answer, model

    def __iter__(self) -> Iterator[bytes]:
        for number, event in enumerate(format_events(self.answer, self.model)):
            yield event
            if number == 2 and self.answer.hold:
                self.answer.hold.wait()


class AsyncEvents(httpx2.AsyncByteStream):
    """The body of a streamed answer for the asynchronous client. Gives way to other tasks after every event."""

    def __init__(self, answer: Answer, model: str) -> None:
        self.answer, self.model = answer, model

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for number, event in enumerate(format_events(self.answer, self.model)):
            yield event
            await asyncio.sleep(self.answer.pace)
            while number == 2 and self.answer.hold and not self.answer.hold.is_set():
                await asyncio.sleep(0.01)


def build_response(answer: Answer, request: dict[str, Any], *, asynchronous: bool) -> httpx2.Response:
    """The HTTP response that carries `answer` to `request`."""
    model = str(request.get("model", ""))
    if not request.get("stream"):
        return httpx2.Response(200, json=format_message(replace(answer, truncate=False), model))
    body = AsyncEvents(answer, model) if asynchronous else SyncEvents(answer, model)
    return httpx2.Response(200, headers=EVENT_STREAM, stream=body)


def build_error_response(status: int, message: str) -> httpx2.Response:
    """An error response of the API."""
    kind = STATUS_TYPES.get(status, "api_error")
    return httpx2.Response(status, json={"type": "error", "error": {"type": kind, "message": message}})


def read_monotonic_ms() -> int:
    """Milliseconds of a clock that only goes forward."""
    return int(time.monotonic() * 1000)
