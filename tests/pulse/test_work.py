"""When Pulses are made, and how often: once a window, once a change, and not at all when nothing changed."""

import pytest

from entities.access import Scope
from entities.actions import create_entity, delete_entity
from entities.models import AuditEntry, Entity, Source
from entities.types import Contract, Project, Risk
from ingestion.models import ContextRow, File
from ingestion.signals import document_indexed, record_indexed
from llm.models import ModelCall
from llm.scripted import Script
from pulse import generation
from pulse.claims import claim_due
from pulse.models import Pulse, Variant
from references.models import Reference
from tests.conftest import Person
from tests.pulse.conftest import Work, calls, change, pass_time, pulse_of
from tests.retrieval.conftest import Index


def test_fifty_changes_make_one_regeneration(
    alice: Person, risk: Risk, work: Work, service: Scope, script: Script
) -> None:
    before = calls(service)
    for n in range(50):
        change(alice, risk, name=f"Late steel {n}")
    with service.open():
        assert claim_due() == []  # the window has not passed
    assert work() == 1
    assert work() == 0
    assert calls(service) == before + 1
    assert 'name="Late steel 49"' in script.requests[-1].text


def test_unchanged_inputs_ask_no_model(alice: Person, viewer: Person, risk: Risk, work: Work, service: Scope) -> None:
    made = pulse_of(viewer, risk)["generated_at"]
    before = calls(service)
    change(alice, risk, severity="low")
    change(alice, risk, severity="high")
    assert pulse_of(viewer, risk)["refreshing"] is True
    assert work() == 0
    assert calls(service) == before
    after = pulse_of(viewer, risk)
    assert (after["refreshing"], after["stale_since"], after["generated_at"]) == (False, None, made)


def test_viewing_calls_no_model(alice: Person, viewer: Person, risk: Risk, contract: Contract, service: Scope) -> None:
    before = calls(service)
    for person in (alice, viewer):
        for entity in (risk, contract):
            pulse_of(person, entity)
            person.client.get(f"{person.base}entities/{entity.pk}/pulse/")
            person.client.get(f"{person.base}entities/{entity.pk}/")
    assert calls(service) == before


def test_refresh_by_hand_waits_for_the_window_and_asks_no_model_for_nothing(
    viewer: Person, risk: Risk, index: Index, work: Work, service: Scope
) -> None:
    answer = viewer.api.post(f"/api/entities/{risk.pk}/pulse/refresh/")
    assert answer.status_code == 202
    assert answer.json()["refreshing"] is True
    assert answer.json()["text"]
    assert work() == 0
    index.row(risk, "The structural steel came a month late.", file=index.file(risk, "log.md"))
    page = viewer.client.post(f"{viewer.base}entities/{risk.pk}/pulse/refresh/", headers={"HX-Request": "true"})
    assert b"Refreshing" in page.content
    assert work() == 1
    assert "a month late" in pulse_of(viewer, risk)["text"]
    viewer.api.post(f"/api/entities/{risk.pk}/pulse/refresh/")
    with service.open():
        assert claim_due() == []


def test_change_of_a_child_makes_its_parent_stale(
    alice: Person, viewer: Person, work: Work, contract: Contract, service: Scope
) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Quay 7"})
        child = create_entity(scope=alice.scope, model=Risk, fields={"name": "Crack", "project": project})
        secret = create_entity(
            scope=alice.scope, model=Risk, fields={"name": "Bribe", "project": project}, visibility="restricted"
        )
    work()
    assert pulse_of(viewer, project)["stale_since"] is None
    change(alice, secret, status="mitigated")
    assert pulse_of(viewer, project)["stale_since"] is None
    assert work() == 0
    change(alice, child, status="mitigated")
    assert pulse_of(viewer, project)["stale_since"] is not None
    work()
    assert "1 Mitigated" in pulse_of(viewer, project)["text"]
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=child)
    work()
    assert "Mitigated" not in pulse_of(viewer, project)["text"]


def test_indexed_document_and_record_are_looked_at(
    viewer: Person, alice: Person, risk: Risk, index: Index, work: Work, service: Scope
) -> None:
    file = index.file(risk, "log.md")
    row = index.row(risk, "The structural steel came a month late.", file=file)
    with service.open():
        document_indexed.send(File, workspace=service.workspace, entity_id=risk.pk, file_id=file.pk)
    assert pulse_of(viewer, risk)["refreshing"] is True
    assert work() == 1
    assert "a month late" in pulse_of(viewer, risk)["text"]
    with service.open():
        ContextRow.objects.filter(pk=row)._raw_delete("default")
        record_indexed.send(Entity, workspace=service.workspace, entity_id=risk.pk)
    assert pulse_of(viewer, risk)["refreshing"] is False  # it may be about something hidden
    assert work() == 1
    assert "a month late" not in pulse_of(viewer, risk)["text"]


def test_citations_are_replaced_with_the_text(
    alice: Person, viewer: Person, risk: Risk, index: Index, work: Work, script: Script, service: Scope
) -> None:
    file = index.file(risk, "log.md")
    index.row(risk, "The structural steel came a month late.", file=file, page=1)
    second = index.row(risk, "The mill has promised to pay a penalty.", file=file, page=2, position=1)
    script.push(text="Late [1], says the log [src:" + second.hex[:8] + "] and nobody [9].")
    viewer.api.post(f"/api/entities/{risk.pk}/pulse/refresh/")
    assert work() == 1
    shown = pulse_of(viewer, risk)
    assert shown["text"] == "Late [citation:1], says the log [citation:2] and nobody."
    assert [c["n"] for c in shown["citations"]] == [1, 2]
    with service.open():
        assert Reference.objects.filter(owner=shown["id"]).count() == 2
        noted = AuditEntry.objects.select_related("text").filter(action="pulse.generated").latest("pk")
        assert noted.detail["dropped_citations"] == 1
        assert set(noted.detail) >= {"model", "tokens", "cost", "latency_ms"}
        assert (noted.text.text, len(noted.text.retrieved)) == ("", 2)
        # Sources are what stood in the prompt, the record itself included.
        assert Source.objects.filter(derived=shown["id"]).count() == 3
    script.push(text="A penalty is promised [2].")
    change(alice, risk, severity="low")
    assert work() == 1
    assert pulse_of(viewer, risk)["id"] == shown["id"]
    with service.open():
        assert [r.label for r in Reference.objects.filter(owner=shown["id"])] == ["log.md, p. 2"]


def test_killed_worker_is_followed_by_one_that_makes_it_once(
    alice: Person, viewer: Person, risk: Risk, work: Work, service: Scope, script: Script
) -> None:
    change(alice, risk, severity="low")
    pass_time(service)
    with service.open():
        (claim,) = claim_due()
    job = generation.begin_job(service.workspace, claim)
    assert job is not None
    inputs = generation.read_inputs(job)
    assert inputs is not None
    # Here the worker is killed. Nobody takes the variant while the claim holds.
    pass_time(service)
    with service.open():
        assert claim_due() == []
    assert pulse_of(viewer, risk)["refreshing"] is True
    pass_time(service, 3600)
    before = calls(service)
    assert work() == 1
    assert calls(service) == before + 1
    assert "Low" in pulse_of(viewer, risk)["text"]
    # A message that is delivered late or twice begins nothing, and the dead worker's claim writes nothing.
    assert generation.update_variant(service.workspace, claim) is False
    assert generation.number_passages(job, inputs)[0] is None
    assert calls(service) == before + 1


def test_change_while_the_model_answers_leaves_it_stale(
    alice: Person, viewer: Person, risk: Risk, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change comes between the last reading and the answer, as a colleague's would."""
    complete = generation.client.complete

    def interrupted(*args: object, **kwargs: object) -> object:
        reply = complete(*args, **kwargs)
        monkeypatch.undo()
        change(alice, risk, severity="medium")
        return reply

    change(alice, risk, severity="low")
    pass_time(service)
    monkeypatch.setattr(generation.client, "complete", interrupted)
    with service.open():
        (claim,) = claim_due()
    assert generation.update_variant(service.workspace, claim) is True
    assert "Low" in pulse_of(viewer, risk)["text"]
    assert pulse_of(viewer, risk)["stale_since"] is not None
    assert work() == 1
    assert "Medium" in pulse_of(viewer, risk)["text"]
    assert pulse_of(viewer, risk)["stale_since"] is None


def test_label_raised_while_the_model_answers_is_not_lost(
    viewer: Person, cfo: Person, risk: Risk, index: Index, work: Work, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = index.row(risk, "The penalty for the delay is 9,000 euros.", file=index.file(risk, "log.md"))
    complete = generation.client.complete

    def interrupted(*args: object, **kwargs: object) -> object:
        reply = complete(*args, **kwargs)
        monkeypatch.undo()
        with service.open():
            ContextRow.objects.filter(pk=row)._raw_delete("default")
        index.row(risk, "The penalty for the delay is 9,000 euros.", label=5, file=index.file(risk, "log2.md"))
        return reply

    viewer.api.post(f"/api/entities/{risk.pk}/pulse/refresh/")
    pass_time(service)
    monkeypatch.setattr(generation.client, "complete", interrupted)
    with service.open():
        (claim,) = claim_due()
    assert generation.update_variant(service.workspace, claim) is True
    assert "9,000" not in pulse_of(viewer, risk)["text"]
    assert work() == 1
    assert pulse_of(viewer, risk)["text"] is None
    assert "9,000" in pulse_of(cfo, risk)["text"]


def test_failing_model_is_said_and_tried_again_later(
    alice: Person, viewer: Person, risk: Risk, work: Work, service: Scope, script: Script
) -> None:
    script.push(error=529)
    change(alice, risk, severity="low")
    pass_time(service)
    with service.open():
        (claim,) = claim_due()
    generation.update_variant(service.workspace, claim)
    shown = pulse_of(viewer, risk)
    assert shown["problem"] == "The model is overloaded; try again in a moment."
    assert "High" in shown["text"]
    assert shown["refreshing"] is True
    with service.open():
        assert claim_due() == []
    work()
    shown = pulse_of(viewer, risk)
    assert shown["problem"] is None
    assert "Low" in shown["text"]


def test_deleting_a_record_leaves_nothing(alice: Person, risk: Risk, index: Index, work: Work, service: Scope) -> None:
    index.row(risk, "The structural steel came a month late.", file=index.file(risk, "log.md"))
    alice.api.post(f"/api/entities/{risk.pk}/pulse/refresh/")
    work()
    with alice.scope.open():
        delete_entity(scope=alice.scope, entity=risk)
    from retrieval.models import Citation, CitationCounter

    with service.open():
        for model in (Variant, Pulse, Source, Reference, Citation, CitationCounter):
            assert model.objects.count() == 0, model


def test_calls_are_metered_as_the_role(risk: Risk, service: Scope) -> None:
    with service.open():
        call = ModelCall.objects.filter(feature="pulse").get()
        assert call.principal < 0
        assert Pulse.objects.get().generated_by == call.principal
