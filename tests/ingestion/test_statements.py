"""How much a short file asks of the database, from its claim to the index: that is most of what it costs."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from entities.types import Contract
from ingestion import pipeline
from ingestion.embed import is_remote
from ingestion.inline import process_all_waiting
from tests.conftest import Person
from tests.ingestion.helpers import texts, upload

MAX_STATEMENTS = 90
NOTE = b"The quay was closed for two days because of the storm."
SAVED = 'INSERT INTO "ingestion_stepresult"'


def work_on(who: Person, contract: Contract, name: str) -> list[str]:
    """The statements of the work on a file that nothing was known of before."""
    file = upload(who, contract, name, NOTE + name.encode()).json()["id"]
    with CaptureQueriesContext(connection) as captured:
        process_all_waiting(who.scope.workspace)
    statements = [query["sql"] for query in captured.captured_queries]  # forgotten when the next request begins
    assert texts(who, file)
    return statements


@pytest.mark.django_db(transaction=True)
def test_steps_of_a_short_file_are_saved_only_where_work_would_be_lost(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_all_waiting(alice.scope.workspace)
    monkeypatch.setattr(pipeline, "SAVE_AFTER_SECONDS", 600.0)
    statements = work_on(alice, contract, "a.txt")
    assert not any(SAVED in statement for statement in statements)
    assert len(statements) <= MAX_STATEMENTS
    monkeypatch.setattr(pipeline, "SAVE_AFTER_SECONDS", 0.0)
    assert sum(SAVED in statement for statement in work_on(alice, contract, "b.txt")) >= len(pipeline.STEPS)


@pytest.mark.django_db(transaction=True)
def test_vectors_of_a_service_are_saved_at_once(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_all_waiting(alice.scope.workspace)
    monkeypatch.setattr(pipeline, "SAVE_AFTER_SECONDS", 600.0)
    monkeypatch.setattr(pipeline, "is_remote", lambda model: True)
    saved = [statement for statement in work_on(alice, contract, "a.txt") if SAVED in statement]
    assert len(saved) >= len(pipeline.STEPS)


def test_a_model_is_remote_that_a_service_answers_for(settings: Any) -> None:
    settings.CLEARANCE_EMBEDDER = {"kind": "minilm"}
    settings.CLEARANCE_EMBEDDERS = [
        {"kind": "openai", "url": "http://localhost:1/v1", "model": "a", "dim": 3},
        {"kind": "voyage", "model": "b", "dim": 3, "key": "k"},
        {"kind": "onnx", "path": "/models/c", "model": "c"},
    ]
    assert [is_remote(model) for model in ("", "a", "b", "c")] == [False, True, True, False]
