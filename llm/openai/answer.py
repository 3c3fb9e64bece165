"""A completion of the Chat Completions API as a message of the Messages API, and its errors as errors."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from llm.tokens import estimate
from llm.wire import STATUS_TYPES, create_id

STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
ERROR_WORDS = {
    "rate_limit": "rate_limit_error",
    "overloaded": "overloaded_error",
    "invalid_request": "invalid_request_error",
}
MOST_TOKENS = 1_000_000_000  # what the table of calls takes


class AnswerError(Exception):
    """The answer is an error, or cannot be used. kind: type of Anthropic's error. status: HTTP status for it.

    The message is a sentence of this package. What a server writes may quote the request, and is never part of it.
    """

    def __init__(self, message: str, kind: str = "api_error", status: int = 502) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status


@dataclass
class ToolCall:
    id: str
    name: str
    arguments: list[str] = field(default_factory=list)


@dataclass
class Completion:
    """A completion as its chunks come in; a whole one is a single chunk.

    stop_reason: None until the server names one. input_tokens: estimated, until the server counts.
    """

    model: str
    input_tokens: int
    id: str = ""
    texts: list[str] = field(default_factory=list)
    calls: dict[int, list[ToolCall]] = field(default_factory=dict)
    stop_reason: str | None = None
    cached_tokens: int = 0
    output_tokens: int | None = None

    def take(self, chunk: Any) -> str:
        """The text that it adds. A chunk without a choice is fine: it may bring the usage. Raises: AnswerError."""
        raise_error(chunk)
        choices = chunk.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
            raise AnswerError("The choices of the answer are no list.")
        self.id = self.id or _read_text(chunk.get("id"))[:80] or create_id("msg")
        self.model = _read_text(chunk.get("model")) or self.model
        self._take_usage(chunk.get("usage"))
        return self._take_choice(choices[0]) if choices else ""

    @property
    def usage(self) -> dict[str, int]:
        output = self.output_tokens
        if output is None:
            arguments = [part for call in self._iter_calls() for part in call.arguments]
            output = estimate("".join(self.texts + arguments))
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.cached_tokens,
            "output_tokens": output,
        }

    def build_message(self, **fields: Any) -> dict[str, Any]:
        """Without content."""
        envelope = {"id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": []}
        return {**envelope, "stop_reason": None, "stop_sequence": None, "usage": self.usage, **fields}

    def build_tool_blocks(self) -> list[dict[str, Any]]:
        """Raises: AnswerError, where one is no call. A last one that is cut off by the limit of tokens is empty."""
        calls = list(self._iter_calls())
        blocks = []
        for call in calls:
            may_be_half = self.stop_reason == "max_tokens" and call is calls[-1]
            asked = _parse_arguments("".join(call.arguments))
            if not call.name or (asked is None and not may_be_half):
                raise AnswerError("A tool call of the answer is broken.")
            blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": asked or {}})
        return blocks

    def _iter_calls(self) -> Iterator[ToolCall]:
        return (call for calls in self.calls.values() for call in calls)

    def _take_choice(self, choice: dict[str, Any]) -> str:
        """What a model thinks before it answers (`reasoning_content`) is no part of the answer."""
        part = choice.get("delta") or choice.get("message") or {}
        if not isinstance(part, dict):
            raise AnswerError("The choice of the answer has no message.")
        text = _read_text(part.get("content")) + _read_text(part.get("refusal"))
        self.texts += [text] if text else []
        calls = part.get("tool_calls") or []
        for position, call in enumerate(calls if isinstance(calls, list) else [None]):
            self._take_call(call, position)
        if reason := choice.get("finish_reason"):
            self._take_reason(reason)
        return text

    def _take_reason(self, reason: Any) -> None:
        if not isinstance(reason, str) or reason not in STOP_REASONS:
            raise AnswerError("The answer ended for a reason that is not known here.")
        self.stop_reason = STOP_REASONS[reason]
        if self.stop_reason == "end_turn" and self.calls:  # some servers say "stop" behind tool calls too
            self.stop_reason = "tool_use"

    def _take_call(self, fragment: Any, position: int) -> None:
        """Fragments of a call have its index. Some servers leave it out, or give parallel calls the same one: a further
        name with another id begins another call. Others repeat the name in every fragment: no id is not another id.
        """
        function = fragment.get("function") if isinstance(fragment, dict) else None
        if not isinstance(function, dict):
            raise AnswerError("A tool call of the answer is broken.")
        index, arguments = fragment.get("index"), function.get("arguments")
        name, id = _read_text(function.get("name")), _read_text(fragment.get("id"))
        calls = self.calls.setdefault(index if isinstance(index, int) else position, [])
        if not calls or (name and calls[-1].name and id and id != calls[-1].id):
            calls.append(ToolCall(id or create_id("call"), ""))
        calls[-1].name = calls[-1].name or name
        if arguments is not None:
            calls[-1].arguments.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _take_usage(self, usage: Any) -> None:
        if not isinstance(usage, dict) or usage.get("prompt_tokens") is None:
            return
        details = usage.get("prompt_tokens_details")
        sent = _read_count(usage.get("prompt_tokens"))
        self.cached_tokens = min(_read_count(details.get("cached_tokens")) if isinstance(details, dict) else 0, sent)
        self.input_tokens = sent - self.cached_tokens
        self.output_tokens = _read_count(usage.get("completion_tokens"))


def parse_json(data: bytes) -> Any:
    """Raises: AnswerError."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise AnswerError("The answer is no JSON.") from None


def raise_error(body: Any) -> None:
    """Of a body with status 200 that is an error, or nothing that can be read. Raises: AnswerError."""
    if not isinstance(body, dict):
        raise AnswerError("The answer is no object.")
    error = body if body.get("object") == "error" else body.get("error")
    if not error:
        return
    details = error if isinstance(error, dict) else {}
    status = details.get("code")
    status = status if isinstance(status, int) and 400 <= status < 600 else 502
    words = f"{details.get('type')} {details.get('code')}"
    kind = next((kind for word, kind in ERROR_WORDS.items() if word in words), STATUS_TYPES.get(status, "api_error"))
    raise AnswerError("The server answered with an error.", kind, status)


def read_complaint(body: bytes) -> str:
    """An error's `message` and `param`, to look for names of fields in. They may quote the request: they go nowhere."""
    try:
        refusal = parse_json(body)
    except AnswerError:
        return ""
    error = refusal.get("error", refusal) if isinstance(refusal, dict) else refusal
    parts = (error.get("message"), error.get("param")) if isinstance(error, dict) else (error,)
    return " ".join(part for part in parts if isinstance(part, str))


def _parse_arguments(text: str) -> dict[str, Any] | None:
    """None where they are no object. A tool without parameters may be called without any."""
    try:
        asked = json.loads(text or "{}", parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return asked if isinstance(asked, dict) else None


def _refuse_constant(name: str) -> None:
    """NaN and Infinity, which are no JSON."""
    raise ValueError(name)


def _read_text(value: Any) -> str:
    """Halves of characters, which no table takes, are replaced."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise AnswerError("A text of the answer is no text.")
    return value.encode("utf-8", "replace").decode()


def _read_count(value: Any) -> int:
    return max(0, min(value, MOST_TOKENS)) if isinstance(value, int) else 0
