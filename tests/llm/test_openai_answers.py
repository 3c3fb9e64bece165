"""A server that speaks OpenAI's API is called as Anthropic's is, and nothing above the transport knows."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from llm import client, transport
from llm.client import ModelUnavailable
from llm.endpoints import get_installation_endpoint
from llm.messages import ToolUse
from llm.models import ModelCall
from tests.llm import completions
from tests.llm.completions import Completions, calls, chunk, delta, fragment, says, stream

pytestmark = pytest.mark.django_db
ASK = {"system": "You help.", "messages": [{"role": "user", "content": "How high is the cap?"}]}
SEARCH = {"name": "search", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture
def server(settings: Any) -> Iterator[Completions]:
    settings.MODEL_TIERS = dict.fromkeys(("fast", "standard", "deep"), "gpt-x")
    settings.MODEL_PRICES = {"gpt-x": ["1", "2"]}
    settings.OPENAI_API_KEY = "sk-openai"
    with completions.serve_completions() as made:
        settings.OPENAI_BASE_URL = made.url
        yield made


def test_text_streams_as_it_comes_and_its_tokens_are_counted(server, call, streamed, workspace, service):
    assert not client.is_offline()
    server.answers = [says("Two ", "million [1].")]
    deltas, reply = streamed(call, **ASK)
    assert deltas == ["Two ", "million [1]."]
    assert (reply.text, reply.stop_reason, reply.model, reply.offline) == ("Two million [1].", "end_turn", "gpt-x", False)
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (60, 40, 20)
    assert server.seen[0]["path"] == "/v1/chat/completions"
    assert server.seen[0]["headers"]["authorization"] == "Bearer sk-openai"
    assert not {name for name in server.seen[0]["headers"] if "anthropic" in name or "stainless" in name}
    with service.open():
        row = ModelCall.objects.get()
        assert (row.tokens_in, row.tokens_cached, row.tokens_out, row.outcome) == (60, 40, 20, "ok")
        assert row.cost == Decimal("0.000104")
