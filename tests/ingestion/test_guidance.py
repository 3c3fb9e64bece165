"""The workspace's own guidance and levels: in the prompt that is sent, and in the witness of what it labelled."""

from typing import Any

import pytest

from entities.access import Scope, list_atoms
from entities.models import Classification, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, FINANCIAL
from entities.rag import Collection
from entities.types import Contract
from ingestion.models import ContextRow, File, Kind, Paragraph
from ingestion.staleness import is_stale
from llm import scripted
from llm.scripted import RecordedRequest, Script
from tests.conftest import Person
from tests.ingestion.helpers import labelled, ready, texts

EXPORT = 7
GUIDANCE = "Whatever names a turbine blade is Export Controlled."
LINES = ("The gate is green.", "The turbine blade is two metres long.")
DREDGED = "Berth number four is dredged once more before the winter."
RENT = "The rent of the eastern berths is 4,000 euros a month, paid in advance."
BODY = "\n\n".join(LINES).encode()


def is_window(request: RecordedRequest) -> bool:
    return "record_labels" in request.tools


def asked(script: Script) -> list[str]:
    """All text of each call for labels."""
    return [request.text for request in script.requests if is_window(request)]


def stale(service: Scope) -> set[str]:
    with service.open():
        return {str(pk) for pk in File.objects.filter(is_stale()).values_list("pk", flat=True)}


def guide(admin: Person, service: Scope, words: str) -> None:
    """As an administrator does, on the page of the workspace's settings."""
    with service.open():
        row = WorkspaceSettings.objects.get()
    page = f"{admin.base}admin/entities/workspacesettings/{row.pk}/change/"
    form: Any = {
        "citation_style": row.citation_style,
        "classification_prompt": words,
        "keep_questions_days": row.keep_questions_days or "",
        "keep_audit_days": row.keep_audit_days or "",
    }
    answer = admin.client.post(page, form)
    assert answer.status_code == 302, answer.content
    with service.open():
        assert WorkspaceSettings.objects.get().classification_prompt == words


@pytest.fixture
def level(contract: Contract, service: Scope) -> Classification:
    with service.open():
        return Classification.objects.create(
            workspace_id=contract.workspace_id, value=EXPORT, label="Export Controlled",
            description="Dual-use goods", components=[EXPORT],
        )  # fmt: skip


@pytest.fixture
def collections(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = Collection("Plans", classification=CONFIDENTIAL, classify=False)
    declared = {"documents": Collection("Documents"), "plans": plans}
    monkeypatch.setattr(Contract.Rag, "collections", declared)


def test_guidance_and_a_level_of_its_own_are_in_the_prompt_and_its_label_is_taken(
    alice: Person, viewer: Person, contract: Contract, service: Scope, level: Classification
) -> None:
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(2, {}), when=is_window)
        ready(alice, contract, "before.txt", BODY + b"\n")
        guide(alice, service, GUIDANCE)
        script.push(tool_use=labelled(2, {1: [EXPORT]}), when=is_window)
        file = ready(alice, contract, "after.txt", BODY)
        before, after = asked(script)
    assert GUIDANCE not in before
    assert "<guidance>" not in before
    assert GUIDANCE in after
    assert after.count("Export Controlled") > before.count("Export Controlled") > 0
    assert "Dual-use goods" in before
    with service.open():
        rows = Paragraph.objects.filter(file=file).order_by("position").values_list("data_classification", flat=True)
        assert [set(list_atoms(label)) for label in rows] == [set(), {EXPORT}]
    assert texts(viewer, file) == [LINES[0], "[Export Controlled]"]


def test_guidance_of_one_workspace_is_not_told_for_another(
    alice: Person, outsider: Person, contract: Contract, service: Scope
) -> None:
    from entities.actions import create_entity

    guide(alice, service, GUIDANCE)
    with outsider.scope.open():
        theirs = create_entity(scope=outsider.scope, model=Contract, fields={"name": "Theirs", "counterparty": "X"})
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(2, {}), when=is_window)
        ready(outsider, theirs, "a.txt", BODY)
        (text,) = asked(script)
    assert GUIDANCE not in text


def test_a_change_of_guidance_or_level_makes_stale_exactly_what_a_model_labels(
    alice: Person, contract: Contract, service: Scope, level: Classification, collections: None
) -> None:
    guide(alice, service, GUIDANCE)
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(2, {1: [EXPORT]}), when=is_window)
        labelled_by_it = ready(alice, contract, "a.txt", BODY)
        ready(alice, contract, "plan.txt", BODY + b"\n", collection="plans")
        assert len(asked(script)) == 1
        assert stale(service) == set()
        guide(alice, service, "Blades are Public.")
        assert stale(service) == {labelled_by_it}
        # What comes now is made with the new words, and is not stale.
        script.push(tool_use=labelled(2, {}), when=is_window)
        later = ready(alice, contract, "later.txt", BODY + b"\n\n")
        assert stale(service) == {labelled_by_it}
        assert "Blades are Public." in asked(script)[1]
        guide(alice, service, GUIDANCE)
        assert stale(service) == {later}, "the first is as it was made"
        with service.open():
            Classification.objects.filter(value=EXPORT).update(description="Goods that need a permit")
        assert stale(service) == {labelled_by_it, later}


def test_without_a_model_rules_add_labels_and_summaries_are_made_of_each(
    alice: Person, staff: Person, contract: Contract, service: Scope, collections: None
) -> None:
    def list_disclosed_files(line: str) -> Any:
        return lambda request: not is_window(request) and line in request.text

    with scripted.use_scripted_model() as script:
        for line in (DREDGED, RENT):
            script.push(text=line, when=list_disclosed_files(line))
        file = ready(alice, contract, "plan.txt", f"{DREDGED}\n\n{RENT}".encode(), collection="plans")
        assert asked(script) == []
        assert (script.left, script.unanswered) == (0, [])
        first, second = (request.text for request in script.requests)
        # Each summary is asked for with the text of its own label alone.
        assert [(DREDGED in text, RENT in text) for text in sorted((first, second), key=lambda t: RENT in t)] == [
            (True, False),
            (False, True),
        ]
    with service.open():
        rows = Paragraph.objects.filter(file=file).order_by("position")
        assert [set(list_atoms(row.data_classification)) for row in rows] == [{CONFIDENTIAL}, {CONFIDENTIAL, FINANCIAL}]
        assert {vote["source"] for row in rows for vote in row.votes} == {"inherited", "rules"}
        made = ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY)
        summaries = {frozenset(list_atoms(row.data_classification)): row.text for row in made}
    assert summaries == {frozenset({CONFIDENTIAL}): DREDGED, frozenset({CONFIDENTIAL, FINANCIAL}): RENT}
    assert staff.api.get(f"/api/files/{file}/reader/").status_code == 404
