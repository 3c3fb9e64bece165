"""What a model can and cannot do: it is asked as chats and labels ask it, one call after the other."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_noop

from llm import client, prompts
from llm.abilities import Abilities
from llm.endpoints import Endpoint
from llm.errors import ModelError, ModelInterrupted, ModelUnavailable
from llm.labels import read_labels
from llm.messages import Call, Reply
from llm.prompts import Level

MOST_TOKENS = 1_500
"""Of an answer. Some models think before they answer, and count that."""
SYSTEM = "You are being tested. Do exactly what you are asked."
COUNT = "Write the numbers from one to ten as words, with commas between them, and nothing else."
ADD = {
    "name": "add",
    "description": "Add two whole numbers.",
    "input_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}
QUESTION = "Use the tool to add 19 and 23. Do not answer yourself."
LEVELS = (
    Level(3, "Personal", "Contact details, health or pay of a named person."),
    Level(5, "Financial", "Prices, budgets and costs."),
)
PARAGRAPHS = (
    "The office is closed on public holidays.",
    "Ana Ruiz can be reached at home: 12 Elm Road, telephone 020 7946 0958, ana.ruiz@example.org.",
)
EXPECTED = ((0, frozenset[int]()), (1, frozenset({3})))
"""The labels that each of the paragraphs has at least."""
ANSWERS_OTHERWISE = {
    "anthropic": gettext_noop("It does not answer as Anthropic’s Messages API does, or its answer broke off."),
    "openai": gettext_noop("It does not answer as OpenAI’s Chat Completions API does, or its answer broke off."),
}
SAYS_NOTHING = gettext_noop("Its answer was empty.")
NO_TOOLS = gettext_noop("It answers, but its server gives it no tools. Answers in conversations need them.")
USES_NONE = gettext_noop(
    "It answers, but does not use the tool that it was asked to use. Answers in conversations need that."
)
OTHER_FIGURES = gettext_noop("It used a tool, but with other figures than it was given. Answers need better.")
ABOUT_TOOLS = (400, 422, 500, 501)
"""Statuses with which a server that has just answered refuses tools. With others, it could be asked another time."""
ABOUT_LABELS = (200, *ABOUT_TOOLS)
"""200: the answer is an error in its middle, as where the call of the tool is broken."""


class CheckStopped(Exception):
    """The test is to go no further. Its message is for people, and empty where somebody has stopped it."""


def check_model(call: Call, endpoint: Endpoint, on_step: Callable[[str], None]) -> Abilities:
    """What the model of the tier of `call` can do. Labels are asked of the tier "fast" alone.

    on_step: hears "answer", "tools", "labels" and "json" before each; what it raises ends the test. No scope may be
    open.
    """
    found = Abilities(endpoint.find_model(call.tier).name)
    try:
        on_step("answer")
        found = _ask_for_text(found, call, endpoint)
        if not found.problem:
            on_step("tools")
            found = _ask_for_tool(found, call, endpoint)
        if not found.problem and call.tier == "fast":
            on_step("labels")
            found = replace(found, forced=_ask_for_labels(call, endpoint))
            on_step("json")
            found = replace(found, json=_ask_for_labels(call, endpoint, as_json=True))
    except ModelInterrupted:
        return replace(found, problem=ANSWERS_OTHERWISE[endpoint.api])
    except ModelError as problem:
        return replace(found, problem=str(problem))
    return found


def _ask_for_text(found: Abilities, call: Call, endpoint: Endpoint) -> Abilities:
    """Raises: ModelError."""
    begun = time.monotonic()
    reply = _ask(call, endpoint, COUNT)
    return replace(found, seconds=time.monotonic() - begun, problem="" if reply.text.strip() else SAYS_NOTHING)


def _ask_for_tool(found: Abilities, call: Call, endpoint: Endpoint) -> Abilities:
    """As a chat offers its tools. Raises: ModelError."""
    try:
        reply = _ask(call, endpoint, QUESTION, tools=[ADD])
    except ModelUnavailable as refused:
        if refused.status not in ABOUT_TOOLS:
            raise
        return replace(found, tools=False, problem=NO_TOOLS)
    used = next((tool.input for tool in reply.tool_uses if tool.name == "add"), None)
    if used is None:
        return replace(found, tools=False, problem=USES_NONE)
    if (used.get("a"), used.get("b")) not in ((19, 23), (23, 19)):
        return replace(found, tools=False, problem=OTHER_FIGURES)
    return replace(found, tools=True)


def _ask(call: Call, endpoint: Endpoint, text: str, tools: Sequence[dict[str, Any]] = ()) -> Reply:
    asked: dict[str, Any] = {
        "system": SYSTEM,
        "messages": [{"role": "user", "content": text}],
        "max_tokens": MOST_TOKENS,
    }
    return client.complete(call, **asked, tools=tools, endpoint=endpoint)


def _ask_for_labels(call: Call, endpoint: Endpoint, *, as_json: bool = False) -> bool:
    """Whether it labels two paragraphs, and none of them lower than anybody would. Raises: ModelError, where nothing is
    known of that."""
    prompt = prompts.classify_window(LEVELS, PARAGRAPHS, as_json=as_json)
    try:
        reply = client.complete(call, **prompt.request, endpoint=endpoint)
    except ModelInterrupted:
        return False
    except ModelUnavailable as refused:
        if refused.status not in ABOUT_LABELS:
            raise
        return False
    values = {level.value for level in LEVELS}
    said = read_labels(reply, count=len(PARAGRAPHS), levels=values, as_json=as_json)
    return not said.missing and all(said.paragraphs[n].atoms >= atoms for n, atoms in EXPECTED)
