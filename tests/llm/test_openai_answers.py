"""Answers of a server that speaks OpenAI's API, its streams and its failures: as if Anthropic's API had answered."""

import json
from decimal import Decimal

import pytest

from llm import client
from llm.client import ModelInterrupted, ModelUnavailable
from llm.messages import ToolUse
from llm.models import ModelCall
from tests.llm.completions import Raw, calls, chunk, delta, fragment, refuses, says, stream, whole

pytestmark = pytest.mark.django_db
ASK = {"system": "You help.", "messages": [{"role": "user", "content": "How high is the cap?"}]}
SEARCH = {"name": "search", "description": "Search.", "input_schema": {"type": "object", "properties": {}}}
CAP = ToolUse("call_1", "search", {"query": "cap"})


def test_text_streams_as_it_comes_and_its_tokens_are_counted(openai, call, streamed, service):
    assert not client.is_offline()
    openai.answers = [says("Two ", "million [1].")]
    deltas, reply = streamed(call, **ASK)
    assert deltas == ["Two ", "million [1]."]
    assert (reply.text, reply.stop_reason, reply.model, reply.offline) == (
        "Two million [1].",
        "end_turn",
        "gpt-x",
        False,
    )
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (60, 40, 20)
    with service.open():
        row = ModelCall.objects.get()
        assert (row.tokens_in, row.tokens_cached, row.tokens_out, row.outcome) == (60, 40, 20, "ok")
        assert row.cost == Decimal("0.000104")


def test_what_no_server_counts_is_estimated(openai, call):
    openai.answers = [stream(delta(content="Two million."), delta("stop"), usage=None)]
    usage = client.complete(call, **ASK).usage
    assert (usage.output, usage.input > 10) == (3, True)
    openai.answers = [
        stream(delta(content="Two million."), delta("stop"), usage={"prompt_tokens": -5, "completion_tokens": 10**30})
    ]
    usage = client.complete(call, **ASK).usage
    assert (usage.output, usage.input, usage.cached) == (10**9, 0, 0)


def test_tool_calls_are_put_together_from_their_fragments(subtests, openai, call, streamed):
    half = fragment(0, '{"query": "c', name="search", id="call_1")
    second = ToolUse("call_2", "search", {})
    cases = {
        "in order": ([delta(content="Let me see."), delta(tool_calls=[half])], '{"a": ', [CAP]),
        "mixed": ([delta(tool_calls=[half, fragment(1, "", name="search", id="call_2")])], "", [CAP, second]),
    }
    for case, (chunks, _, expected) in cases.items():
        with subtests.test(case=case):
            openai.answers = [stream(*chunks, delta(tool_calls=[fragment(0, 'ap"}')]), delta("tool_calls"))]
            _, reply = streamed(call, **ASK, tools=[SEARCH])
            assert (list(reply.tool_uses), reply.stop_reason) == (expected, "tool_use")
    assert reply.content == [
        {"type": "tool_use", "id": use.id, "name": use.name, "input": use.input} for use in (CAP, second)
    ]


def test_servers_that_number_calls_in_their_own_way_are_understood(subtests, openai, call):
    one = fragment(0, '{"query": "cap"}', name="search", id="call_1")
    other = fragment(0, '{"query": "lid"}', name="search", id="call_2")
    bare = [{name: value for name, value in made.items() if name != "index"} for made in (one, other)]
    object_ = {"function": {"name": "search", "arguments": {"query": "cap"}}, "id": "call_1"}
    both = [CAP, ToolUse("call_2", "search", {"query": "lid"})]
    for case, chunks, expected in [
        ("one index for all", [delta(tool_calls=[one]), delta(tool_calls=[other])], both),
        ("no index", [delta(tool_calls=[bare[0]]), delta(tool_calls=[bare[1]])], both),
        ("all at once", [delta(tool_calls=bare)], both),
        ("a new id in every fragment", [delta(tool_calls=[one | {"function": {"name": "search", "arguments": ""}}]),
            delta(tool_calls=[fragment(0, '{"query": "cap"}', id="call_9")])], [CAP]),
        ("the name in every fragment", [delta(tool_calls=[fragment(0, '{"query": ', name="search", id="call_1")]),
            delta(tool_calls=[fragment(0, '"cap"}', name="search")])], [CAP]),
        ("name and id in every fragment", [delta(tool_calls=[fragment(0, part, name="search", id="call_1")])
            for part in ('{"query": ', '"cap"}')], [CAP]),
        ("an object", [delta(tool_calls=[object_])], [CAP]),
        ("stop behind a call", [delta("stop", tool_calls=[one])], [CAP]),
    ]:  # fmt: skip
        with subtests.test(case=case):
            openai.answers = [stream(*chunks, *([] if case.startswith("stop") else [delta("tool_calls")]))]
            reply = client.complete(call, **ASK, tools=[SEARCH])
            assert (list(reply.tool_uses), reply.stop_reason) == (expected, "tool_use")


def test_why_an_answer_ended_is_passed_on(subtests, openai, call):
    for theirs, ours in [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
    ]:
        with subtests.test(theirs=theirs):
            openai.answers = [says("Two", finish=theirs)]
            assert client.complete(call, **ASK).stop_reason == ours
    for unknown in ("who_knows", "function_call"):  # the older form of a call, which is not read
        openai.answers = [says("Two", finish=unknown)]
        with pytest.raises(ModelUnavailable, match="in the middle"):
            client.complete(call, **ASK)


def test_a_call_that_the_limit_of_tokens_cuts_off_is_left_out_and_no_other(openai, call):
    first = delta(tool_calls=[fragment(0, '{"query": "cap"}', name="search", id="call_1")])
    half = delta(tool_calls=[fragment(1, '{"query": "li', name="search", id="call_2")])
    openai.answers = [stream(first, half, delta("length"))]
    reply = client.complete(call, **ASK, tools=[SEARCH])
    assert (list(reply.tool_uses), reply.stop_reason) == ([CAP], "max_tokens")


def test_comments_thoughts_and_chunks_without_a_choice_are_passed_over(openai, call, streamed):
    openai.answers = [
        Raw(
            [
                b": OPENROUTER PROCESSING\r\n\r\n",
                chunk(choices=[], prompt_filter_results=[]),
                delta(reasoning_content="The user wants the cap, which is secret.", reasoning="So do I."),
                b"event: message\ndata:" + delta(content="Tw")[5:9],
                delta(content="Tw")[9:] + delta(content="o.").replace(b"\n\n", b"\r\n\r\n"),
                delta("stop", content=None),
                b"data: [DONE]",  # without an end of the line
            ]
        )
    ]
    deltas, reply = streamed(call, **ASK)
    assert (deltas, reply.text, reply.stop_reason) == (["Tw", "o."], "Two.", "end_turn")


def test_a_whole_answer_to_a_request_for_a_stream_is_taken_too(openai, call):
    made = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"query": "cap"}'}}
    message = {"role": "assistant", "content": "Let me see.", "tool_calls": [made]}
    openai.answers = [whole(id="c", model="gpt-x", choices=[{"message": message, "finish_reason": "tool_calls"}])]
    reply = client.complete(call, **ASK, tools=[SEARCH])
    assert (reply.text, list(reply.tool_uses), reply.stop_reason) == ("Let me see.", [CAP], "tool_use")
    openai.answers = [whole(id="c", model="gpt-x", choices=[{"message": message}])]
    with pytest.raises(ModelInterrupted):
        client.complete(call, **ASK, tools=[SEARCH])


def test_a_stream_that_breaks_off_is_broken_off_and_one_without_its_last_line_is_not(subtests, openai, call, streamed):
    ended = [delta(content="Two "), delta("stop")]
    for case, raw, stop_reason in [
        ("cut in the middle", stream(delta(content="Two "), done=False, usage=None), None),
        ("cut in a line", Raw([delta(content="Two "), delta("stop")[:40]]), None),
        ("done, but not ended", stream(delta(content="Two ")), None),
        ("shorter than announced", Raw([*ended], headers={"content-length": "99999"}), None),
        ("ended, but not done", stream(*ended, done=False), "end_turn"),
    ]:
        with subtests.test(case=case):
            openai.answers = [raw, raw]
            deltas, reply = streamed(call, **ASK)
            assert (deltas, reply.text, reply.stop_reason, reply.tool_uses) == (["Two "], "Two ", stop_reason, ())
            if stop_reason is None:
                with pytest.raises(ModelInterrupted):
                    client.complete(call, **ASK)


def test_an_error_in_the_middle_of_a_stream_is_an_error(subtests, openai, call, streamed):
    for error, retryable in [
        ({"error": {"message": "Overloaded", "type": "server_error", "code": 503}}, True),
        ({"error": {"message": "Slow down", "type": "rate_limit_exceeded"}}, True),
        ({"error": "the runner has died"}, True),
        ({"object": "error", "message": "the runner has died"}, True),
        ({"error": {"message": "Too long", "type": "invalid_request_error", "code": "context_length_exceeded"}}, False),
    ]:
        with subtests.test(error=error):
            openai.answers = [Raw([delta(content="Two "), f"data: {json.dumps(error)}\n\n".encode(), delta("stop")])]
            with pytest.raises(ModelUnavailable, match="in the middle") as caught:
                streamed(call, **ASK)
            assert caught.value.retryable == retryable


def test_broken_tool_calls_are_broken_answers_and_never_calls(subtests, openai, call, streamed):
    for arguments in ('{"query": "cap"', '["cap"]', '{"query": NaN}', "null", "{" * 5, '{"a":' * 50_000):
        with subtests.test(arguments=arguments[:20]):
            openai.answers = [calls("search", arguments)] * 2
            with pytest.raises(ModelUnavailable) as caught:
                streamed(call, **ASK, tools=[SEARCH])
            assert caught.value.retryable
            with pytest.raises(ModelUnavailable):
                client.complete(call, **ASK, tools=[SEARCH])
    for wrong in ({"index": 0}, "search", {"index": 0, "function": {"arguments": "{}"}}, None):
        with subtests.test(wrong=wrong):
            openai.answers = [stream(delta(tool_calls=[wrong]), delta("tool_calls"))]
            with pytest.raises(ModelUnavailable):
                client.complete(call, **ASK, tools=[SEARCH])
    openai.answers = [calls("search", "")]  # a tool without parameters
    assert client.complete(call, **ASK, tools=[SEARCH]).tool_uses[0].input == {}


def test_what_is_no_answer_of_this_api_is_an_error(subtests, openai, call, monkeypatch):
    monkeypatch.setattr("llm.transport.RETRIES", 0)
    html = b"<html>Welcome</html>"
    for case, raw, problem in [
        ("a page", Raw([html], kind="text/html"), ModelInterrupted),
        ("a page as a stream", Raw([html]), ModelInterrupted),
        ("nothing", Raw([]), ModelInterrupted),
        ("no JSON in a line", Raw([b"data: <html>\n\n"]), ModelUnavailable),
        ("a list in a line", Raw([b"data: []\n\n"]), ModelUnavailable),
        ("brackets", Raw([b"data: " + b"[" * 100_000 + b"\n\n"]), ModelUnavailable),
        ("choices that are none", Raw([chunk(choices={"a": 1})]), ModelUnavailable),
        ("a choice that is none", Raw([chunk(choices=["Two"])]), ModelUnavailable),
        ("a text that is none", Raw([delta(content=["Two"])]), ModelUnavailable),
        ("no choices", whole(id="c"), ModelInterrupted),
        ("no JSON", Raw([html], kind="application/json"), ModelUnavailable),
        ("an error with 200", whole(error={"message": "no such model", "code": 404}), ModelUnavailable),
    ]:
        with subtests.test(case=case):
            openai.answers = [raw]
            with pytest.raises(problem):
                client.complete(call, **ASK)
    openai.answers = [stream(delta(content="\ud800Two"), delta("stop"))]  # half a character
    assert client.complete(call, **ASK).text == "?Two"


def test_an_endless_answer_or_line_is_not_read_to_its_end(subtests, openai, call, streamed, monkeypatch):
    monkeypatch.setattr("llm.transport.RETRIES", 0)
    for case, piece, kind in [
        ("a line", b"x" * 65_536, "text/event-stream"),
        ("comments", (b":" * 1_023 + b"\n") * 64, "text/event-stream"),
        ("a body", b" " * 65_536, "application/json"),
    ]:
        with subtests.test(case=case):
            sent = []
            endless = (sent.append(1) or piece for _ in range(10_000))
            openai.answers = [Raw([delta(content="Two")] if kind != "application/json" else [], kind=kind)]
            openai.answers[0].pieces = (p for pieces in (openai.answers[0].pieces, endless) for p in pieces)
            with pytest.raises((ModelUnavailable, ModelInterrupted)):
                client.complete(call, **ASK)
            assert len(sent) < (200 if case == "a line" else 2_000)
    openai.answers = [stream(delta(content="x" * 900_000), delta("stop"))]
    assert len(client.complete(call, **ASK).text) == 900_000


def test_a_refusal_keeps_its_status_and_when_to_try_again(subtests, openai, call, streamed):
    openai.answers = [refuses(429, "slow down", **{"retry-after-ms": "1"}), says("Yes.")]
    assert client.complete(call, **ASK).text == "Yes."
    openai.answers = [refuses(503, "busy", **{"retry-after-ms": "1"}), says("Yes.")]
    assert streamed(call, **ASK)[1].text == "Yes."
    for status, sentence in [(401, "refused the API key"), (404, "does not know this model"), (307, "not available")]:
        with subtests.test(status=status):
            asked = len(openai.seen)
            openai.answers = [refuses(status, "no", location=f"{openai.url}/elsewhere")]
            with pytest.raises(ModelUnavailable, match=sentence) as caught:
                client.complete(call, **ASK)
            assert (caught.value.status, caught.value.retryable) == (status, False)
            assert len(openai.seen) == asked + 1
