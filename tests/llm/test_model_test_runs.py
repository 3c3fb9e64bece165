"""A test of a model has a life of its own: it waits, runs, may be stopped, break off or take too long."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.utils import timezone

from llm import client, endpoint_tests, tasks, transport
from llm.endpoint_tests import run_test
from llm.endpoints import Endpoint
from llm.models import EndpointTest, WorkspaceEndpoint
from tests.conftest import Person
from tests.llm.completions import Completions, serve_completions
from tests.llm.trials import (
    begin,
    connect,
    obey,
    run_last_test,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[Completions]:
    with serve_completions() as made:
        made.respond = obey
        yield made


def test_a_test_waits_runs_and_ends_while_its_administrator_comes_and_goes(alice: Person, server: Completions) -> None:
    begin(alice, server)
    page = alice.client.get(f"{alice.base}model/").content.decode()
    assert "It waits for a worker that is free." in page
    assert "Test and save" not in page
    shown: list[str] = []

    def look(step: str) -> None:
        if step:
            with alice.scope.open():
                EndpointTest.objects.update(step_at=timezone.now() - timedelta(minutes=4))  # a fake clock
        shown.append(alice.client.get(f"{alice.base}model/test/state/").content.decode())

    asked = endpoint_tests.check_model

    def check_and_look(call: client.Call, endpoint: Any, on_step: Callable[[str], None]) -> Any:
        def step_and_look(step: str) -> None:
            on_step(step)
            look(step)

        return asked(call, endpoint, step_and_look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoint_tests, "check_model", check_and_look)
        run_last_test(alice)
    for sentence, at in zip(
        (
            "loaded for a minute or longer",
            "Now it is asked to use a tool.",
            "label two paragraphs with a tool",
            "label two paragraphs in JSON",
            "loaded for a minute or longer",
            "Now it is asked to use a tool.",
        ),
        shown,
        strict=False,
    ):
        assert sentence in at
        assert "4 min" in at
        assert 'id="stop-model-test"' in at
    assert "Labels are asked for with a tool." in shown[5]  # what the first was found to do, while the second is asked
    over = alice.client.get(f"{alice.base}model/test/state/")
    assert (over.content, over["HX-Refresh"]) == (b"", "true")
    assert "Test and save" in alice.client.get(f"{alice.base}model/").content.decode()


def test_a_test_that_is_stopped_saves_nothing(alice: Person, server: Completions) -> None:
    begin(alice, server, key="sk-secret-1")
    stopped: list[str] = []

    def stop(*arguments: Any) -> Any:
        """While a worker is in a call."""
        found = asked(*arguments)
        alice.client.post(f"{alice.base}model/test/stop/")
        begin(alice, server, model="another")  # which takes no other worker
        with alice.scope.open():
            row = EndpointTest.objects.get()
        stopped.extend([row.state, row.sealed_key, row.model])
        stopped.append(alice.client.get(f"{alice.base}model/").content.decode())
        return found

    asked = endpoint_tests.check_model
    with alice.scope.open():
        token = EndpointTest.objects.get().token
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoint_tests, "check_model", stop)
        run_test(alice.scope.workspace, token)
    assert stopped[:3] == ["stopping", "", "small-7b"]
    assert "The test is stopped when the answer comes" in stopped[3]
    assert "Test and save" not in stopped[3]
    assert {seen["model"] for seen in server.seen} == {"small-7b"}
    with alice.scope.open():
        assert not EndpointTest.objects.exists()
        assert not WorkspaceEndpoint.objects.exists()
    run_test(alice.scope.workspace, token)  # a message that comes twice
    run_test(alice.scope.workspace, uuid4())
    assert len(server.seen) == 4


def test_a_test_whose_worker_is_gone_is_shown_as_broken_off(alice: Person, server: Completions) -> None:
    begin(alice, server)
    ago = timezone.now() - timedelta(seconds=2 * transport.TEST_SECONDS)
    with alice.scope.open():
        EndpointTest.objects.update(state="running", step="answer", step_at=ago)
    assert "being tested" in alice.client.get(f"{alice.base}model/").content.decode()
    with alice.scope.open():
        EndpointTest.objects.update(step_at=ago - timedelta(seconds=61))
    page = alice.client.get(f"{alice.base}model/").content.decode()
    assert "The test broke off." in page
    assert "Test and save" in page
    begin(alice, server, model="another")
    with alice.scope.open():
        assert EndpointTest.objects.get().model == "another"


def change_row(**values: Any) -> Callable[..., None]:
    def change(who: Person, settings: LazySettings) -> None:
        with who.scope.open():
            EndpointTest.objects.update(**values)

    return change


def lose_broker(who: Person, settings: LazySettings) -> None:
    with who.scope.open():
        row = EndpointTest.objects.get()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks.try_model, "delay", lambda *arguments: 1 / 0)
        tasks.wake_test(row.workspace_id, row.token)


@pytest.mark.parametrize(
    ("meanwhile", "sentence", "requests"),
    [
        (change_row(state="running", step="answer"), "The test broke off.", 0),  # by a worker that is dead
        (lose_broker, "The test broke off.", 0),
        (lambda who, settings: setattr(settings, "SECRET_KEY", "another"), "can no longer read the key", 0),
        (lambda who, settings: setattr(settings, "WORKSPACE_MODELS", False), "closed this page", 0),
        (change_row(started_by=2**40), "does not administer", 6),
    ],
    ids=["begun twice", "no broker", "another secret", "closed", "starter gone"],
)
def test_a_test_that_cannot_end_well_saves_nothing_and_forgets_its_key(
    alice: Person,
    server: Completions,
    settings: LazySettings,
    meanwhile: Callable[..., None],
    sentence: str,
    requests: int,
) -> None:
    secret = settings.SECRET_KEY
    begin(alice, server, key="sk-secret-1")
    meanwhile(alice, settings)
    run_last_test(alice)
    with alice.scope.open():
        row = EndpointTest.objects.get()
        assert not WorkspaceEndpoint.objects.exists()
    assert (row.state, row.sealed_key, len(server.seen)) == ("failed", "", requests)
    settings.SECRET_KEY = secret  # sessions are signed with it
    assert sentence in alice.client.get(f"{alice.base}model/").content.decode()


def test_a_test_that_takes_too_long_or_breaks_is_ended(
    alice: Person, server: Completions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_tests, "LONGEST_SECONDS", -1)
    assert "took too long" in connect(alice, server)
    assert server.seen == []
    monkeypatch.setattr(endpoint_tests, "LONGEST_SECONDS", 60)

    def fail(*arguments: Any) -> Any:
        raise ValueError("the server wrote sk-secret-1")

    with monkeypatch.context() as patch:
        patch.setattr(endpoint_tests, "check_model", fail)
        assert "The test broke off." in connect(alice, server, key="sk-secret-1")
    with alice.scope.open():
        assert not EndpointTest.objects.get().sealed_key


def test_a_model_may_take_five_minutes_for_an_answer() -> None:
    """The page says so; a worker's task may take longer than the whole test. A server of one's own is as slow later."""
    own, other = Endpoint("", "http://127.0.0.1:9", own=True), Endpoint("sk-1", own=True)
    asked = (transport.build_sync_client(own), transport.build_sync_client(other, is_test=True))
    assert [sdk.timeout.read for sdk in asked] == [transport.TEST_SECONDS] * 2 == [300] * 2
    assert transport.build_sync_client(other).timeout.read == 120

    async def ask_patience(endpoint: Endpoint) -> object:
        return transport.build_async_client(endpoint).timeout.read

    # Conversations and their summaries ask the same server.
    speaking = replace(own, api="openai")
    assert [asyncio.run(ask_patience(one)) for one in (own, speaking, other)] == [300, 300, 120]
    # A piece may come just in time, and then silence.
    assert endpoint_tests.LONGEST_SECONDS + 2 * transport.TEST_SECONDS < 1_500
    assert EndpointTest.SILENT.total_seconds() > 2 * transport.TEST_SECONDS
