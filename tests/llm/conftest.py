"""A call in the workspace of the test's cast, and a way to run a stream to its end."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from entities.models import Workspace
from llm import client
from llm.client import Call, Reply, TextDelta


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
