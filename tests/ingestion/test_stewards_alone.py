"""Text that rests with stewards and its sender alone: who reads it, what does not end that, and what does."""

import json
from io import StringIO
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command
from django.db import connection

from entities.access import Scope, list_atoms
from entities.models import Classification, ClassificationGrant, FieldParagraph, Role, Workspace
from entities.models.classification import CONFIDENTIAL, FINANCIAL, INTERNAL, PII, PUBLIC, STEWARDS
from entities.rag import Collection
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import File, Paragraph
from ingestion.resting import apply_resting_everywhere, prepare_resting
from ingestion.votes import FLOOR, KEPT, Vote, is_judged
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.helpers import labelled, ready, texts, upload
from tests.ingestion.test_document_kinds import change
from tests.ingestion.test_heads import DISCHARGE
from tests.ingestion.test_resting import ILL, LETTER, PAY, read, search
from tests.ingestion.test_resting_names import TELLING, names_of, rest_as

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
ALONE = "[Stewards and its sender alone]"


@pytest.fixture
def resting(alice: Person, contract: Contract) -> Contract:
    """A record of a workspace in which text rests so."""
    rest_as(alice, STEWARDS)
    process_all_waiting(contract.workspace_id)
    return contract


@pytest.fixture
def sender(workspace: Workspace) -> Person:
    return person(workspace, "sender", [INTERNAL, FINANCIAL], ("Editor",))


@pytest.fixture
def colleague(workspace: Workspace) -> Person:
    return person(workspace, "colleague", [INTERNAL, FINANCIAL, PII, CONFIDENTIAL], ("Editor",))


@pytest.fixture
def bare(workspace: Workspace) -> Person:
    """A steward who holds nothing besides."""
    return person(workspace, "bare", [], ("Steward",))


def decide(who: Person, text: str, labels: list[int]) -> None:
    with who.scope.open():
        pk = Paragraph.objects.get(text=text).pk
    given = {"labels": labels, "reason": "looked at"}
    assert who.api.patch(f"/api/paragraphs/{pk}/", given, format="json").status_code == 200
    process_all_waiting(who.scope.workspace)


def desk(who: Person, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = who.api.get("/api/desk/", query).json()["results"]
    return found


def proposals(who: Person) -> dict[str, list[str] | None]:
    """Words of what waits -> the names of what is proposed."""
    return {
        one["text"]: None if one["proposed"] is None else [atom["label"] for atom in one["proposed"]]
        for one in desk(who)
    }


def label_of(service: Scope, text: str) -> set[int]:
    with service.open():
        label = Paragraph.objects.get(text=text).data_classification
        return set() if label is None else set(list_atoms(label))


def test_stewards_and_the_sender_read_and_find_it_and_nobody_else_does(
    resting: Contract, sender: Person, colleague: Person, bare: Person
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    for who in (sender, bare):
        assert texts(who, file) == [ILL, PAY]
        assert any("lungs" in text for text in search(who, "lungs"))
    assert read(colleague, file) == []
    assert names_of(colleague, resting) == []
    assert not any("lungs" in text for text in search(colleague, "lungs"))


def test_what_rules_find_is_proposed_and_opens_nothing(
    resting: Contract, sender: Person, colleague: Person, alice: Person, bare: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    assert label_of(service, PAY) == {STEWARDS}
    assert proposals(bare) == {PAY: ["Financial"]}
    rows = alice.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    assert [row["judged"] for row in rows] == [False, False]
    assert any(vote.get("held") and vote["labels"] for vote in rows[1]["votes"])
    assert read(colleague, file) == []


def test_accepting_a_proposal_gives_what_was_proposed_in_place_of_what_it_rested_as(
    resting: Contract, sender: Person, alice: Person, cfo: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    (item,) = desk(alice)
    shown = {"paragraphs": [{"id": item["id"], "seen": item["seen"]}]}
    assert alice.api.post("/api/desk/accept/", shown, format="json").status_code == 200
    process_all_waiting(service.workspace)
    assert label_of(service, PAY) == {FINANCIAL}
    assert PAY in texts(cfo, file)
    assert ILL not in texts(cfo, file)


def test_what_has_no_proposal_cannot_be_accepted(resting: Contract, sender: Person, alice: Person) -> None:
    ready(sender, resting, "note.txt", ILL.encode())
    (item,) = desk(alice, cause="unjudged")
    assert item["proposed"] is None
    page = alice.client.get(f"{alice.base}desk/{item['id']}/").content.decode()
    assert "checked" not in page.partition('name="labels"')[2].partition("</fieldset>")[0]


def test_a_stewards_decision_ends_it_and_overrules_what_was_proposed(
    resting: Contract, sender: Person, viewer: Person, alice: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    decide(alice, PAY, [])
    assert texts(viewer, file) == [ALONE, PAY]
    rest_as(alice, INTERNAL)
    process_all_waiting(service.workspace)
    assert PAY in texts(viewer, file), "another resting label brings back nothing that was overruled"


def test_a_model_ends_it_and_what_rules_found_counts_then(
    resting: Contract, sender: Person, viewer: Person, cfo: Person
) -> None:
    with scripted.use_scripted_model() as script:
        name, answer = labelled(2, {})
        script.push(tool_use=(name, answer))
        file = ready(sender, resting, "letter.txt", LETTER)
    assert texts(viewer, file) == [ILL, "[Financial]"]
    assert texts(cfo, file) == [ILL, PAY]


def test_a_model_that_names_no_level_ends_nothing(resting: Contract, sender: Person, viewer: Person) -> None:
    with scripted.use_scripted_model() as script:
        name, answer = labelled(1, {0: []})
        script.push(tool_use=(name, answer))
        file = ready(sender, resting, "note.txt", ILL.encode())
    assert read(viewer, file) == []


def test_a_declaration_ends_it(
    resting: Contract, sender: Person, viewer: Person, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = {"documents": Collection("Documents", classification=PUBLIC)}
    monkeypatch.setattr(Contract.Rag, "collections", declared)
    assert texts(viewer, ready(sender, resting, "letter.txt", LETTER)) == [ILL, "[Financial]"]
    given = ready(sender, resting, "given.txt", LETTER + b"\n.\n", labels=str(INTERNAL))
    assert texts(staff, given)[:2] == [ILL, "[Financial]"]


def test_who_sends_may_not_declare_public_what_they_could_not_read(resting: Contract, sender: Person) -> None:
    answer = upload(sender, resting, "letter.txt", LETTER, labels="0")
    assert answer.json()["error"]["code"] == "label_not_yours"
    answer = upload(sender, resting, "letter.txt", LETTER, labels=str(STEWARDS))
    assert answer.json()["error"]["code"] == "label_not_yours"


def test_no_steward_labels_with_it(resting: Contract, sender: Person, bare: Person, alice: Person) -> None:
    ready(sender, resting, "letter.txt", LETTER)
    with alice.scope.open():
        pk = Paragraph.objects.get(text=ILL).pk
    given = {"labels": [STEWARDS], "reason": "for us"}
    answer = bare.api.patch(f"/api/paragraphs/{pk}/", given, format="json")
    assert answer.json()["error"]["code"] == "label_not_yours"


def test_a_label_of_before_is_kept_beside_it_and_the_sender_needs_that(
    resting: Contract, alice: Person, sender: Person, bare: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    decide(alice, ILL, [CONFIDENTIAL])
    edited = ILL.replace("Tom", "Tim")
    again = ready(sender, resting, "letter.txt", LETTER.replace(ILL.encode(), edited.encode()))
    assert again == file
    assert label_of(service, edited) == {STEWARDS, CONFIDENTIAL}
    assert texts(sender, file) == [f"[Confidential, {ALONE[1:]}", PAY]
    assert texts(bare, file) == ["[Confidential]", PAY]
    assert texts(alice, file) == [edited, PAY]
    apply_resting_everywhere()
    with service.open():
        assert not File.objects.exclude(pending_revision=None).exists(), "it rests where it should"


def test_findings_label_it_once_text_rests_with_others(
    resting: Contract, sender: Person, staff: Person, cfo: Person, alice: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", LETTER)
    ready(sender, resting, f"{TELLING}.txt", ILL.encode())
    assert names_of(cfo, resting) == []
    rest_as(alice, INTERNAL)
    assert label_of(service, PAY) == {FINANCIAL}, "before any worker has come"
    assert names_of(staff, resting) == ["letter.txt"]
    assert not any("salary" in text for text in search(staff, "average salary"))
    process_all_waiting(service.workspace)
    assert texts(staff, file) == [ILL, "[Financial]"]
    assert PAY in texts(cfo, file)
    assert names_of(staff, resting) == ["letter.txt"]
    assert f"{TELLING}.txt" in names_of(cfo, resting)


def test_text_that_rested_otherwise_moves_there_and_what_was_judged_stays(
    alice: Person, staff: Person, cfo: Person, bare: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    rest_as(alice, STEWARDS)
    assert read(staff, file) == []
    assert texts(cfo, file) == [ALONE, PAY]
    process_all_waiting(service.workspace)
    assert texts(bare, file) == [ILL, "[Financial]"]
    with service.open():
        before = list(File.objects.values_list("updated_at", flat=True))
    apply_resting_everywhere()
    with service.open():
        assert not File.objects.exclude(pending_revision=None).exists()
        assert list(File.objects.values_list("updated_at", flat=True)) == before


@pytest.mark.usefixtures("heads")
def test_a_kind_proposes_what_it_is_kept_for_also_what_is_added_later(
    resting: Contract, sender: Person, colleague: Person, alice: Person, service: Scope
) -> None:
    file = ready(sender, resting, "letter.txt", DISCHARGE.encode())
    assert read(colleague, file) == []
    assert change(alice, "medical", [CONFIDENTIAL]).status_code == 200
    process_all_waiting(service.workspace)
    assert read(colleague, file) == []
    assert names_of(colleague, resting) == []
    with service.open():
        labels = {one.data_classification for one in Paragraph.objects.filter(file=file)}
        assert labels == {STEWARDS}
        assert not Paragraph.objects.filter(file=file, judged=True).exists()
    assert all("Confidential" in (one or ()) for one in proposals(alice).values())


def test_typed_text_rests_there_and_its_author_reads_it(
    resting: Contract, sender: Person, colleague: Person, service: Scope
) -> None:
    answer = sender.api.patch(f"/api/entities/contract/{resting.pk}/", {"notes": PAY}, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(service.workspace)
    with service.open():
        assert FieldParagraph.objects.get(field="notes").data_classification == STEWARDS
    assert PAY in sender.client.get(f"{sender.base}entities/{resting.pk}/").content.decode()
    assert PAY not in colleague.client.get(f"{colleague.base}entities/{resting.pk}/").content.decode()


def test_roles_of_stewards_have_it_and_no_other_role(resting: Contract, alice: Person, service: Scope) -> None:
    def holders() -> set[str]:
        with service.open():
            grants = ClassificationGrant.objects.filter(classification__value=STEWARDS)
            return set(grants.values_list("role__name", flat=True))

    assert holders() == {"Steward"}
    with service.open():
        role = Role.objects.get(name="Editor")
    address = f"{alice.base}admin/entities/role/{role.pk}/change/"
    form = {
        "name": "Editor",
        "is_steward": "on",
        "classification_grants-TOTAL_FORMS": "0",
        "classification_grants-INITIAL_FORMS": "0",
    }
    assert alice.client.post(address, form).status_code == 302
    assert holders() == {"Steward", "Editor"}
    del form["is_steward"]
    assert alice.client.post(address, form).status_code == 302
    assert holders() == {"Steward"}
    person(Workspace.objects.get(pk=service.workspace), "new", [], is_steward=True)
    assert holders() == {"Steward", "new role"}


def test_the_page_offers_it_counts_before_and_refuses_it_without_a_steward(
    alice: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    page = alice.client.get(f"{alice.base}resting/?to={STEWARDS}").content.decode()
    assert "1 paragraph" in page
    assert "less" in page
    with service.open():
        assert not Classification.objects.filter(value=STEWARDS).exists(), "looking makes nothing"
        Role.objects.filter(is_steward=True).update(is_steward=False)
    refused = alice.client.post(f"{alice.base}resting/", {"to": str(STEWARDS)})
    assert refused.status_code == 422
    assert "nobody is a steward yet" in refused.content.decode()


def test_the_preview_counts_what_was_found_under_its_own_label(
    resting: Contract, sender: Person, alice: Person, service: Scope
) -> None:
    ready(sender, resting, "letter.txt", LETTER)
    with alice.scope.open():
        moves = prepare_resting(alice.scope, INTERNAL).moves
    assert {(tuple(move.now or ()), tuple(move.to)): move.count for move in moves} == {
        ((STEWARDS,), (INTERNAL,)): 1,
        ((STEWARDS,), (FINANCIAL,)): 1,
    }


def test_a_workspace_begins_with_it(db: None) -> None:
    with mock.patch("entities.management.commands.create_workspace.getpass", return_value="a long pass phrase"):
        call_command("create_workspace", "quiet", "Quiet", admin="ann", resting="stewards", stdout=StringIO())
    workspace = Workspace.objects.get(slug="quiet")
    with Scope.for_service(workspace.pk).open():
        assert ClassificationGrant.objects.filter(classification__value=STEWARDS, role__is_steward=True).exists()


def test_the_database_knows_what_ends_it() -> None:
    held = Vote("rules", frozenset({5}), held=True)
    cases = [
        [held],
        [Vote("inherited", frozenset({2}), KEPT), held],
        [Vote("inherited", frozenset({2}), FLOOR), held],
        [Vote("inherited", frozenset(), FLOOR, public=True), held],
        [Vote("model", frozenset({5}), held=True), held],
        [Vote("model", frozenset({5})), held],
        [Vote("model"), held],
        [Vote("kind", frozenset({4})), held],
        [held, Vote("manual", by=1)],
    ]
    with connection.cursor() as cursor:
        for votes in cases:
            cursor.execute("SELECT app_is_judged(%s::jsonb)", [json.dumps([vote.to_json() for vote in votes])])
            assert cursor.fetchone() == (is_judged(votes),), votes
        for votes, waits in (([held], 16), ([Vote("inherited", frozenset({5}), FLOOR), held], 0)):
            given = [json.dumps([vote.to_json() for vote in votes]), STEWARDS]
            cursor.execute("SELECT app_review_causes(%s::jsonb, %s)", given)
            assert cursor.fetchone() == (waits,), votes
