"""The page on which a workspace is connected to a model: tested before it is saved, for this workspace alone."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection

from entities.access import Scope
from entities.models import AuditEntry, Role
from llm import client, transport, wire
from llm.endpoints import Endpoint, get_endpoint
from llm.messages import ToolUse
from llm.models import Budget, EndpointTest, ModelCall, WorkspaceEndpoint
from tests.conftest import Person
from tests.llm.provider import LABELLED, LABELS, TALKS, TESTED, USES_TOOL, Provider, serve_provider
from tests.llm.trials import finish_test, run_last_test

pytestmark = pytest.mark.django_db
KEY = "sk-test-0123456789"
HALF = b'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "type": "message"}}\n\n'


@pytest.fixture
def address() -> Iterator[str]:
    with serve_provider() as url:
        yield url


def connect(who: Person, address: str, **changes: str) -> Any:
    """The page when the test has ended, or why there was none."""
    wanted = {
        "kind": "server",
        "api": "anthropic",
        "base_url": f"{address}/v1/",
        "model": "local-7b",
        "key": KEY,
    } | changes
    prefix = "server" if wanted["kind"] == "server" else "anthropic"
    fields = {name if name == "kind" else f"{prefix}-{name}": value for name, value in wanted.items()}
    page = who.client.post(f"{who.base}model/", fields)
    return finish_test(who) if page.status_code == 302 else page


def test_a_server_that_uses_tools_is_saved_and_answers_from_then_on(
    alice: Person, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert "Connect a model</a>" in alice.client.get(alice.base).content.decode()
    Provider.answers = [*TESTED]
    page = connect(alice, address)
    assert page.status_code == 200
    text = page.content.decode()
    assert "<strong>local-7b</strong>: answered in" in text
    assert f"local-7b at {address}." in text
    assert (Provider.seen[0]["path"], Provider.seen[0]["key"], Provider.seen[0]["model"]) == (
        "/v1/messages",
        f"Bearer {KEY}",
        "local-7b",
    )
    Provider.answers = [TALKS]
    call = client.Call(alice.scope.workspace, alice.user.pk, "chat", "deep")
    assert client.complete(call, system="", messages=[{"role": "user", "content": "Hello"}]).text == "It is 42."
    assert Provider.seen[4]["key"] == f"Bearer {KEY}"
    shown = [alice.client.get(f"{alice.base}{path}").content.decode() for path in ("model/", "")]
    assert "Offline engine" not in shown[1]
    with alice.scope.open():
        row = WorkspaceEndpoint.objects.get()
        entry = AuditEntry.objects.get(action="model.connected")
        calls = ModelCall.objects.order_by("pk").values_list("feature", "cost")
        assert list(calls) == [("test", 0)] * 4 + [("chat", 0)]
    for written in (text, *shown, row.sealed_key, str(entry.detail), caplog.text, repr(get_endpoint(row.workspace_id))):
        assert KEY not in written


def test_what_does_not_work_is_not_saved_and_the_page_says_why(
    subtests: pytest.Subtests, alice: Person, address: str
) -> None:
    two = wire.Answer(tools=(ToolUse("t", "add", {"a": 1, "b": 2}),))
    wrong: list[tuple[list[Any], str]] = [
        ([401], "refused the API key"),
        ([404], "does not know this model"),
        ([wire.Answer(deltas=(" ",))], "Its answer was empty."),
        ([TALKS, TALKS], "does not use the tool"),
        ([TALKS, 400], "its server gives it no tools"),
        ([TALKS, two], "other figures"),
        ([TALKS, 401], "refused the API key"),
        ([TALKS, 502], "The model is not available."),
        ([TALKS, 413], "too large"),
        ([TALKS, USES_TOOL, 503], "The model is not available."),  # nothing is known of its labels
        ([TALKS, USES_TOOL, LABELS, 429], "limiting our rate"),
        ([307], "The model is not available."),
        ([b"<html>Welcome</html>"], "does not answer as Anthropic’s Messages API does"),
        ([HALF], "does not answer as Anthropic’s Messages API does"),
    ]
    for answers, sentence in wrong:
        with subtests.test(answers=answers, sentence=sentence):
            Provider.answers, Provider.seen = [*answers], []
            text = connect(alice, address).content.decode()
            assert len(Provider.seen) == len(answers)
            assert sentence in text
            assert "Nothing was saved." in text
            assert f'value="{address}"' in text  # what was typed is there still, but for the key
            assert KEY not in text
            with alice.scope.open():
                assert not WorkspaceEndpoint.objects.exists()
                assert not EndpointTest.objects.get().sealed_key
                assert client.is_offline()


def test_who_refuses_a_tool_that_has_to_be_used_is_asked_for_json(alice: Person, address: str) -> None:
    in_json = wire.Answer(deltas=(json.dumps(LABELLED),), input_tokens=9, output_tokens=9)
    for refusal in (400, wire.Answer(deltas=("Here",), error="api_error")):
        Provider.answers = [TALKS, USES_TOOL, refusal, in_json]
        assert "Labels are asked for as JSON." in connect(alice, address).content.decode()
        assert get_endpoint(alice.scope.workspace).labels == "json"


def test_a_test_ends_in_time_also_where_a_server_only_ever_pings(
    alice: Person, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pings = b'event: ping\ndata: {"type": "ping"}\n\n' * 100
    Provider.answers = [pings]
    assert "or its answer broke off" in connect(alice, address).content.decode()
    monkeypatch.setattr("llm.transport.TEST_SECONDS", 0)
    Provider.answers = [pings]
    assert "could not be reached" in connect(alice, address).content.decode()


def test_nothing_is_asked_of_what_cannot_be_right(subtests: pytest.Subtests, alice: Person, address: str) -> None:
    for changes, word in [
        ({"kind": "key", "key": "", "model": ""}, "This field is required."),
        ({"kind": "key", "model": "who-knows"}, "price"),
        ({"base_url": ""}, "This field is required."),
        ({"base_url": "file:///etc/passwd"}, "Write an address like"),
        ({"base_url": "http://user:word@host"}, "Write an address like"),
        ({"base_url": "http://:word@host"}, "Write an address like"),
        ({"base_url": "http://host:99999"}, "Write an address like"),
        ({"base_url": "http://☃..com"}, "Write an address like"),
        ({"model": ""}, "This field is required."),
    ]:
        with subtests.test(changes=changes):
            page = connect(alice, address, **changes)
            assert (page.status_code, word in page.content.decode(), Provider.seen) == (422, True, [])


def test_a_connected_model_is_tested_again_and_disconnected(alice: Person, address: str) -> None:
    Provider.answers = [*TESTED, 503]
    connect(alice, address)
    assert alice.client.post(f"{alice.base}model/test/").status_code == 302
    page = finish_test(alice).content.decode()
    assert "The model is not available." in page
    assert get_endpoint(alice.scope.workspace).labels == "tool"  # as it was found before
    alice.client.post(f"{alice.base}model/disconnect/")
    with alice.scope.open():
        assert not WorkspaceEndpoint.objects.exists()
        assert AuditEntry.objects.filter(action="model.disconnected").exists()
        assert client.is_offline()


def test_administrators_alone_connect_models_and_for_their_workspace_alone(
    alice: Person, viewer: Person, steward: Person, outsider: Person, address: str
) -> None:
    for who, status in ((viewer, 403), (steward, 403)):
        assert connect(who, address).status_code == status
        for path in ("model/", "model/test/", "model/test/stop/", "model/local/", "model/disconnect/"):
            assert who.client.post(f"{who.base}{path}").status_code == status
        for path in ("model/", "model/test/state/"):
            assert who.client.get(f"{who.base}{path}").status_code == status
        assert "/model/" not in who.client.get(who.base).content.decode()
    assert outsider.client.post(f"{alice.base}model/").status_code == 404
    assert Provider.seen == []
    Provider.answers = [*TESTED]
    connect(alice, address)
    assert get_endpoint(alice.scope.workspace).base_url == address
    assert get_endpoint(outsider.scope.workspace).is_offline
    with outsider.scope.open():
        assert not WorkspaceEndpoint.objects.exists()


def test_who_runs_the_installation_may_keep_the_choice(alice: Person, address: str, settings: LazySettings) -> None:
    Provider.answers = [*TESTED]
    connect(alice, address)
    settings.WORKSPACE_MODELS = False
    assert connect(alice, address).status_code == 404
    assert "closed this page" in alice.client.get(f"{alice.base}model/").content.decode()
    assert get_endpoint(alice.scope.workspace).is_offline
    assert len(Provider.seen) == 4


def test_a_key_under_another_secret_is_not_used_and_nothing_is_sent(
    alice: Person, address: str, settings: LazySettings
) -> None:
    Provider.answers = [*TESTED]
    connect(alice, address)
    assert get_endpoint(alice.scope.workspace).key == KEY
    settings.SECRET_KEY = "another"
    alice.client.force_login(alice.user)
    settings.MODEL_TRANSPORT = "real"
    assert client.is_offline(alice.scope.workspace)
    call = client.Call(alice.scope.workspace, alice.user.pk, "chat", "deep")
    assert client.complete(call, system="", messages=[{"role": "user", "content": "Hello"}]).offline
    assert len(Provider.seen) == 4
    assert "can no longer read it" in alice.client.get(f"{alice.base}model/").content.decode()


def test_the_table_is_closed_without_a_scope(alice: Person, address: str) -> None:
    Provider.answers = [*TESTED]
    connect(alice, address)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM llm_workspaceendpoint")
        assert cursor.fetchone() == (0,)


def test_who_administers_no_longer_when_the_test_ends_saves_nothing(
    alice: Person, address: str, service: Scope
) -> None:
    fields = {"api": "anthropic", "base_url": address, "model": "local-7b", "key": KEY}
    alice.client.post(f"{alice.base}model/", {"kind": "server"} | {f"server-{k}": v for k, v in fields.items()})
    with service.open():
        Role.objects.filter(is_admin=True).update(is_admin=False)
    Provider.answers = [*TESTED]
    run_last_test(alice)
    assert len(Provider.seen) == 4
    with service.open():
        assert not WorkspaceEndpoint.objects.exists()
        ended = EndpointTest.objects.get()
    assert (ended.state, ended.sealed_key) == ("failed", "")
    assert "does not administer" in ended.note


def test_a_workspace_without_budget_left_may_connect_a_server_that_costs_nothing(alice: Person, address: str) -> None:
    with alice.scope.open():
        Budget.objects.create(workspace_id=alice.scope.workspace, monthly_cap=0)
    Provider.answers = [*TESTED]
    assert connect(alice, address).status_code == 200
    assert "spent its budget" in connect(alice, address, kind="key", model="").content.decode()


def test_what_the_installation_sends_is_not_sent_for_a_workspace(
    alice: Person, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its headers to the server of a workspace, nor the key of a workspace to its address."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Gateway: secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    Provider.answers = [*TESTED, TALKS]
    connect(alice, address)
    assert "x-gateway" not in Provider.seen[0]["headers"]
    own = transport.build_sync_client(Endpoint("sk-own", own=True))
    assert own.base_url.host == "api.anthropic.com"
    installed = transport.build_sync_client(Endpoint("sk-installed"))
    installed.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hello"}], stream=True)
    assert Provider.seen[4]["headers"]["x-gateway"] == "secret"
