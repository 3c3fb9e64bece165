"""A server that refuses may quote the request in its reason: no text of it reaches a log or an error of ours."""

import logging
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from ingestion.classify import Classifier
from ingestion.synthesis import summarise_labels
from llm import client
from llm.client import Call, ModelUnavailable
from tests.llm.completions import Completions, Raw, echoes, whole

pytestmark = pytest.mark.django_db
ASK = {"system": "You help.", "messages": [{"role": "user", "content": "The SECRET cap"}]}
EVENT = b'event: error\ndata: {"type": "error", "error": {"type": "api_error", "message": "The SECRET cap"}}\n\n'


@pytest.fixture(params=["anthropic", "openai"])
def server(request: pytest.FixtureRequest, openai: Completions, settings: Any) -> Iterator[Completions]:
    """It speaks one API, then the other."""
    if request.param == "anthropic":
        settings.ANTHROPIC_BASE_URL = openai.url.removesuffix("/v1")
    yield openai
    assert openai.answers == []
    paths = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}
    assert {seen["path"] for seen in openai.seen} == {paths[request.param]}


@pytest.fixture(params=[echoes(422, ASK), Raw([EVENT]), Raw([b"The SECRET cap"], 400, "text/plain")])
def refusal(request: pytest.FixtureRequest) -> Raw:
    return request.param  # type: ignore[no-any-return]


def test_no_error_quotes_the_request(
    server: Completions, refusal: Raw, call: Call, streamed: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for ask in (client.complete, streamed):
        server.answers = [refusal]
        with pytest.raises(ModelUnavailable) as caught:
            ask(call, **ASK)
        assert caught.value.status == refusal.status
        shown = "".join(traceback.format_exception(caught.value))
        assert "ModelUnavailable" in shown
        assert "SECRET" not in shown
    assert "SECRET" not in caplog.text


def test_a_summary_that_a_server_refuses_leaves_no_text_in_the_log(
    server: Completions, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = [echoes(422, ASK)]
    said = "The SECRET cap is two million."
    made = summarise_labels(Classifier(call.workspace, ()), {1: [said]}, {1: [said]}, {}, lambda *kept: None)
    assert made == {1: [said]}
    assert "SECRET" in str(server.seen)
    assert "no summary of a label was made" in caplog.text
    assert "ModelUnavailable" in caplog.text
    assert "SECRET" not in caplog.text


def test_an_error_with_status_200_is_not_quoted_either(
    openai: Completions, call: Call, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("llm.transport.RETRIES", 0)
    caplog.set_level(logging.DEBUG)
    openai.answers = [whole(error={"message": "The SECRET cap", "code": 422})]
    with pytest.raises(ModelUnavailable) as caught:
        client.complete(call, **ASK)
    assert caught.value.status == 422
    assert "SECRET" not in "".join(traceback.format_exception(caught.value)) + caplog.text
