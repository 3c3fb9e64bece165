"""An administrator connects a server that speaks OpenAI's API: tested as it will be used, for this workspace alone."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from entities.models import AuditEntry
from llm import client
from llm.endpoints import Endpoint, get_endpoint, get_installation_endpoint
from llm.model_forms import ServerForm
from llm.models import WorkspaceEndpoint
from tests.conftest import Person
from tests.llm.completions import Completions, Raw, calls, refuses, says, serve_completions, whole
from tests.llm.trials import finish_test, obey

pytestmark = pytest.mark.django_db
KEY = "sk-test-0123456789"
COUNTS = says("one, ", "two")


@pytest.fixture
def server() -> Iterator[Completions]:
    """Of the workspace; the installation has none."""
    with serve_completions() as made:
        made.respond = obey
        yield made


def connect(who: Person, server: Completions, **changes: str) -> Any:
    """The page when the test has ended, or why there was none."""
    wanted = {"api": "openai", "base_url": f"{server.url}/", "model": "gpt-x", "key": KEY} | changes
    fields = {"kind": "server"} | {f"server-{k}": v for k, v in wanted.items()}
    page = who.client.post(f"{who.base}model/", fields)
    return finish_test(who) if page.status_code == 302 else page


def test_a_server_is_tested_saved_and_answers_from_then_on(
    alice: Person, outsider: Person, server: Completions, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    page = connect(alice, server)
    assert page.status_code == 200
    text = page.content.decode()
    assert "<strong>gpt-x</strong>: answered in" in text
    assert f"gpt-x at {server.url}." in text
    assert '<option value="openai" selected>' in text
    asked = server.seen[0]
    assert (asked["path"], asked["headers"]["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (asked["model"], "tools" in asked, asked["max_tokens"]) == ("gpt-x", False, 1_500)
    assert "tool_choice" not in server.seen[1]  # as in a chat
    forced = {"type": "function", "function": {"name": "record_labels"}}
    assert [seen.get("tool_choice") for seen in server.seen[2:]] == [forced, None]  # as labels are asked for
    server.answers = [says("It is 42.")]
    call = client.Call(alice.scope.workspace, alice.user.pk, "chat", "deep")
    assert client.complete(call, system="", messages=[{"role": "user", "content": "Hello"}]).text == "It is 42."
    server.answers = []
    assert alice.client.post(f"{alice.base}model/test/").status_code == 302
    assert "answered in" in finish_test(alice).content.decode()
    with alice.scope.open():
        row = WorkspaceEndpoint.objects.get()
        assert (row.api, row.base_url) == ("openai", server.url)
        entry = AuditEntry.objects.filter(action="model.connected").latest("pk")
    assert entry.detail == {"api": "openai", "address": server.url, "model": "gpt-x", "labels": "tool"}
    for written in (text, row.sealed_key, str(entry.detail), caplog.text, repr(get_endpoint(row.workspace_id))):
        assert KEY not in written
    assert get_endpoint(outsider.scope.workspace).is_offline


def test_what_does_not_work_is_not_saved_and_the_page_says_why(
    subtests: pytest.Subtests, alice: Person, server: Completions
) -> None:
    other = "does not answer as OpenAI’s Chat Completions API does"
    wrong: list[tuple[list[Raw], str]] = [
        ([refuses(401, "no")], "refused the API key"),
        ([refuses(404, "no")], "does not know this model"),
        ([refuses(307, "no", location="/v1/chat/completions")], "The model is not available."),
        ([COUNTS, says("It is 42.")], "does not use the tool"),
        ([COUNTS, refuses(400, "gpt-x does not support tools")], "its server gives it no tools"),
        ([COUNTS, refuses(500, "tools param requires --jinja flag")], "its server gives it no tools"),
        ([COUNTS, calls("add", '{"a": 1, "b": 2}')], "other figures"),
        ([Raw([b"<html>Welcome</html>"], kind="text/html")], other),
        ([whole(status="ok")], other),
    ]
    for answers, sentence in wrong:
        with subtests.test(sentence=sentence):
            server.answers, asked = [*answers], len(server.seen)
            text = connect(alice, server).content.decode()
            assert len(server.seen) == asked + len(answers)
            assert sentence in text
            assert "Nothing was saved." in text
            with alice.scope.open():
                assert not WorkspaceEndpoint.objects.exists()


def test_a_test_ends_in_time_also_where_a_server_only_ever_says_that_it_is_busy(
    alice: Person, server: Completions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("llm.transport.TEST_SECONDS", 0)
    sent: list[bytes] = []
    busy = b": busy\n" * 10_000
    server.answers = [Raw(sent.append(busy) or busy for _ in range(400))]  # type: ignore[func-returns-value]
    page = connect(alice, server)
    assert "could not be reached" in page.content.decode()
    assert len(sent) < 300


def test_addresses_are_taken_as_people_have_them(subtests: pytest.Subtests, alice: Person, server: Completions) -> None:
    for written in (server.url.removesuffix("/v1"), f"{server.url}/", f"{server.url}/chat/completions"):
        with subtests.test(written=written):
            assert connect(alice, server, base_url=written).status_code == 200
            assert get_endpoint(alice.scope.workspace).base_url == server.url
    connect(alice, server, base_url=server.url.removesuffix("v1") + "openai/v2")
    assert server.seen[-1]["path"] == "/openai/v2/chat/completions"
    root = server.url.removesuffix("/v1")
    connect(alice, server, base_url=f"{root}/chat/completions")
    assert server.seen[-1]["path"] == "/chat/completions"
    assert get_endpoint(alice.scope.workspace).base_url == root
    asked = len(server.seen)
    for changes, sentence in [
        ({"base_url": f"http://{'a' * 291}"}, "at most 300 characters (it has 301)"),  # with its /v1
        ({"base_url": f"http://{'a' * 294}"}, "at most 300 characters (it has 301)"),
        ({"api": "other"}, "Select a valid choice."),
        ({"api": ""}, "This field is required."),
        ({"base_url": "http://user:word@host/v1"}, "Write an address like"),
        ({"base_url": "file:///v1"}, "Write an address like"),
    ]:
        with subtests.test(changes=changes):
            page = connect(alice, server, **changes)
            assert (page.status_code, sentence in page.content.decode()) == (422, True)
    assert len(server.seen) == asked
    longest = f"http://{'a' * 290}"
    form = ServerForm({"server-api": "openai", "server-base_url": longest, "server-model": "m"})
    assert form.is_valid()
    assert form.endpoint.base_url == f"{longest}/v1"


def test_the_installation_and_a_workspace_take_nothing_of_each_other(
    alice: Person, server: Completions, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OPENAI_API_KEY = "sk-installed"
    assert get_installation_endpoint().is_offline  # nobody has named a server
    settings.OPENAI_BASE_URL = "https://api.openai.com/v1"
    assert get_installation_endpoint() == Endpoint("sk-installed", "https://api.openai.com/v1", api="openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert connect(alice, server, key="").status_code == 200
    assert "authorization" not in server.seen[0]["headers"]
    alice.client.post(f"{alice.base}model/disconnect/")
    assert get_endpoint(alice.scope.workspace) == get_installation_endpoint()
    settings.ANTHROPIC_API_KEY = "sk-anthropic"  # of both, Anthropic's
    assert get_installation_endpoint() == Endpoint("sk-anthropic")
