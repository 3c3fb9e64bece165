"""A call in the workspace of the test's cast, and a way to run a stream to its end."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from entities.models import Workspace
from llm import client
from llm.client import Call, Reply, TextDelta
from tests.llm.completions import Completions, serve_completions


@pytest.fixture
def call(workspace: Workspace) -> Call:
    return Call(workspace.pk, 7, "chat", "fast")


def streamed(call: Call, **prompt: Any) -> tuple[list[str], Reply | None]:
    """(text deltas, the reply) of a stream that is read to its end."""

    async def collect() -> tuple[list[str], Reply | None]:
        deltas, reply = [], None
        async for item in client.stream(call, **prompt):
            if isinstance(item, TextDelta):
                deltas.append(item.text)
            elif isinstance(item, Reply):
                reply = item
        return deltas, reply

    return async_to_sync(collect)()


@pytest.fixture(name="streamed")
def streamed_fixture() -> Any:
    return streamed


@pytest.fixture
def openai(settings: Any) -> Iterator[Completions]:
    """The installation's models are at a server that speaks OpenAI's API."""
    settings.MODEL_TIERS = dict.fromkeys(("fast", "standard", "deep"), "gpt-x")
    settings.MODEL_PRICES = {"gpt-x": ["1", "2"]}
    settings.OPENAI_API_KEY = "sk-openai"
    with serve_completions() as made:
        settings.OPENAI_BASE_URL = made.url
        yield made
