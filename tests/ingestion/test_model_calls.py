"""A file takes windows + labels present + retries calls of the model, whatever the model does."""

from typing import Any

import pytest

from entities.access import Scope, list_atoms
from entities.models import Classification
from entities.rag import Collection
from entities.types import Contract
from ingestion import classify, pipeline
from ingestion.models import ContextRow, Kind, Paragraph, StepResult
from llm import scripted
from llm.scripted import RecordedRequest, Script
from tests.conftest import Person
from tests.ingestion.helpers import labelled, ready, texts

FINANCIAL, SECRET = 5, 6
LINES = [f"Berth number {n:02} is dredged once more before the winter." for n in range(12)]


def is_window(request: RecordedRequest) -> bool:
    return "record_labels" in request.tools


def body(lines: list[str]) -> bytes:
    return "\n\n".join(lines).encode()


def windows(script: Script) -> list[list[str]]:
    """The lines that each call for labels was asked about."""
    asked = [request.text for request in script.requests if is_window(request)]
    return [[line for line in LINES if line in text] for text in asked]


def summaries(script: Script) -> list[str]:
    return [request.text for request in script.requests if not is_window(request)]


def labels_of(service: Scope, file: str) -> list[set[int] | None]:
    with service.open():
        rows = Paragraph.objects.filter(file=file).order_by("position").values_list("data_classification", flat=True)
        return [None if label is None else set(list_atoms(label)) for label in rows]


def say(script: Script, *answers: Any) -> None:
    """Answers to the calls for labels in order; up to eight calls for a summary are all answered by the first line."""
    for answer in answers:
        script.push(tool_use=answer, when=is_window)
    for _ in range(8):
        script.push(text=LINES[0], when=lambda request: not is_window(request))


def test_a_small_file_takes_one_call_and_one_for_each_label(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    labels = {3: [FINANCIAL], 4: [FINANCIAL], 5: [SECRET]}
    with scripted.use_scripted_model() as script:
        say(script, labelled(12, labels, [([0], LINES[1]), ([FINANCIAL], LINES[3])]))
        file = ready(alice, contract, "small.txt", body(LINES))
        assert len(script.requests) == 1 + 3
    # Each is given text of its own label alone.
    for line, holds in ((LINES[3], FINANCIAL), (LINES[5], SECRET), (LINES[0], 0)):
        told = [text for text in summaries(script) if line in text]
        assert len(told) == 1, holds
    with service.open():
        rows = dict(
            ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY).values_list("data_classification", "text")
        )
    # What the model says of one label with words of another stays out.
    assert {label: LINES[0] in text for label, text in rows.items()} == {0: True, FINANCIAL: False, SECRET: False}
    assert all(line not in rows[0] for line in LINES[3:6])
    assert texts(viewer, file)[3:5] == ["[Financial]", "[Secret]"]


def test_windows_overlap_disagree_and_forget(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each paragraph is a page here; windows hold six, so 12 take three, each with two pages again."""
    monkeypatch.setattr(classify, "PAGE", 60)
    monkeypatch.setattr(classify, "WINDOW", 6 * len(LINES[0]))
    everything = [LINES[0:6], LINES[4:10], LINES[8:12]]
    with scripted.use_scripted_model() as script:
        say(script, labelled(6, {5: [FINANCIAL]}), labelled(6, {1: [SECRET], 5: [2]}), labelled(4, {}))
        file = ready(alice, contract, "three.txt", body(LINES))
        assert windows(script) == everything
        assert len(script.requests) == 3 + 3
    found = labels_of(service, file)
    assert {n: atoms for n, atoms in enumerate(found) if atoms} == {5: {FINANCIAL, SECRET}, 9: {2}}
    with scripted.use_scripted_model() as script:
        # The second window forgets its last four; of two of them the third has told.
        forgets = labelled(6, {}, left_out={2, 3, 4, 5})
        say(script, labelled(6, {}), forgets, labelled(4, {}), labelled(2, {0: [FINANCIAL]}))
        other = ready(alice, contract, "forgets.txt", body(LINES) + b"\n")
        assert windows(script) == [*everything, LINES[6:8]]
        assert len(script.requests) == 3 + 1 + 2
    assert labels_of(service, other)[6] == {FINANCIAL}


@pytest.mark.parametrize("answer", [
    ("record_labels", {"paragraphs": [{"n": n, "labels": [77], "confidence": 1, "reason": ""} for n in range(12)]}),
    ("record_labels", {"paragraphs": "all public", "summaries": 7}),
    ("record_labels", {"paragraphs": [{"n": "0", "labels": "0"}, None, 5, {"n": True, "labels": [0]}]}),
    ("another_tool", {"paragraphs": []}),
], ids=["unknown labels", "no list", "garbage", "another tool"])  # fmt: skip
def test_what_makes_no_sense_labels_nothing_and_is_asked_once_more(
    alice: Person, viewer: Person, steward: Person, contract: Contract, service: Scope, answer: Any
) -> None:
    with scripted.use_scripted_model() as script:
        say(script, answer, answer)
        file = ready(alice, contract, "garbage.txt", body(LINES[:3]))
        assert len(script.requests) == 1 + 1  # no label, so no summary
    assert labels_of(service, file) == [None] * 3
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404
    assert texts(steward, file) == LINES[:3]
    with service.open():
        assert not ContextRow.objects.filter(file=file).exists()


def test_off_for_a_collection_takes_a_call_for_each_label_and_equal_bytes_take_none(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.use_scripted_model() as script:
        say(script, labelled(12, {}))
        ready(alice, contract, "one.txt", body(LINES))
        ready(alice, contract, "again.txt", body(LINES))
        assert len(script.requests) == 1 + 1
    declared = {"documents": Collection("Documents", classification=1, classify=False)}
    monkeypatch.setattr(Contract.Rag, "collections", declared)
    rent = "The rent of the eastern berths is 4,000 euros a month, paid in advance."
    with scripted.use_scripted_model() as script:
        say(script)
        file = ready(alice, contract, "off.txt", body([LINES[0], rent]))
        assert [is_window(request) for request in script.requests] == [False, False]
    assert labels_of(service, file) == [{1}, {1, FINANCIAL}]
    assert texts(staff, file) == [LINES[0], "[Financial]"]
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404


def test_where_no_summary_can_be_made_the_file_is_ready_all_the_same(
    alice: Person, contract: Contract, service: Scope
) -> None:
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(12, {}, [([0], LINES[7])]), when=is_window)
        file = ready(alice, contract, "small.txt", body(LINES))
        assert len(script.unanswered) == 1
    with service.open():
        assert ContextRow.objects.get(file=file, kind=Kind.FILE_SUMMARY).text == LINES[7]


@pytest.mark.django_db(transaction=True)
def test_a_decision_while_a_file_is_worked_on_asks_for_no_summary_again(
    alice: Person, steward: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.use_scripted_model() as script:
        say(script, labelled(12, {3: [FINANCIAL]}))
        file = ready(alice, contract, "small.txt", body(LINES))
        assert len(script.requests) == 1 + 2
    with service.open():
        raised = Paragraph.objects.get(file=file, text=LINES[5]).pk
    real, decided = pipeline.embed_texts, []

    def decided_first(*given: Any) -> Any:
        if not decided:
            sent = {"labels": [SECRET], "reason": "so"}
            decided.append(steward.api.patch(f"/api/paragraphs/{raised}/", sent, format="json").status_code)
        return real(*given)

    monkeypatch.setattr(pipeline, "embed_texts", decided_first)
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(13, {3: [FINANCIAL]}), when=is_window)
        for _ in range(8):
            script.push(text=f"{LINES[5]} {LINES[1]}", when=lambda request: not is_window(request))
        ready(alice, contract, "small.txt", body([*LINES, "The buoy is red."]))
        # Public and Financial before the decision, and Secret after it.
        assert len(script.requests) == 1 + 2 + 1
    assert decided == [200]
    with service.open():
        rows = dict(
            ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY).values_list("data_classification", "text")
        )
        assert not StepResult.objects.filter(revision__file=file).exists()
    # What was said of Public before it was raised is left out.
    assert {label: LINES[5] in text for label, text in rows.items()} == {0: False, FINANCIAL: False, SECRET: True}
    assert LINES[1] in rows[0]


UNDER_HEADINGS = b"""# Report

Open to all.

## Confidential - Finance

The mast is new.

### Details

The rope is old.

## Outlook

The quay is dry.

## Export Controlled

The crane is blue.

## Whistleblower policy

Anybody may write in.
"""


def test_text_under_a_heading_that_declares_a_label_has_it_until_the_next_one(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    with service.open():
        Classification.objects.create(
            workspace_id=contract.workspace_id, value=7, label="Export Controlled", description="Dual-use goods",
            components=[7],
        )  # fmt: skip
    file = ready(alice, contract, "report.md", UNDER_HEADINGS)
    with service.open():
        rows = list(Paragraph.objects.filter(file=file).order_by("position"))
        found = {row.text: set(list_atoms(row.data_classification)) for row in rows}
        reasons = [vote["reason"] for row in rows for vote in row.votes if row.text == "The rope is old."]
    assert found == {
        "Report": set(), "Open to all.": set(), "Confidential - Finance": {2}, "The mast is new.": {2},
        "Details": {2}, "The rope is old.": {2}, "Outlook": set(), "The quay is dry.": set(),
        "Export Controlled": {7}, "The crane is blue.": set(),
        "Whistleblower policy": set(), "Anybody may write in.": set(),
    }  # fmt: skip
    assert "under a heading marked confidential" in reasons
    assert texts(viewer, file)[:3] == ["Report", "Open to all.", "[Confidential]"]
