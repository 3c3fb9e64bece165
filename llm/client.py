"""The one way to call a model (design §1.2), through the Anthropic SDK, metered and budgeted.

`complete` is for workers, `stream` for chat. Both stream from the model: a long answer never waits behind a silent
connection, and one that breaks off is seen to be broken. No scope is open meanwhile: see `CalledInsideScope`.

The SDK is imported by the first call: that takes two seconds, and most processes call no model.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from typing import Any

import httpx2
from asgiref.sync import sync_to_async
from django.db import connection

from entities.access import has_open_scope
from llm import endpoints, metering, models_catalogue, transport
from llm.endpoints import Endpoint
from llm.errors import (
    BudgetExceeded,
    CalledInsideScope,
    ModelError,
    ModelInterrupted,
    ModelUnavailable,
)
from llm.fences import replace_brackets
from llm.messages import BlockCitations, Call, Reply, TextDelta, ToolUse, Usage
from llm.models import ModelCall
from llm.models_catalogue import Model
from llm.search_results import read_citations
from llm.tokens import estimate
from llm.wire import read_monotonic_ms

__all__ = [
    "BudgetExceeded",
    "Call",
    "CalledInsideScope",
    "ModelError",
    "ModelInterrupted",
    "ModelUnavailable",
    "Reply",
    "TextDelta",
    "ToolUse",
    "Usage",
    "complete",
    "get_labeller_name",
    "get_model_name",
    "is_labelling_offline",
    "is_offline",
    "stream",
]

logger = logging.getLogger(__name__)

# A server that is only half compatible leaves out what the SDK and `_Answer.take` reach for.
BROKEN = (httpx2.HTTPError, httpx2.StreamError, ValueError, AttributeError, LookupError, TypeError, TimeoutError)
Outcome = ModelCall.Outcome
Blocks = list[dict[str, Any]]


def is_offline(workspace: int = 0) -> bool:
    """Whether the offline engine answers in a workspace, because no model is configured.

    workspace: may be left out in an open scope, whose workspace it then is.
    """
    return transport.choose_transport(endpoints.get_endpoint(workspace)) == "offline"


def is_labelling_offline(workspace: int = 0) -> bool:
    """Whether labels are left to the rules: as `is_offline`, or the model's test found that it cannot be asked."""
    return endpoints.get_endpoint(workspace).labels == "rules" or is_offline(workspace)


def get_labeller_name(model: str) -> str:
    """The name of what labels in the workspace whose scope is open: `model`, of the tier "fast", if it can be asked."""
    return models_catalogue.OFFLINE.name if endpoints.get_current_endpoint().labels == "rules" else model


def get_model_name(tier: str) -> str:
    """The name of the model that a tier means now in the workspace whose scope is open."""
    return _choose_model(tier, endpoints.get_current_endpoint()).name


def compute_cost(tier: str, *, tokens_in: int, tokens_out: int) -> Decimal:
    """USD of one call of so many tokens to the model that a tier means now, nothing being cached. In an open scope."""
    model = _choose_model(tier, endpoints.get_current_endpoint())
    return model.cost(fresh=tokens_in, written=0, read=0, output=tokens_out)


def _choose_model(tier: str, endpoint: Endpoint) -> Model:
    return models_catalogue.OFFLINE if transport.choose_transport(endpoint) == "offline" else endpoint.find_model(tier)


def complete(
    call: Call,
    *,
    system: Blocks | str,
    messages: Blocks,
    tools: Sequence[dict[str, Any]] = (),
    tool_choice: dict[str, Any] | None = None,
    max_tokens: int = 2048,
    endpoint: Endpoint | None = None,
) -> Reply:
    """The whole answer. endpoint: to test it: once, and for `transport.TEST_SECONDS` at most.

    Raises: BudgetExceeded before the call; ModelUnavailable, of a test also where the connection was lost or took too
    long; ModelInterrupted when the answer broke off; CalledInsideScope.
    """
    _refuse_inside_scope()
    import anthropic

    is_test = endpoint is not None
    if endpoint is None:
        endpoint = Endpoint() if call.is_offline else endpoints.get_endpoint(call.workspace)
    model = _choose_model(call.tier, endpoint)
    if not model.is_free:
        metering.check_budget(call, model.name)
    request = _build_request(model, system, messages, tools, tool_choice, max_tokens)
    answer, outcome, started = _Answer(model), Outcome.FAILED, read_monotonic_ms()
    try:
        with transport.build_sync_client(endpoint, is_test=is_test).messages.stream(**request) as events:
            for event in events:
                answer.take(event)
        outcome = answer.outcome
    except anthropic.APIError as error:
        raise transport.convert_error(error) from None  # it quotes the server, which may quote the request
    except BROKEN as error:
        _log_broken(call, error)
        outcome = Outcome.INTERRUPTED
        if is_test and isinstance(error, httpx2.TransportError):
            raise ModelUnavailable(transport.UNREACHABLE, retryable=True) from None
    finally:
        metering.record_call(call, model.name, answer.usage, read_monotonic_ms() - started, outcome)
    if answer.stop_reason is None:
        raise ModelInterrupted("The model's answer broke off.")
    return answer.reply()


async def stream(
    call: Call,
    *,
    system: Blocks | str,
    messages: Blocks,
    tools: Sequence[dict[str, Any]] = (),
    tool_choice: dict[str, Any] | None = None,
    max_tokens: int = 2048,
) -> AsyncIterator[TextDelta | BlockCitations | Reply]:
    """Text as it comes, after each block of it what it cites of search results, then the Reply as the last item.

    An answer that breaks off still ends in a Reply, with `stop_reason` None. Leaving the loop early stops the model
    and is metered as stopped. Raises: BudgetExceeded before the call; ModelUnavailable, also in mid-stream;
    CalledInsideScope.
    """
    _refuse_inside_scope()
    await asyncio.to_thread(import_module, "anthropic")
    import anthropic

    endpoint = await _run_in_thread(endpoints.get_endpoint, call.workspace)
    model = _choose_model(call.tier, endpoint)
    if not model.is_free:
        await _run_in_thread(metering.check_budget, call, model.name)
    request = _build_request(model, system, messages, tools, tool_choice, max_tokens)
    answer, outcome, started = _Answer(model), Outcome.STOPPED, read_monotonic_ms()
    try:
        async with transport.build_async_client(endpoint).messages.stream(**request) as events:
            async for event in events:
                item = answer.take(event)
                if item is not None:
                    yield item
        outcome = answer.outcome
    except anthropic.APIError as error:
        outcome = Outcome.FAILED
        raise transport.convert_error(error) from None  # it quotes the server, which may quote the request
    except BROKEN as error:
        _log_broken(call, error)
        outcome = Outcome.INTERRUPTED
    finally:
        taken = read_monotonic_ms() - started
        await asyncio.shield(_run_in_thread(metering.record_call, call, model.name, answer.usage, taken, outcome))
    yield answer.reply()


def _refuse_inside_scope() -> None:
    if has_open_scope():
        raise CalledInsideScope("A model is called with no scope open: read first, close the scope, then call.")


async def _run_in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """A database step of a task: the thread's connection is given back when it ends."""

    def step() -> Any:
        try:
            return function(*args)
        finally:
            if not connection.in_atomic_block:
                connection.close()

    return await sync_to_async(step)()


def _build_request(
    model: Model,
    system: Blocks | str,
    messages: Blocks,
    tools: Sequence[dict[str, Any]],
    tool_choice: dict[str, Any] | None,
    max_tokens: int,
) -> dict[str, Any]:
    """The SDK's arguments, fitted to what the model accepts."""
    request: dict[str, Any] = {
        "model": model.name,
        "max_tokens": max_tokens + model.headroom,
        "messages": messages,
    }
    if system:
        request["system"] = system
    if tools:
        request["tools"] = list(tools)
    if tool_choice is not None:
        forced = tool_choice.get("type") in ("tool", "any") and not model.forced_tool
        request["tool_choice"] = {"type": "auto"} if forced else tool_choice
    if model.thinking:
        request["thinking"] = dict(model.thinking)
    return request


def _log_broken(call: Call, error: Exception) -> None:
    logger.warning("an answer for %s in workspace %s broke off: %s", call.feature, call.workspace, type(error).__name__)


@dataclass
class _Answer:
    """An answer as its events come in."""

    model: Model
    text: str = ""
    blocks: Blocks = field(default_factory=list)
    stop_reason: str | None = None
    fresh: int = 0
    written: int = 0
    read: int = 0
    output: int = 0

    def take(self, event: Any) -> TextDelta | BlockCitations | None:
        """Note an event of the SDK's stream; returns its text or its citations, if it has any."""
        match event.type:
            case "message_start" | "message_stop":  # at its end, the SDK's sums
                usage = event.message.usage
                self.fresh = usage.input_tokens or 0
                self.written = usage.cache_creation_input_tokens or 0
                self.read = usage.cache_read_input_tokens or 0
            case "text":
                text = replace_brackets(event.text)
                self.text += text
                return TextDelta(text, self.is_offline) if text else None
            case "content_block_stop":
                _add_block(self.blocks, event.content_block)
                return read_citations(event.content_block)
            case "message_delta":
                self.stop_reason = event.delta.stop_reason
                self.output = event.usage.output_tokens or 0
        return None

    @property
    def usage(self) -> Usage:
        """What it cost so far; the output of an answer without an end is estimated from its text."""
        output = self.output or estimate(self.text)
        cost = self.model.cost(fresh=self.fresh, written=self.written, read=self.read, output=output)
        return Usage(input=self.fresh + self.written, output=output, cached=self.read, cost=cost)

    @property
    def is_offline(self) -> bool:
        return self.model is models_catalogue.OFFLINE

    @property
    def outcome(self) -> Outcome:
        return Outcome.INTERRUPTED if self.stop_reason is None else Outcome.OK

    def reply(self) -> Reply:
        """Of an answer that was cut off, the tool call that may be half is left out."""
        whole = self.blocks
        if self.stop_reason is None:
            whole = [{"type": "text", "text": self.text}] if self.text else []
        elif self.stop_reason == "max_tokens" and whole and whole[-1]["type"] == "tool_use":
            whole = whole[:-1]
        tools = tuple(ToolUse(b["id"], b["name"], b["input"]) for b in whole if b["type"] == "tool_use")
        return Reply(
            text=self.text,
            tool_uses=tools,
            stop_reason=self.stop_reason,
            usage=self.usage,
            model=self.model.name,
            offline=self.is_offline,
            content=whole,
        )


def _add_block(blocks: Blocks, block: Any) -> None:
    """A block of an answer in the form in which it is sent back. The API refuses blank texts, and cuts a text that it
    cites into many: they are one again.
    """
    if block.type == "text" and blocks and blocks[-1]["type"] == "text":
        blocks[-1]["text"] += block.text
    elif block.type == "text":
        blocks += [{"type": "text", "text": block.text}] if block.text.strip() else []
    elif block.type == "tool_use":
        asked = block.input if isinstance(block.input, dict) else {}
        blocks.append({"type": "tool_use", "id": block.id, "name": block.name, "input": asked})
    else:
        blocks.append(block.model_dump(mode="json", exclude_none=True))
