"""Whether a model can be used: it is asked to add two numbers with a tool, as chat and labels ask it."""

import time
from dataclasses import dataclass

from django.utils.translation import gettext

from llm import client
from llm.endpoints import Endpoint
from llm.errors import ModelError, ModelInterrupted
from llm.messages import Call

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


@dataclass(frozen=True)
class CheckResult:
    """What came of asking one model. problem: a sentence, "" where all is well."""

    model: str
    seconds: float
    problem: str = ""


def check_endpoint(workspace: int, principal: int, endpoint: Endpoint) -> list[CheckResult]:
    """One result for each model; after the first that does not work, no other is asked. No scope may be open."""
    results: list[CheckResult] = []
    for tier, model in endpoint.list_models():
        started = time.monotonic()
        problem = _ask_model(Call(workspace, principal, "test", tier), endpoint)  # type: ignore[arg-type]
        results.append(CheckResult(model, time.monotonic() - started, problem))
        if problem:
            break
    return results


def _ask_model(call: Call, endpoint: Endpoint) -> str:
    try:
        reply = client.complete(
            call,
            system="You are being tested. Do exactly what you are asked.",
            messages=[{"role": "user", "content": QUESTION}],
            tools=[ADD],
            tool_choice={"type": "any"},
            max_tokens=300,
            endpoint=endpoint,
        )
    except ModelInterrupted:
        if endpoint.api == "openai":
            return gettext("It does not answer as OpenAI’s Chat Completions API does, or its answer broke off.")
        return gettext("It does not answer as Anthropic’s Messages API does, or its answer broke off.")
    except ModelError as problem:
        return str(problem)
    used = next((tool.input for tool in reply.tool_uses if tool.name == "add"), None)
    if used is None:
        return gettext("It answered, but did not use the tool that it was asked to use. Answers and labels need that.")
    if (used.get("a"), used.get("b")) not in ((19, 23), (23, 19)):
        return "It used a tool, but with other figures than it was given. Answers and labels need better."
    return ""
