"""Text that nobody has judged: who reads it until somebody has, and what opens it."""

import json
from io import StringIO
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command
from django.db import connection

from entities.access import Scope
from entities.models import AuditEntry, FieldParagraph, Review, Role, Workspace, WorkspaceSettings
from entities.models.classification import FINANCIAL, INTERNAL, PUBLIC
from entities.rag import Collection
from entities.types import Contract
from ingestion import pipeline, processing
from ingestion.embedders import EmbeddingFailed
from ingestion.inline import process_all_waiting
from ingestion.models import File, Paragraph
from ingestion.resting import apply_resting_everywhere, change_resting
from ingestion.votes import FLOOR, Vote, is_judged
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.helpers import labelled, ready, texts, upload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
ILL = "Tom is away again since the thing with his lungs came back."
PAY = "The average salary of a site manager is 68,400 pounds a year."
LETTER = f"{ILL}\n\n{PAY}\n".encode()


def read(who: Person, file: str) -> list[str]:
    """As `texts`; nothing where the reader has no paragraph for this person."""
    return texts(who, file) if who.api.get(f"/api/files/{file}/reader/").status_code == 200 else []


def search(who: Person, question: str) -> list[str]:
    found = who.api.get("/api/search/", {"q": question}).json()["results"]
    return [one["text"] for one in found if one.get("text")]


def test_what_rules_find_nothing_in_is_for_the_resting_level_and_a_finding_replaces_it(
    alice: Person, staff: Person, cfo: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    assert read(viewer, file) == []
    assert texts(staff, file) == [ILL, "[Financial]"]
    assert texts(cfo, file) == ["[Internal]", PAY], "Financial, and not Internal as well"
    assert ILL in search(staff, "lungs")
    assert not any("lungs" in text for text in search(viewer, "lungs"))


def test_who_sends_a_file_may_declare_it_public_where_nothing_is_found(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER, labels="0")
    assert texts(viewer, file) == [ILL, "[Financial]"]
    assert ILL in search(viewer, "lungs")


def test_who_may_not_read_what_rests_declares_nothing(workspace: Workspace, contract: Contract) -> None:
    editor = person(workspace, "editor", [], ("Editor",))
    answer = upload(editor, contract, "letter.txt", LETTER, labels="0")
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "label_not_yours"
    assert upload(editor, contract, "letter.txt", LETTER).status_code == 202


def test_sent_again_as_public_the_same_bytes_are_opened(alice: Person, viewer: Person, contract: Contract) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    assert read(viewer, file) == []
    assert ready(alice, contract, "letter.txt", LETTER, labels="0") == file
    assert texts(viewer, file) == [ILL, "[Financial]"]


def test_a_collection_declares_its_text_public(
    alice: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = {"documents": Collection("Documents", classification=PUBLIC)}
    monkeypatch.setattr(Contract.Rag, "collections", declared)
    assert texts(viewer, ready(alice, contract, "letter.txt", LETTER)) == [ILL, "[Financial]"]


def test_a_model_opens_what_it_finds_public_and_no_more(
    alice: Person, staff: Person, viewer: Person, contract: Contract
) -> None:
    body = b"The gate is green.\n\nThe fence is new.\n"
    with scripted.use_scripted_model() as script:
        name, answer = labelled(2, {})
        answer["paragraphs"][1]["labels"] = []  # it names no level, not even Public
        script.push(tool_use=(name, answer))
        file = ready(alice, contract, "a.txt", body)
    assert texts(viewer, file) == ["The gate is green.", "[Internal]"]
    assert texts(staff, file) == ["The gate is green.", "The fence is new."]


def test_a_steward_opens_and_what_they_decided_rests_no_more(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    with service.open():
        pk = Paragraph.objects.get(text=ILL).pk
    decision = {"labels": [INTERNAL], "reason": "about one of us"}
    assert alice.api.patch(f"/api/paragraphs/{pk}/", decision, format="json").status_code == 200
    process_all_waiting(service.workspace)
    with alice.scope.open():
        change_resting(scope=alice.scope, label=PUBLIC)
    process_all_waiting(service.workspace)
    assert read(viewer, file) == []
    opened = {"labels": [], "reason": "everybody knows"}
    assert alice.api.patch(f"/api/paragraphs/{pk}/", opened, format="json").status_code == 200
    assert texts(viewer, file) == [ILL, "[Financial]"]


def test_another_resting_level_closes_at_once_and_opens_when_it_is_published(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    with alice.scope.open():
        change_resting(scope=alice.scope, label=PUBLIC)
    process_all_waiting(service.workspace)
    assert texts(viewer, file) == [ILL, "[Financial]"]
    assert ILL in search(viewer, "lungs")
    with alice.scope.open():
        change_resting(scope=alice.scope, label=FINANCIAL)
    # Before any worker has come:
    assert read(viewer, file) == []
    assert read(staff, file) == []
    assert not any("lungs" in text for who in (viewer, staff) for text in search(who, "lungs"))
    process_all_waiting(service.workspace)
    assert not any("lungs" in text for who in (viewer, staff) for text in search(who, "lungs"))
    with service.open():
        acts = AuditEntry.objects.filter(action="resting.changed").order_by("pk")
        assert [(act.detail["before"], act.detail["after"]) for act in acts] == [(1, 0), (0, 5)]


def test_work_that_was_begun_under_another_resting_label_is_not_published(
    alice: Person, staff: Person, cfo: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "SAVE_AFTER_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(processing, "publish_revision", mock.Mock(side_effect=EmbeddingFailed("the worker ends here")))
        file = upload(alice, contract, "letter.txt", LETTER).json()["id"]
        process_all_waiting(contract.workspace_id)
    with alice.scope.open():
        change_resting(scope=alice.scope, label=FINANCIAL)
    with Scope.for_service(contract.workspace_id).open():
        File.objects.filter(pk=file).update(claimed_until=None)
    process_all_waiting(contract.workspace_id)
    assert texts(cfo, file) == [ILL, PAY]
    assert read(staff, file) == []


def test_a_level_that_no_steward_holds_is_refused(workspace: Workspace, alice: Person) -> None:
    alice.client.post("/accounts/login/", {"username": "alice", "password": "pass"})
    bare = person(workspace, "bare", [INTERNAL], ("Admin", "Steward"))
    with Scope.for_service(workspace.pk).open():
        alice.user.groups.clear()
    page = bare.client.post(f"{bare.base}resting/", {"to": str(FINANCIAL)})
    assert page.status_code == 422
    assert "Give it to one of: bare." in page.content.decode()
    assert bare.client.post(f"{bare.base}resting/", {"to": str(PUBLIC)}).status_code == 302


def test_the_page_is_for_administrators_and_tells_before_it_is_done(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    ready(alice, contract, "letter.txt", LETTER)
    page = alice.client.get(f"{alice.base}resting/?to=0").content.decode()
    assert "1 paragraph" in page
    assert "would read more" in page
    told = steward.client.get(f"{steward.base}resting/?to=0").content.decode()
    assert "would read more" not in told
    assert "An administrator chooses" in told
    assert steward.client.post(f"{steward.base}resting/", {"to": "0"}).status_code == 403
    assert viewer.client.get(f"{viewer.base}resting/").status_code == 403


def test_long_texts_rest_and_who_typed_one_reads_it(
    workspace: Workspace, alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    editor = person(workspace, "editor", [], ("Editor",))
    answer = editor.api.patch(f"/api/entities/contract/{contract.pk}/", {"notes": ILL}, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(service.workspace)

    def notes(who: Person) -> list[Any]:
        return [b.get("text") for b in who.api.get(f"/api/entities/contract/{contract.pk}/").json()["notes"]]

    assert notes(staff) == [ILL]
    assert notes(viewer) == [None]
    assert ILL in editor.client.get(f"{editor.base}entities/{contract.pk}/").content.decode()
    assert ILL not in viewer.client.get(f"{viewer.base}entities/{contract.pk}/").content.decode()
    with alice.scope.open():
        change_resting(scope=alice.scope, label=PUBLIC)
    process_all_waiting(service.workspace)
    assert notes(viewer) == [ILL]


def test_who_edits_what_somebody_else_typed_reads_it_by_their_clearance_alone(
    workspace: Workspace, staff: Person, contract: Contract, service: Scope
) -> None:
    editor = person(workspace, "editor", [], ("Editor",))
    edited = f"{ILL} He knows."
    for who, text in ((editor, ILL), (staff, edited)):
        answer = who.api.patch(f"/api/entities/contract/{contract.pk}/", {"notes": text}, format="json")
        assert answer.status_code == 200, answer.content
        process_all_waiting(service.workspace)

    def reads(who: Person) -> bool:
        return edited in who.client.get(f"{who.base}entities/{contract.pk}/").content.decode()

    assert [reads(staff), reads(editor)] == [True, False]
    with service.open():
        staff.user.groups.remove(Role.objects.get(name="staff role").group)
    assert not reads(staff)


def test_who_edits_their_own_text_reads_it_while_it_rests(staff: Person, contract: Contract, service: Scope) -> None:
    edited = f"{ILL} They know."
    for text in (ILL, edited):
        answer = staff.api.patch(f"/api/entities/contract/{contract.pk}/", {"notes": text}, format="json")
        assert answer.status_code == 200, answer.content
        process_all_waiting(service.workspace)
    with service.open():
        assert FieldParagraph.objects.get(field="notes").floor == PUBLIC
        staff.user.groups.remove(Role.objects.get(name="staff role").group)
    assert edited in staff.client.get(f"{staff.base}entities/{contract.pk}/").content.decode()


def test_a_new_version_keeps_no_resting_label_up(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    again = ready(alice, contract, "letter.txt", LETTER + b"\nThe end.\n", labels="0")
    assert again == file
    assert texts(viewer, file) == [ILL, "[Financial]", "The end."]
    with service.open():
        assert not any(review & Review.DECREASE for review in Paragraph.objects.values_list("review", flat=True))


def test_the_database_knows_what_is_judged() -> None:
    cases = [
        [],
        [Vote("rules")],
        [Vote("inherited", frozenset(), FLOOR), Vote("rules", proposed=frozenset({3})), Vote("model")],
        [Vote("rules", frozenset({3}))],
        [Vote("model", public=True)],
        [Vote("inherited", frozenset(), FLOOR, public=True), Vote("rules")],
        [Vote("manual", by=1)],
    ]
    with connection.cursor() as cursor:
        for votes in cases:
            cursor.execute("SELECT app_is_judged(%s::jsonb)", [json.dumps([vote.to_json() for vote in votes])])
            assert cursor.fetchone() == (is_judged(votes),), votes


def test_the_api_and_the_reader_say_what_is_not_judged(alice: Person, staff: Person, contract: Contract) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    rows = alice.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    assert [row["judged"] for row in rows] == [False, True]
    blocks = staff.api.get(f"/api/files/{file}/reader/").json()["blocks"]
    assert blocks[0]["judged"] is False
    assert "not judged yet" in staff.client.get(f"{staff.base}files/{file}/").content.decode()


def test_the_first_start_of_this_release_closes_what_an_earlier_one_left_open(
    alice: Person, staff: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "letter.txt", LETTER)
    with alice.scope.open():  # as a release without resting labels had it
        change_resting(scope=alice.scope, label=PUBLIC)
    process_all_waiting(service.workspace)
    nothing = {"source": "model", "labels": [], "reason": "nothing that a level names", "confidence": 0.7}
    with service.open():
        WorkspaceSettings.objects.update(resting=INTERNAL)
        Paragraph.objects.filter(text=ILL).update(votes=[nothing])
    assert texts(viewer, file) == [ILL, "[Financial]"]
    told = StringIO()
    call_command("preview_resting", stdout=told)
    assert "1 paragraphs of files and 0 of records rest; 1 of 3 members" in told.getvalue()
    apply_resting_everywhere()
    assert read(viewer, file) == []
    process_all_waiting(service.workspace)
    assert texts(staff, file) == [ILL, "[Financial]"]
    assert not any("lungs" in text for text in search(viewer, "lungs"))
    assert ILL in search(staff, "lungs")
