"""What people typed into a reference is labelled by the service, and is hidden until then."""

import pytest

from entities.access import Scope
from entities.models import Entity
from entities.models.classification import SECRET as SECRET_LABEL
from entities.types import Contract
from ingestion.models import Paragraph
from ingestion.relabelling import Decision, apply_decision
from llm import scripted
from references import tasks
from references.models import Reference
from tests.conftest import Person
from tests.retrieval.conftest import Index

SECRET = "Her salary is 84,000 euros a year, paid to account DE89 3704 0044 0532 0130 00."


def add(staff: Person, contract: Contract, annex: Entity, label: str) -> str:
    body = {"source": str(contract.pk), "target": str(annex.pk), "kind": "BuildsOn", "label": label}
    return str(staff.api.post("/api/references/", body, format="json").json()["id"])


def test_harmless_words_are_for_everybody(
    staff: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    made = add(staff, contract, annex, "The same indemnity clause.")
    tasks.label_reference(service.workspace, made)
    shown = viewer.api.get("/api/references/").json()["results"]
    assert [(r["id"], r["labels"]) for r in shown] == [(made, [])]


def test_sensitive_words_are_not(
    staff: Person, viewer: Person, alice: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    made = add(staff, contract, annex, SECRET)
    tasks.label_reference(service.workspace, made)
    for person in (staff, viewer):
        assert person.api.get("/api/references/").json()["count"] == 0
    assert "Financial" in [x["label"] for x in alice.api.get("/api/references/").json()["results"][0]["labels"]]


def test_words_stay_hidden_when_they_cannot_be_classified(
    staff: Person, steward: Person, contract: Contract, annex: Entity, service: Scope
) -> None:
    made = add(staff, contract, annex, "The same indemnity clause.")
    with scripted.use_scripted_model() as script:
        script.push(error=529)
        script.push(error=529)
        script.push(error=529)
        tasks.label_reference(service.workspace, made)
    assert staff.api.get("/api/references/").json()["count"] == 0
    assert steward.api.get("/api/references/").json()["results"][0]["labels"] is None


def test_floor_is_added_to(staff: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope) -> None:
    made = add(staff, contract, annex, "The same indemnity clause.")
    with service.open():
        Reference.objects.filter(pk=made).update(floor=1)
    tasks.label_reference(service.workspace, made)
    assert viewer.api.get("/api/references/").json()["count"] == 0
    assert [x["label"] for x in staff.api.get("/api/references/").json()["results"][0]["labels"]] == ["Internal"]


@pytest.mark.parametrize("raised", [False, True])
def test_a_passage_that_was_raised_before_the_words_got_their_label_counts(
    alice: Person, viewer: Person, contract: Contract, annex: Entity, index: Index, service: Scope, raised: bool
) -> None:
    file = index.file(contract, "plain.txt")
    index.row(contract, "The heron password is tangerine, said the harbour master.", file=file)
    with service.open():
        passage = Paragraph.objects.get(file=file.pk).pk
    body = {
        "source": str(annex.pk),
        "target": str(contract.pk),
        "kind": "BuildsOn",
        "reason": "It says tangerine there.",
        "location_type": "Chunk",
        "location": {"file": str(file.pk), "passage": str(passage)},
    }
    made = alice.api.post("/api/references/", body, format="json").json()["id"]
    if raised:
        with service.open():
            assert Reference.objects.get(pk=made).data_classification is None
        apply_decision(Decision(service.workspace, passage, True, frozenset({SECRET_LABEL}), "secret", alice.user.pk))
    tasks.label_reference(service.workspace, made)
    shown = [reference["reason"] for reference in viewer.api.get("/api/references/").json()["results"]]
    assert shown == ([] if raised else ["It says tangerine there."])
    assert alice.api.get("/api/references/").json()["count"] == 1


def test_words_that_changed_meanwhile_are_not_labelled_by_the_old_ones(
    staff: Person, viewer: Person, contract: Contract, annex: Entity, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(staff, contract, annex, "The same indemnity clause.")
    label_text = tasks.label_text

    def edited(workspace: int, text: str) -> int | None:
        label = label_text(workspace, text)
        with service.open():
            Reference.objects.filter(pk=made).update(label=SECRET)
        return label

    monkeypatch.setattr(tasks, "label_text", edited)
    tasks.label_reference(service.workspace, made)
    assert viewer.api.get("/api/references/").json()["count"] == 0


def test_sweep_finds_what_no_task_came_for(
    staff: Person, contract: Contract, annex: Entity, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import timedelta

    from django.db.models import F

    made = add(staff, contract, annex, "The same indemnity clause.")
    sent: list[tuple[int, str]] = []
    monkeypatch.setattr(tasks.label_reference, "delay", lambda *given: sent.append(given))
    tasks.sweep()
    assert sent == []
    with service.open():
        Reference.objects.update(changed_at=F("changed_at") - timedelta(minutes=2))
    tasks.sweep()
    assert sent == [(service.workspace, made)]
