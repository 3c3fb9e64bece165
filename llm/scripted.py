"""A scripted, adversarial model for tests: the real SDK, fed from a queue.

    with scripted.use_scripted_model() as script:
        script.push(text="The cap is two million [1].")
        script.push(tool_use=("search_knowledge", {"query": "liability cap"}))
        script.push(chunks=["See ", "[", "1", "]."], truncate=True)
        script.push(error=529)
        …
        assert "liability" in script.requests[0].text

Answers are given in the order pushed; `when` keeps one for the first request that it accepts. A script is in force
for the whole process, so it reaches tasks and threads; scripts nest. `MODEL_TRANSPORT = "scripted"` uses `default`
with no `with`.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from llm.messages import ToolUse
from llm.quoting import engine
from llm.tokens import estimate
from llm.wire import STATUS_TYPES, Answer, build_error_response, build_response, create_id


@dataclass(frozen=True)
class RecordedRequest:
    """A request as the model got it."""

    body: dict[str, Any]

    @property
    def system(self) -> str:
        return engine.extract_text(self.body.get("system", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.body.get("tools", [])]

    @property
    def text(self) -> str:
        """All text of the request: system, messages, tool results."""
        return "\n".join([self.system, *(engine.extract_text(message["content"]) for message in self.messages)])


@dataclass(frozen=True)
class ScriptStep:
    """One queued answer. status: an HTTP error instead of an answer."""

    answer: Answer
    status: int = 0
    when: Callable[[RecordedRequest], bool] | None = None


Tools = tuple[str, dict[str, Any]] | list[tuple[str, dict[str, Any]]] | None


@dataclass
class Script:
    """The queue and what was asked. otherwise_offline: requests with nothing queued go to the offline engine."""

    otherwise_offline: bool = False
    requests: list[RecordedRequest] = field(default_factory=list)
    unanswered: list[RecordedRequest] = field(default_factory=list)
    _steps: list[ScriptStep] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def push(
        self,
        *,
        text: str = "",
        tool_use: Tools = None,
        chunks: Sequence[str] = (),
        cited: Sequence[tuple[str, Sequence[tuple[int, int, int]]]] = (),
        error: int | str = 0,
        truncate: bool = False,
        stop_reason: str = "",
        usage: tuple[int, int, int] | None = None,
        hold: threading.Event | None = None,
        when: Callable[[RecordedRequest], bool] | None = None,
    ) -> None:
        """Queue an answer.

        text: streamed whole; chunks: streamed piece by piece instead. cited: blocks of text, each with the places of
        search results that it cites (result, first text block, the one after the last). tool_use: (name, input), or a
        list of them. error: an HTTP status, or the type of an error event in mid-stream ("overloaded_error"). truncate:
        the stream breaks off before the last block ends. usage: tokens (input, output, cached), estimated otherwise.
        hold: pause after the first piece until the event is set.
        """
        deltas = tuple(chunks) or ((text,) if text else ())
        tools = tuple(ToolUse(create_id("toolu"), name, asked) for name, asked in _list_calls(tool_use))
        spoken = "".join(deltas) + json.dumps([tool.input for tool in tools])
        tokens = usage or (-1, estimate(spoken), 0)
        answer = Answer(
            deltas=deltas,
            cited=tuple((said, tuple(places)) for said, places in cited),
            tools=tools,
            stop_reason=stop_reason,
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cached_tokens=tokens[2],
            error=error if isinstance(error, str) else "",
            truncate=truncate,
            hold=hold,
        )
        self._steps.append(ScriptStep(answer, error if isinstance(error, int) else 0, when))

    @property
    def left(self) -> int:
        """Answers that nothing has asked for yet."""
        return len(self._steps)

    def take(self, body: dict[str, Any]) -> ScriptStep | None:
        """The next answer for a request, None when there is none. Records the request."""
        recorded = RecordedRequest(body)
        with self._lock:
            self.requests.append(recorded)
            for index, step in enumerate(self._steps):
                if step.when is None or step.when(recorded):
                    return self._steps.pop(index)
            self.unanswered.append(recorded)
        return None


def _list_calls(tool_use: Tools) -> list[tuple[str, dict[str, Any]]]:
    if tool_use is None:
        return []
    if isinstance(tool_use, tuple):
        return [tool_use]
    return list(tool_use)


default = Script()
_stack: list[Script] = []


def is_in_force() -> bool:
    """Whether a script replaces the model now."""
    return bool(_stack)


@contextmanager
def use_scripted_model(*, otherwise_offline: bool = False) -> Iterator[Script]:
    """A script that answers every call in this process until the block ends."""
    script = Script(otherwise_offline=otherwise_offline)
    _stack.append(script)
    try:
        yield script
    finally:
        _stack.remove(script)


def answer_request(request: httpx2.Request) -> httpx2.Response:
    """The transport's handler for the synchronous client."""
    return _respond_to(json.loads(request.content), asynchronous=False)


async def answer_request_async(request: httpx2.Request) -> httpx2.Response:
    """The transport's handler for the asynchronous client."""
    return await asyncio.to_thread(_respond_to, json.loads(request.content), asynchronous=True)


def _respond_to(body: dict[str, Any], *, asynchronous: bool) -> httpx2.Response:
    script = _stack[-1] if _stack else default
    step = script.take(body)
    if step is None:
        if script.otherwise_offline:
            return build_response(engine.answer(body), body, asynchronous=asynchronous)
        return build_error_response(400, "the script has no answer for this request")
    if step.status:
        return build_error_response(step.status, STATUS_TYPES.get(step.status, "error"))
    answer = step.answer
    if answer.input_tokens < 0:
        answer = Answer(**{**vars(answer), "input_tokens": engine.estimate_input_tokens(body)})
    return build_response(answer, body, asynchronous=asynchronous)
