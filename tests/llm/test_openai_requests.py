"""What is sent to a server that speaks OpenAI's API, and what never is."""

import json
import logging
from typing import Any

import pytest

from llm import client, transport, vision
from llm.client import ModelUnavailable
from llm.endpoints import Endpoint, get_installation_endpoint
from llm.models_catalogue import CATALOGUE
from llm.openai.request import REASONING_ROOM
from tests.llm.completions import Completions, Raw, chunk, delta, refuses, says, stream, whole

pytestmark = pytest.mark.django_db
SEARCH = {"name": "search", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}
CACHED = {"cache_control": {"type": "ephemeral"}}
HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "tool", "name": "search"}


def ask(openai: Completions, call: Any, **request: Any) -> dict[str, Any]:
    """The request as the server got it."""
    openai.answers = [says("Yes.")]
    client.complete(call, **({"system": "", "messages": HELLO} | request))
    assert openai.answers == []
    return openai.seen[-1]


def test_a_conversation_with_tools_is_sent_as_messages_in_order(openai, call):
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "The record", **CACHED}, {"type": "text", "text": "Q"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "call_1", "name": "search", "input": {"query": "cap é"}},
                {"type": "tool_use", "id": "call_2", "name": "search", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Go on."},
                {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "[1] Two"}]},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "There is none.", "is_error": True},
            ],
        },
    ]
    system = [{"type": "text", "text": "You help."}, {"type": "text", "text": "Be brief.", **CACHED}]
    sent = ask(openai, call, system=system, messages=turns, tools=[{**SEARCH, **CACHED}], max_tokens=99)
    assert sent["path"] == "/v1/chat/completions"
    assert sent["messages"] == [
        {"role": "system", "content": "You help.\nBe brief."},
        {"role": "user", "content": "The record\nQ"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"query": "cap é"}'},
                },
                {"id": "call_2", "type": "function", "function": {"name": "search", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "[1] Two"},
        {"role": "tool", "tool_call_id": "call_2", "content": "Error: There is none."},
        {"role": "user", "content": "Go on."},
    ]
    function = {"name": "search", "description": "Search.", "parameters": SEARCH["input_schema"]}
    assert sent["tools"] == [{"type": "function", "function": function}]
    assert "cache_control" not in json.dumps(sent)
    rest = {name: value for name, value in sent.items() if name not in ("path", "headers", "messages", "tools")}
    assert rest == {"model": "gpt-x", "max_tokens": 99, "stream": True, "stream_options": {"include_usage": True}}


def test_choices_of_tools_are_translated(subtests, openai, call):
    for ours, theirs in [
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        (TOOL, {"type": "function", "function": {"name": "search"}}),
    ]:
        with subtests.test(ours=ours):
            assert ask(openai, call, tools=[SEARCH], tool_choice=ours)["tool_choice"] == theirs
    assert "tool_choice" not in ask(openai, call, tool_choice={"type": "none"})


def test_pictures_are_sent_as_data(openai, call):
    prompt = vision.read_pictures([b"JPEG"])
    parts = ask(openai, call, **prompt.request)["messages"][1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    assert parts[1]["image_url"]["url"] == "data:image/jpeg;base64,SlBFRw=="


def test_what_has_no_translation_is_refused_before_anything_is_sent(subtests, openai, call, caplog):
    import anthropic

    caplog.set_level(logging.WARNING)
    found = {
        "type": "search_result",
        "source": "[1]",
        "title": "Lease",
        "content": [{"type": "text", "text": "SECRET"}],
    }
    for name, block in [
        ("search_result", found),
        ("search_result", {"type": "tool_result", "tool_use_id": "c", "content": [found]}),
        ("document", {"type": "document", "source": {"type": "text", "data": "SECRET"}}),
        ("image", {"type": "image", "source": {"type": "url", "url": "https://example.com/SECRET"}}),
        ("thinking", {"type": "thinking", "thinking": "SECRET", "signature": ""}),
    ]:
        with subtests.test(name=name, block=block["type"]):
            caplog.clear()
            with pytest.raises(ModelUnavailable, match="refused the request") as caught:
                client.complete(call, system="", messages=[{"role": "user", "content": [block]}])
            assert (caught.value.status, caught.value.retryable) == (400, False)
            assert f"has no block '{name}'" in caplog.text
            assert "SECRET" not in caplog.text
    sdk = transport.build_sync_client(get_installation_endpoint())
    for fields in (
        {"stream": False},
        {"metadata": {"user_id": "u"}},
        {"temperature": 0.5},
        {"stop_sequences": ["END"]},
        {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
    ):
        with subtests.test(fields=fields), pytest.raises(anthropic.BadRequestError):
            sdk.messages.create(model="gpt-x", max_tokens=9, messages=HELLO, extra_body={"stream": True} | fields)
    with pytest.raises(anthropic.BadRequestError):
        sdk.messages.count_tokens(model="gpt-x", messages=HELLO)
    assert openai.seen == []
    openai.answers = [says("Yes.")]
    with sdk.messages.stream(model="gpt-x", max_tokens=9, messages=HELLO, thinking={"type": "disabled"}) as events:
        assert events.get_final_text() == "Yes."
    assert not {"thinking", "metadata"} & openai.seen[0].keys()


def test_a_stream_that_breaks_off_has_no_closing_events(openai):
    sdk = transport.build_sync_client(get_installation_endpoint())
    begun = ["message_start", "content_block_start", "content_block_delta"]
    closed = ["content_block_stop", "message_delta", "message_stop"]
    for finish, expected in ((None, begun), ("stop", begun + closed)):
        openai.answers = [stream(delta(finish, content="Two"))]
        events = sdk.messages.create(model="gpt-x", max_tokens=9, messages=HELLO, stream=True)
        assert [event.type for event in events] == expected


def test_when_to_try_again_is_passed_on(openai):
    import anthropic

    sdk = transport.build_sync_client(get_installation_endpoint()).with_options(max_retries=0)
    openai.answers = [refuses(429, "slow down", **{"retry-after": "7", "x-other": "1"})]
    with pytest.raises(anthropic.RateLimitError, match="The server refused the request.") as caught:
        sdk.messages.create(model="gpt-x", max_tokens=9, messages=HELLO, stream=True)
    assert (caught.value.response.headers["retry-after"], caught.value.type) == ("7", "rate_limit_error")
    assert "x-other" not in caught.value.response.headers


def test_passages_never_go_as_search_results(openai, settings):
    assert not transport.may_send_search_results(get_installation_endpoint())
    there = "https://api.anthropic.com/v1"
    settings.MODEL_TRANSPORT = "real"
    assert not transport.may_send_search_results(Endpoint("key", there, api="openai"))
    assert transport.may_send_search_results(Endpoint("key", there))


def test_fields_that_a_server_refuses_are_sent_in_its_form_and_remembered(subtests, openai, call, streamed):
    needs_other = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    openai.answers = [
        refuses(400, needs_other),
        refuses(422, "body.stream_options: Extra inputs are not permitted"),
        refuses(400, "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"),
        says("Yes."),
    ]
    asked = {"system": "", "messages": HELLO, "tools": [SEARCH], "tool_choice": TOOL, "max_tokens": 99}
    assert client.complete(call, **asked).text == "Yes."
    assert len(openai.seen) == 4
    openai.answers = [says("Yes.")] * 2
    client.complete(call, **asked)
    streamed(call, **asked)
    assert len(openai.seen) == 6
    for sent in openai.seen[3:]:
        assert (sent["max_completion_tokens"], sent["tool_choice"]) == (99 + REASONING_ROOM, "required")
        assert not {"max_tokens", "stream_options"} & sent.keys()


def test_room_to_think_is_added_once(openai, call, settings):
    settings.MODEL_TIERS = settings.MODEL_TIERS | {"fast": "claude-opus-5-5", "deep": "claude-haiku-4-5"}
    for tier, room in (("fast", CATALOGUE["claude-opus-5-5"].headroom), ("deep", REASONING_ROOM)):
        openai.answers = [refuses(400, "use max_completion_tokens"), says("Yes.")]
        asked = client.Call(call.workspace, 7, "chat", tier)
        client.complete(asked, system="", messages=HELLO, max_tokens=99)
        assert room > 0
        assert openai.seen[-1]["max_completion_tokens"] == 99 + room


def test_a_form_is_remembered_once_the_server_has_answered_in_it(subtests, openai, call, settings, monkeypatch):
    monkeypatch.setattr("llm.transport.RETRIES", 0)
    asked_for = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    broken = stream(chunk(error={"message": "no", "type": "invalid_request_error"}), done=False, usage=None)
    for number, (case, answer) in enumerate(
        [("refused", refuses(400, asked_for)), ("an error in the stream", broken), ("no answer", whole(error="no"))]
    ):
        with subtests.test(case=case):
            settings.MODEL_TIERS = settings.MODEL_TIERS | {"fast": f"gpt-{number}"}
            settings.MODEL_PRICES = settings.MODEL_PRICES | {f"gpt-{number}": ["0", "0"]}
            openai.answers = [refuses(400, asked_for), answer]
            with pytest.raises(ModelUnavailable):
                client.complete(call, system="", messages=HELLO)
            assert "max_completion_tokens" in openai.seen[-1]
            assert "max_tokens" in ask(openai, call)
    message = {"message": {"content": "Yes."}, "finish_reason": "stop"}
    for answer in (says("Yes."), whole(id="c", choices=[message])):
        openai.answers = [refuses(400, asked_for), answer]
        client.complete(call, system="", messages=HELLO)
        assert "max_completion_tokens" in ask(openai, call)
        settings.MODEL_TIERS = settings.MODEL_TIERS | {"fast": "gpt-x"}


def test_fields_are_looked_for_in_the_reason_alone(subtests, openai, call):
    quoted = {"input": {"messages": [{"content": "Why is stream_options refused?"}], "stream_options": {}}}
    for case, body in [
        ("details", {"detail": [{"loc": ["body", "messages"], "msg": "Too long", **quoted}]}),
        ("beside the reason", {"error": {"message": "Too long", "param": "messages", **quoted}}),
        ("no JSON", None),
    ]:
        with subtests.test(case=case):
            asked, raw = len(openai.seen), json.dumps(body).encode() if body else b"stream_options"
            openai.answers = [Raw([raw], 422, "application/json")]
            with pytest.raises(ModelUnavailable):
                client.complete(call, system="", messages=HELLO)
            assert len(openai.seen) == asked + 1
    assert "stream_options" in ask(openai, call)
    for number, error in enumerate([{"message": "Unknown field", "param": "stream_options"}, "no stream_options"]):
        with subtests.test(error=error):
            openai.answers = [Raw([json.dumps({"error": error}).encode()], 400, "application/json"), says("Yes.")]
            client.complete(
                call, system="", messages=HELLO, endpoint=Endpoint("", openai.url, f"m{number}", api="openai")
            )
            assert "stream_options" not in openai.seen[-1]


def test_another_refusal_is_not_asked_again(subtests, openai, call, settings):
    other = {**SEARCH, "name": "other"}
    settings.MODEL_TIERS = settings.MODEL_TIERS | {"fast": "gpt-y"}
    settings.MODEL_PRICES = settings.MODEL_PRICES | {"gpt-y": ["0", "0"]}
    for status, message, tools in [
        (400, "max_tokens is too large", [SEARCH]),
        (403, "use max_completion_tokens", [SEARCH]),
        (400, "Invalid tool_choice type", [SEARCH, other]),  # "required" would permit the other
    ]:
        with subtests.test(status=status, message=message):
            asked = len(openai.seen)
            openai.answers = [refuses(status, message)]
            with pytest.raises(ModelUnavailable):
                client.complete(call, system="", messages=HELLO, tools=tools, tool_choice=TOOL)
            assert len(openai.seen) == asked + 1
    openai.answers = [refuses(400, "use max_completion_tokens")] * 3
    with pytest.raises(ModelUnavailable):  # a server that refuses its own form
        client.complete(call, system="", messages=HELLO)
    assert len(openai.answers) == 1
    assert "max_tokens" in ask(openai, client.Call(call.workspace, 7, "chat", "deep"))  # another model of the server


def test_keys_go_in_the_header_of_the_provider_and_nothing_else_goes(subtests, openai, monkeypatch):
    from llm.openai.transport import Server

    for address, header in [
        ("https://x.openai.azure.com/openai/v1", "api-key"),
        ("https://x.OpenAI.azure.com/openai/v1/", "api-key"),
        ("https://openai.azure.com.example.com/v1", "authorization"),
        ("https://x-openai.azure.com/v1", "authorization"),
        ("https://example.com/x.openai.azure.com", "authorization"),
    ]:
        with subtests.test(address=address):
            sent = Server(address, "sk-1").headers
            assert [name for name in sent if "sk-1" in sent[name]] == [header]
            assert sent[header] == ("sk-1" if header == "api-key" else "Bearer sk-1")
            assert Server(address, "sk-1").url == address.rstrip("/") + "/chat/completions"
    assert "sk-1" not in repr(Server("https://example.com", "sk-1"))
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Gateway: secret")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "secret")
    for key, expected in (("sk-own", "Bearer sk-own"), ("", None)):
        openai.answers = [says("Yes.")]
        sdk = transport.build_sync_client(Endpoint(key, openai.url, own=True, api="openai"))
        list(sdk.messages.create(model="gpt-x", max_tokens=9, messages=HELLO, stream=True))
        headers = openai.seen[-1]["headers"]
        assert headers.get("authorization") == expected
        assert "secret" not in str(headers)
        assert not {name for name in headers if "anthropic" in name or "stainless" in name or "key" in name}
