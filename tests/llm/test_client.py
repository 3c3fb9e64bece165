"""The real SDK through each of its transports: network, offline engine, scripted model."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from llm import client, prompts, scripted, wire
from llm.client import CalledInsideScope, ModelInterrupted, ModelUnavailable
from llm.messages import ToolUse
from llm.models import ModelCall
from tests.llm.provider import Provider, serve_provider

ASK = {"system": "You help.", "messages": [{"role": "user", "content": "How high is the cap?"}]}
SEARCH = {"name": "search_knowledge", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture
def script() -> Iterator[scripted.Script]:
    with scripted.use_scripted_model() as made:
        yield made


@pytest.fixture
def provider(settings: Any) -> Iterator[type[Provider]]:
    with serve_provider() as settings.ANTHROPIC_BASE_URL:
        yield Provider


def test_a_configured_provider_is_called_over_the_network(provider, call, streamed):
    tool = ToolUse("t1", "search_knowledge", {"query": "cap"})
    provider.answers = [
        wire.Answer(deltas=("Two ", "million [1]."), input_tokens=10, output_tokens=5),
        wire.Answer(deltas=("Let me see.",), tools=(tool,), input_tokens=10, output_tokens=5),
    ]
    assert not client.is_offline()
    deltas, reply = streamed(call, **ASK)
    assert deltas == ["Two ", "million [1]."]
    assert (reply.text, reply.stop_reason, reply.offline) == ("Two million [1].", "end_turn", False)
    second = client.complete(call, **ASK, tools=[SEARCH])
    assert second.tool_uses == (tool,)
    assert second.stop_reason == "tool_use"
    assert second.content == [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "search_knowledge", "input": {"query": "cap"}},
    ]
    assert [seen["path"] for seen in provider.seen] == ["/v1/messages"] * 2
    assert provider.seen[0]["model"] == "claude-haiku-5-5"


def test_a_passing_failure_of_the_provider_is_tried_again(provider, call):
    provider.answers = [503, wire.Answer(deltas=("Yes.",), input_tokens=1, output_tokens=1)]
    assert client.complete(call, **ASK).text == "Yes."
    assert len(provider.seen) == 2


def test_a_connection_that_cannot_be_made_is_retryable(settings, monkeypatch, call):
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    monkeypatch.setattr("llm.transport.RETRIES", 0)
    with pytest.raises(ModelUnavailable) as caught:
        client.complete(call, **ASK)
    assert caught.value.retryable


def test_an_offline_call_reaches_nobody_whatever_the_transport(provider, call, settings, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", settings.ANTHROPIC_BASE_URL)  # which the SDK would take by itself
    for settings.MODEL_TRANSPORT in ("auto", "real", "offline"):
        assert client.complete(replace(call, is_offline=True), **ASK).offline
    assert provider.seen == []
    settings.MODEL_TRANSPORT = "real"
    provider.answers = [wire.Answer(deltas=("Yes.",), input_tokens=1, output_tokens=1)]
    assert client.complete(call, **ASK).text == "Yes."


def test_without_a_key_the_offline_engine_answers_and_says_so(call, streamed):
    assert client.is_offline()
    assert client.get_model_name("deep") == "offline-extractive"
    reply = client.complete(call, **ASK)
    assert reply.offline
    assert reply.text == prompts.NOT_FOUND
    deltas, last = streamed(call, **ASK)
    assert "".join(deltas) == last.text
    assert last.offline


def test_the_offline_engine_uses_tools_through_the_sdk(call):
    prompt = prompts.classify_window([prompts.Level(0, "Public"), prompts.Level(5, "Financial")], ["It costs €40,000."])
    reply = client.complete(call, **prompt.request)
    assert reply.stop_reason == "tool_use"
    assert reply.tool_uses[0].input["paragraphs"][0]["labels"] == [5]


def test_a_script_answers_in_order_and_records_requests(script, call, streamed):
    script.push(chunks=["See ", "[", "1", "]."])
    script.push(tool_use=("search_knowledge", {"query": "cap"}))
    deltas, reply = streamed(call, **ASK)
    assert deltas == ["See ", "[", "1", "]."]
    assert reply.content == [{"type": "text", "text": "See [1]."}]
    assert client.complete(call, **ASK, tools=[SEARCH]).tool_uses[0].input == {"query": "cap"}
    assert "How high is the cap?" in script.requests[0].text
    assert script.requests[1].tools == ["search_knowledge"]
    assert script.left == 0


def test_bracketed_numbers_of_the_source_come_back_legible_and_are_no_citations(script, call, streamed):
    script.push(chunks=["one hundred eighty ⟦1", "80⟧", " days [4]"])
    _, reply = streamed(call, **ASK)
    assert reply.text == "one hundred eighty (180) days [4]"


def test_a_script_may_wait_for_a_certain_request(script, call):
    script.push(text="for pulses", when=lambda request: "<record" in request.text)
    script.push(text="for others")
    assert client.complete(call, **ASK).text == "for others"
    assert script.left == 1


def test_a_script_without_an_answer_fails_or_goes_offline(script, call):
    with pytest.raises(ModelUnavailable) as caught:
        client.complete(call, **ASK)
    assert not caught.value.retryable
    with scripted.use_scripted_model(otherwise_offline=True):
        assert client.complete(call, **ASK).text == prompts.NOT_FOUND


def test_a_truncated_stream_ends_in_an_interrupted_reply(script, call, streamed):
    script.push(chunks=["Two ", "mil"], truncate=True)
    deltas, reply = streamed(call, **ASK)
    assert deltas == ["Two ", "mil"]
    assert (reply.text, reply.stop_reason) == ("Two mil", None)


def test_a_truncated_tool_call_is_never_handed_over(script, call, streamed):
    script.push(text="I will delete it.", tool_use=("delete", {"id": 1}), truncate=True)
    _, reply = streamed(call, **ASK, tools=[SEARCH])
    assert reply.tool_uses == ()
    assert reply.content == [{"type": "text", "text": "I will delete it."}]


def test_a_tool_call_cut_off_by_the_token_limit_is_left_out(script, call):
    script.push(text="So:", tool_use=("search_knowledge", {"query": "ca"}), stop_reason="max_tokens")
    reply = client.complete(call, **ASK, tools=[SEARCH])
    assert reply.tool_uses == ()
    assert reply.stop_reason == "max_tokens"


def test_a_worker_gets_no_half_answer(script, call):
    script.push(text="Two mil", truncate=True)
    with pytest.raises(ModelInterrupted):
        client.complete(call, **ASK)


@pytest.mark.parametrize(("status", "retryable"), [(529, True), (429, True), (500, True), (400, False), (401, False)])
def test_errors_say_whether_trying_again_makes_sense(script, call, streamed, status, retryable):
    script.push(error=status)
    script.push(error=status)
    with pytest.raises(ModelUnavailable) as caught:
        client.complete(call, **ASK)
    assert (caught.value.retryable, caught.value.status) == (retryable, status)
    with pytest.raises(ModelUnavailable):
        streamed(call, **ASK)


def test_an_error_in_mid_stream_comes_after_the_text(script, call):
    script.push(chunks=["Two ", "million"], error="overloaded_error")
    deltas = []

    async def read() -> None:
        async for item in client.stream(call, **ASK):
            deltas.append(item.text)

    with pytest.raises(ModelUnavailable) as caught:
        async_to_sync(read)()
    assert deltas == ["Two ", "million"]
    assert caught.value.retryable


def test_leaving_a_stream_stops_it(script, call):
    script.push(chunks=["One ", "two ", "three"], hold=threading.Event())

    async def read_one() -> str:
        items = client.stream(call, **ASK)
        first = await anext(items)
        await items.aclose()
        return first.text

    assert async_to_sync(read_one)() == "One "


def test_no_model_is_called_with_a_scope_open(script, call, alice, service, opened):
    script.push(text="never")
    with opened(service), pytest.raises(CalledInsideScope):
        client.complete(call, **ASK)
    assert script.left == 1
    with opened(service):
        assert not ModelCall.objects.exists()


@pytest.mark.parametrize(("tier", "choice"), [("fast", "tool"), ("standard", "auto"), ("deep", "auto")])
def test_models_that_refuse_a_forced_tool_are_asked_instead(script, call, tier, choice):
    script.push(text="ok")
    forced = {"type": "tool", "name": "search_knowledge"}
    client.complete(client.Call(call.workspace, 0, "classify", tier), **ASK, tools=[SEARCH], tool_choice=forced)
    assert script.requests[0].body["tool_choice"]["type"] == choice


def test_only_the_client_and_its_transport_know_the_sdk():
    import ast
    from pathlib import Path

    importers = set()
    for path in Path("llm").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "anthropic" for name in names):
                importers.add(path.name)
    assert importers == {"client.py", "transport.py"}
