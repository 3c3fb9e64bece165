"""A model is tested by a worker, with patience: what it can do is shown, saved and obeyed when labels are asked for."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings

from entities.access import Scope
from entities.models import AuditEntry
from ingestion.classify import Classifier, ask_model
from ingestion.text_labels import label_text
from ingestion.waiting import measure_waiting
from llm import client
from llm.abilities import Abilities
from llm.endpoint_check import LEVELS, PARAGRAPHS
from llm.endpoint_tests import run_test
from llm.endpoints import get_endpoint
from llm.labels import LEAST
from llm.models import EndpointTest, WorkspaceEndpoint
from llm.tokens import estimate
from tests.conftest import Person
from tests.llm.completions import Completions, Raw, calls, says, serve_completions
from tests.llm.trials import (
    LABELLED_TEXT,
    answer_in_prose,
    begin,
    connect,
    finish_test,
    ignore_force,
    obey,
    refuse_tools,
)

pytestmark = pytest.mark.django_db
PERSONAL = frozenset({3})


@pytest.fixture
def server() -> Iterator[Completions]:
    with serve_completions() as made:
        made.respond = obey
        yield made


def ask_for_labels(who: Person) -> Any:
    found, _ = ask_model(Classifier(who.scope.workspace, LEVELS), PARAGRAPHS)
    return {n: said.atoms for n, said in found.paragraphs.items()}


def test_two_models_are_tested_and_each_serves_its_tiers(alice: Person, server: Completions) -> None:
    page = connect(alice, server)
    for sentence, times in {
        "Answers: its first answer came in": 2,
        "Uses tools: it can search": 2,
        "Uses the tool that it has to use.": 1,
        "Answers in JSON.": 1,
        "Labels are asked for with a tool.": 1,
    }.items():
        assert page.count(sentence) == times, sentence
    assert [seen["model"] for seen in server.seen] == ["small-7b"] * 4 + ["large-70b"] * 2
    endpoint = get_endpoint(alice.scope.workspace)
    names = [endpoint.find_model(tier).name for tier in ("fast", "standard", "deep")]
    assert names == ["small-7b", "large-70b", "large-70b"]
    assert ask_for_labels(alice) == {0: frozenset(), 1: PERSONAL}
    assert (server.seen[-1]["model"], "tools" in server.seen[-1]) == ("small-7b", True)


def test_where_a_forced_tool_is_not_obeyed_labels_are_asked_for_as_json(alice: Person, server: Completions) -> None:
    server.respond = ignore_force
    page = connect(alice, server)
    assert "Does not use the tool that it has to use" in page
    assert "Labels are asked for as JSON." in page
    assert ask_for_labels(alice) == {0: frozenset(), 1: PERSONAL}
    asked = server.seen[-1]
    assert ("tools" in asked, "tool_choice" in asked) == (False, False)
    assert "one JSON object" in asked["messages"][-1]["content"]
    server.respond = lambda body: says('{"paragraphs": [{"n": 0, "labels": [0], "confidence": 1, "reason": ""}, {"n"')
    assert ask_for_labels(alice) == {}  # of half an answer nothing is believed


def test_a_model_that_does_neither_leaves_labels_to_the_rules_and_answers_still(
    alice: Person, server: Completions
) -> None:
    server.respond = answer_in_prose
    page = connect(alice, server)
    assert "Does not answer in JSON" in page
    assert "Labels are left to the rules." in page
    asked = len(server.seen)
    workspace = alice.scope.workspace
    assert client.is_labelling_offline(workspace)
    assert label_text(workspace, "Write to ana.ruiz@example.org, telephone 020 7946 0958.")
    with alice.scope.open():
        assert client.get_labeller_name(client.get_model_name("fast")) == "offline-extractive"
        assert measure_waiting(alice.scope).files == 0  # nothing waits for a model that judges nothing
    assert len(server.seen) == asked
    assert not client.is_offline(workspace)
    call = client.Call(workspace, alice.user.pk, "chat", "deep")
    assert client.complete(call, system="", messages=[{"role": "user", "content": "Hello"}]).text == "one, two"


def test_of_a_prompt_that_the_server_has_cut_off_no_label_is_believed(
    alice: Person, server: Completions, caplog: pytest.LogCaptureFixture
) -> None:
    connect(alice, server)
    least = int(LEAST * sum(map(estimate, PARAGRAPHS)))
    server.respond = lambda body: calls("record_labels", LABELLED_TEXT, usage={"prompt_tokens": least + 1})
    assert ask_for_labels(alice) == {0: frozenset(), 1: PERSONAL}
    server.respond = lambda body: calls("record_labels", LABELLED_TEXT, usage=None)  # it does not count
    assert ask_for_labels(alice) == {0: frozenset(), 1: PERSONAL}
    assert "has cut" not in caplog.text
    server.respond = lambda body: calls("record_labels", LABELLED_TEXT, usage={"prompt_tokens": least})
    assert ask_for_labels(alice) == {}
    assert "has cut" in caplog.text


@pytest.mark.parametrize("labels", ['[{"n": 0, "labels": [0]}, {"n": 1, "labels": [0]}]', '[{"n": 1, "labels": [3]}]'])
def test_labels_that_are_wrong_or_left_out_count_as_disobeyed(alice: Person, server: Completions, labels: str) -> None:
    def respond(body: dict[str, Any]) -> Raw:
        in_json = "You have no tool here" in str(body["messages"])
        return says(f'{{"paragraphs": {labels}, "summaries": []}}') if in_json else ignore_force(body)

    server.respond = respond
    assert "Labels are left to the rules." in connect(alice, server)


def test_a_model_without_tools_is_not_saved(alice: Person, server: Completions) -> None:
    server.respond = refuse_tools
    page = connect(alice, server)
    assert "its server gives it no tools" in page
    assert "Nothing was saved." in page
    assert 'name="server-deep_model" value="large-70b"' in page  # to be corrected
    assert client.is_offline(alice.scope.workspace)
    assert len(server.seen) == 2  # the other one was not asked


def test_a_test_belongs_to_its_workspace(
    alice: Person, outsider: Person, server: Completions, service: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    begin(alice, server, key="sk-secret-1")
    with service.open():
        row = EndpointTest.objects.get()
    run_test(outsider.scope.workspace, row.token)
    assert server.seen == []
    assert "being tested" not in outsider.client.get(f"{outsider.base}model/").content.decode()
    for path in ("model/test/state/", "model/test/stop/"):
        assert outsider.client.post(f"{alice.base}{path}").status_code == 404
    assert "sk-secret-1" not in row.sealed_key
    assert "sk-secret-1" not in alice.client.get(f"{alice.base}model/").content.decode()
    finish_test(alice)
    assert server.seen[0]["headers"]["authorization"] == "Bearer sk-secret-1"
    assert "sk-secret-1" not in caplog.text


def test_another_test_of_what_is_in_use_changes_how_labels_are_asked_for_and_is_on_record(
    alice: Person, server: Completions
) -> None:
    connect(alice, server, key="sk-secret-1")
    before = get_endpoint(alice.scope.workspace)
    server.respond = ignore_force
    alice.client.post(f"{alice.base}model/test/")
    finish_test(alice)
    assert get_endpoint(alice.scope.workspace) == replace(before, labels="json")
    assert before.key == "sk-secret-1"
    with alice.scope.open():
        found = [entry.detail["labels"] for entry in AuditEntry.objects.filter(action="model.connected").order_by("pk")]
    assert found == ["tool", "json"]
    server.respond = refuse_tools  # what cannot be used now is not what is known of it
    alice.client.post(f"{alice.base}model/test/")
    assert "its server gives it no tools" in finish_test(alice).content.decode()
    assert get_endpoint(alice.scope.workspace).labels == "json"


def test_of_the_installations_model_a_test_is_shown_and_nothing_is_saved(
    alice: Person, server: Completions, settings: LazySettings
) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.url, "sk-installed"
    settings.MODEL_TIERS = dict.fromkeys(("fast", "standard", "deep"), "small-7b")
    settings.MODEL_PRICES = {"small-7b": ["0", "0"]}
    server.respond = ignore_force
    alice.client.post(f"{alice.base}model/test/")
    with alice.scope.open():
        assert not EndpointTest.objects.get().sealed_key
    page = finish_test(alice).content.decode()
    assert "Does not use the tool that it has to use" in page
    assert "This is so for every model of the installation" in page
    assert "Labels are asked for as JSON." not in page
    assert get_endpoint(alice.scope.workspace).labels == "tool"
    with alice.scope.open():
        assert not WorkspaceEndpoint.objects.exists()


def test_what_another_version_has_found_is_read() -> None:
    assert Abilities.from_json({"model": "m", "forced": True, "context": 4096}) == Abilities("m", forced=True)


@pytest.mark.parametrize(("name", "value"), [("WORKSPACE_MODELS", False), ("MODEL_TRANSPORT", "offline")])
def test_where_the_page_is_closed_or_models_are_switched_off_nothing_is_begun(
    alice: Person, server: Completions, settings: LazySettings, name: str, value: Any
) -> None:
    connect(alice, server)
    alice.client.post(f"{alice.base}model/test/stop/")
    asked = len(server.seen)
    setattr(settings, name, value)
    assert alice.client.post(f"{alice.base}model/", {"kind": "server"}).status_code == 404
    assert alice.client.post(f"{alice.base}model/test/").status_code == 302
    with alice.scope.open():
        assert not EndpointTest.objects.exists()
    assert len(server.seen) == asked
