"""What a decision at the desk does, everywhere at once, and the column by which paragraphs wait."""

import json
from typing import Any

import pytest
from django.db import connection

from entities.access import Scope
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Paragraph
from ingestion.votes import HELD_BACK
from llm import scripted
from tests.conftest import Person
from tests.ingestion.desk_decisions import accept, contested, waiting
from tests.ingestion.helpers import labelled, ready, texts

pytestmark = pytest.mark.usefixtures("connection_pool")


@pytest.fixture
def file(alice: Person, contract: Contract) -> str:
    return contested(alice, contract)


def test_a_decision_holds_in_search_reader_and_citations_at_the_next_request(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    from ingestion import pipeline

    storm = "The quay was closed for two days because of the storm."
    body = "\n\n".join(["# Progress", storm, "# Costs", *(f"Berth {n} was swept. " * 60 for n in range(4))])
    file = ready(alice, contract, "report.md", body.encode())
    found = viewer.api.get("/api/search/", {"q": "storm quay closed"}).json()["results"]
    hit = next(row for row in found if "storm" in row["text"])
    asked = viewer.api.post("/api/chat/sessions/", {"entity": str(contract.pk)}, format="json").json()
    chat = f"/api/chat/sessions/{asked['id']}/messages/"
    turn = viewer.api.post(chat, {"content": "Why was the quay closed?"}, format="json").json()["turn"]
    message = answer_of(viewer, turn)
    cited = f"/api/citations/{message['id']}/1/"
    assert "storm" in viewer.api.get(cited).json()["preview"]
    with service.open():
        before = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
        paragraph = Paragraph.objects.get(text=storm).pk
    decided = steward.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": [2], "reason": "a dispute"}, format="json")
    assert decided.status_code == 200
    # No worker has run.
    assert storm not in texts(viewer, file)
    assert "storm" not in str(viewer.api.get("/api/search/", {"q": "storm quay closed"}).json())
    assert hit["id"] not in str(viewer.api.get("/api/search/", {"q": "storm"}).json())
    assert "storm" not in viewer.api.get(cited).content.decode()
    assert "storm" not in viewer.client.get(f"{viewer.base}files/{file}/?row={hit['id']}").content.decode()
    shown = viewer.api.get(f"/api/chat/sessions/{asked['id']}/messages/").content.decode()
    assert "two days" not in shown
    embedded: list[Any] = []
    embed = pipeline.embed_texts
    pipeline.embed_texts = lambda e, todo, *rest: (embedded.extend(todo), embed(e, todo, *rest))[1]  # type: ignore[func-returns-value]
    try:
        process_all_waiting(alice.scope.workspace)
    finally:
        pipeline.embed_texts = embed
    with service.open():
        after = set(ContextRow.objects.filter(file=file).values_list("pk", flat=True))
    assert len(before & after) >= len(before) - 2, "passages elsewhere in the file keep their rows"
    assert all("Berth" not in draft.text or "storm" in draft.text for draft in embedded if draft.kind == 2)
    assert "storm" in str(steward.api.get("/api/search/", {"q": "storm quay closed"}).json())


@pytest.mark.parametrize("between", ["away", "without a label"])
@pytest.mark.parametrize("now", ["Secret", "Public"])
def test_an_answer_rises_with_a_paragraph_that_had_no_label_in_between(
    alice: Person, viewer: Person, contract: Contract, between: str, now: str
) -> None:
    storm = "The quay was closed for two days because of the storm."

    def come(*lines: str, count: int = 1, labels: dict[int, list[int]] | None = None, left_out: int = -1) -> str:
        with scripted.use_scripted_model() as script:
            script.push(tool_use=labelled(count, labels or {}, left_out={left_out}))
            if left_out >= 0:
                script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
            return ready(alice, contract, "a.txt", "\n\n".join(lines).encode())

    file = come("The gate is green.", storm, count=2)
    asked = viewer.api.post("/api/chat/sessions/", {"entity": str(contract.pk)}, format="json").json()
    chat = f"/api/chat/sessions/{asked['id']}/messages/"
    turn = viewer.api.post(chat, {"content": "Why was the quay closed?"}, format="json").json()["turn"]
    answer_of(viewer, turn)
    assert "two days" in viewer.api.get(chat).content.decode()
    if between == "away":
        come("The gate is green.")
    else:
        come("The gate is green.", storm, "The lamp is old.", count=3, left_out=1)
    assert storm not in texts(viewer, file)
    come("The gate is green.", storm, "The mast is new.", count=3, labels={1: [6]} if now == "Secret" else {})
    assert (storm in texts(viewer, file)) == (now == "Public")
    assert ("two days" in viewer.api.get(chat).content.decode()) == (now == "Public")


def answer_of(who: Person, turn: str) -> dict[str, Any]:
    from chat import runner

    runner.wait_until_idle()
    state = who.api.get(f"/api/chat/turns/{turn}/").json()
    assert state["state"] == "done", state
    return dict(state["message"])


def test_confirming_a_label_publishes_nothing_again(steward: Person, file: str, service: Scope) -> None:
    conflict = next(item for item in waiting(steward) if item["causes"] == ["conflict"])
    accept(steward, conflict)
    with service.open():
        assert File.objects.get(pk=file).pending_revision_id is None
    accept(steward, *waiting(steward, cause="unlabelled"))
    with service.open():
        assert File.objects.get(pk=file).pending_revision_id is not None


def test_the_reasons_of_labels_that_are_kept_up_are_those_that_the_database_knows(db: None) -> None:
    with connection.cursor() as cursor:
        for reason in HELD_BACK:
            votes = [{"source": "inherited", "labels": [5], "reason": reason}]
            cursor.execute("SELECT app_review_causes(%s::jsonb, 5)", [json.dumps(votes)])
            assert cursor.fetchone() == (8,), reason


@pytest.mark.parametrize(
    ("votes", "value", "expected"),
    [
        ([], None, 1),
        ([], 0, 0),
        ([("inherited", [5], {}), ("rules", [], {}), ("model", [], {"confidence": 0.9})], 5, 0),
        ([("rules", [], {}), ("model", [2], {"confidence": 0.9})], 2, 0),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.9})], 5, 2),
        ([("inherited", [5], {}), ("rules", [5], {}), ("model", [], {"confidence": 0.9})], 5, 0),
        ([("model", [3], {"confidence": 0.9}), ("model", [3, 5], {"confidence": 0.9})], 1000, 2),
        ([("model", [], {"confidence": 0.59})], 0, 4),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.1}), ("manual", [], {"over": [5]})], 0, 0),
        ([("rules", [5, 3], {}), ("manual", [], {"over": [5]})], 3, 2),
        ([("rules", [5], {}), ("model", [], {"confidence": 0.1})], None, 7),
        ([("rules", [], {"proposed": [3]}), ("model", [], {"confidence": 0.9})], 0, 16),
        ([("rules", [], {"proposed": [3]}), ("model", [3], {"confidence": 0.9})], 3, 0),
        ([("inherited", [3], {}), ("rules", [], {"proposed": [3]})], 3, 0),
        ([("rules", [], {"proposed": [3]}), ("manual", [], {"over": []})], 0, 0),
    ],
)
def test_why_a_paragraph_waits(db: None, votes: list[tuple[str, list[int], Any]], value: int, expected: int) -> None:
    rows = [{"source": source, "labels": atoms, "reason": "x", **more} for source, atoms, more in votes]
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_review_causes(%s::jsonb, %s)", [json.dumps(rows), value])
        assert cursor.fetchone() == (expected,)
