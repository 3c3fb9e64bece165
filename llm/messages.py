"""What goes into and comes out of a call to a model."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from llm.models_catalogue import Tier


@dataclass(frozen=True)
class Call:
    """Who calls for what: the key of metering and budgets.

    principal: user id, -role id, or 0 for the service (as `Scope.principal`). feature: "classify", "pulse", "chat" …
    is_offline: the caller found a moment ago that the workspace has no model (`client.is_offline`), which need not be
    looked up again.
    """

    workspace: int
    principal: int
    feature: str
    tier: Tier
    is_offline: bool = False


@dataclass(frozen=True)
class Usage:
    """Tokens and USD. input: tokens not read from the prompt cache; cached: tokens read from it."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True)
class ToolUse:
    """A whole tool call of the model; `input` is what it asked for, unchecked."""

    id: str
    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class TextDelta:
    """The next piece of streamed text. offline: by the quoting engine."""

    text: str
    offline: bool = False


@dataclass(frozen=True)
class BlockCitations:
    """What the text since the last block of the answer cites: (search result, its first text block, the one after its
    last), each counted from 0 over the whole request, unchecked.
    """

    places: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Reply:
    """An answer.

    stop_reason: None when it broke off; then `tool_uses` is empty and `content` holds text only. content: blocks to
    append to `messages` as the assistant's turn, unchanged. offline: the offline engine answered.
    """

    text: str
    tool_uses: tuple[ToolUse, ...]
    stop_reason: str | None
    usage: Usage
    model: str
    offline: bool
    content: list[dict[str, Any]] = field(default_factory=list)
