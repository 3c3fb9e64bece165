"""Labels: votes, a steward's decisions, and what follows from them at once."""

from typing import Any
from uuid import UUID

import pytest

from entities.access import Scope
from entities.models import AuditEntry, Classification, FieldParagraph, Source, Workspace
from entities.models.classification import INTERNAL, SECRET
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Kind, Paragraph
from ingestion.text_labels import label_text
from ingestion.votes import Vote, decide_atoms
from llm import scripted
from tests.conftest import Person, person
from tests.ingestion.helpers import label, labelled, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)
STORM = "The quay was closed for two days because of the storm."
SALARY = "The average salary of a site manager is 68,400 pounds a year."


def passage(person: Person, file: str, text: str) -> dict[str, Any]:
    rows = person.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    found = [row for row in rows if row["text"] == text]
    assert len(found) == 1
    return dict(found[0])


def relabel(person: Person, paragraph: str, labels: list[int], reason: str = "because it is so") -> Any:
    return person.api.patch(f"/api/paragraphs/{paragraph}/", {"labels": labels, "reason": reason}, format="json")


# Who may


def test_stewards_see_votes_and_others_do_not(alice: Person, steward: Person, cfo: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    shown = passage(steward, file, SALARY)
    assert shown["labels"] == [{"value": 5, "label": "Financial"}]
    assert {vote["source"] for vote in shown["votes"]} == {"inherited", "rules", "model"}
    assert cfo.api.get(f"/api/files/{file}/paragraphs/").status_code == 403
    assert relabel(cfo, shown["id"], []).status_code == 403
    assert SALARY in texts(cfo, file)


def test_a_steward_decides_only_where_they_may_see(
    steward: Person, alice: Person, restricted: Contract, service: Scope
) -> None:
    ready(alice, restricted)
    with service.open():
        hidden = Paragraph.objects.get(text=SALARY).pk
    answer = relabel(steward, str(hidden), [])
    assert answer.status_code == 404
    assert answer.content == relabel(steward, str(UUID(int=0)), []).content
    assert relabel(alice, str(hidden), []).status_code == 200


# Raising


def test_raising_hides_the_text_everywhere_in_one_transaction(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    assert STORM in texts(viewer, file)
    paragraph = passage(steward, file, STORM)
    with service.open():
        summary = ContextRow.objects.get(file=file, kind=Kind.FILE_SUMMARY, data_classification=0)
        drawn = Source.objects.filter(derived=summary.pk, passage=paragraph["id"]).exists()
        assert drawn
    answer = relabel(steward, paragraph["id"], [2], "names a dispute")
    assert answer.status_code == 200
    assert answer.json()["labels"] == [{"value": 2, "label": "Confidential"}]
    # Before any worker ran: not in the reader, not in the index.
    assert "[Confidential]" in texts(viewer, file)
    with viewer.scope.open():
        assert not ContextRow.objects.filter(text__contains="storm").exists()
    with service.open():
        assert ContextRow.objects.get(pk=summary.pk).data_classification == 2
        assert AuditEntry.objects.filter(action="paragraph.relabelled", actor=steward.user.pk).count() == 1
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "ready"
    assert texts(viewer, file).count("[Confidential]") == 1
    with service.open():
        assert ContextRow.objects.get(kind=Kind.FILE_CHUNK, text__contains="storm").data_classification == 2
        summaries = ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY)
        assert all("storm" not in row.text for row in summaries.filter(data_classification=0))


def test_a_passage_of_its_own_rises_at_once_and_is_found_by_who_has_the_label(
    alice: Person, steward: Person, viewer: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    text = "The keel was laid in spring."
    file = ready(alice, contract, "keel.txt", f"{text}\n\n{SALARY}".encode())
    with service.open():
        row = ContextRow.objects.get(kind=Kind.FILE_CHUNK, text=text).pk
    assert relabel(steward, passage(steward, file, text)["id"], [5]).status_code == 200
    # Before any worker ran.
    with cfo.scope.open():
        assert ContextRow.objects.get(pk=row).data_classification == 5
    with viewer.scope.open():
        assert not ContextRow.objects.filter(pk=row).exists()
    # What falls is out until the index follows: what else the row says may need the old label.
    assert relabel(steward, passage(steward, file, text)["id"], []).status_code == 200
    with service.open():
        assert not ContextRow.objects.filter(pk=row).exists()
    process_all_waiting(alice.scope.workspace)
    with viewer.scope.open():
        assert ContextRow.objects.get(kind=Kind.FILE_CHUNK, text=text).data_classification == 0


def test_the_audit_keeps_the_reason_and_tells_the_paragraph_to_who_may_read_both(
    alice: Person, steward: Person, workspace: Workspace, contract: Contract
) -> None:
    """An id is made of the text."""
    file = ready(alice, contract)
    pk = passage(steward, file, SALARY)["id"]
    assert relabel(steward, pk, [2], "It names a dispute.").status_code == 200
    some = person(workspace, "some", [INTERNAL], ("Admin",))
    (kept,) = alice.api.get("/api/audit/", {"action": "paragraph.relabelled"}).json()["results"]
    assert kept["object"] == {"kind": "file", "id": file}
    assert kept["detail"] == {"was": [5], "labels": [2]}
    assert kept["question"]["text"] == "It names a dispute."
    assert kept["question"]["retrieved"] == [{"row": pk, "entity": str(contract.pk)}]
    (told,) = some.api.get("/api/audit/", {"action": "paragraph.relabelled"}).json()["results"]
    assert told == {**kept, "question": {"state": "hidden"}}
    pages = [some.api.get("/api/audit/"), some.client.get(f"{some.base}admin/entities/auditentry/")]
    assert not any(secret in page.content.decode() for page in pages for secret in (pk, "names a dispute"))


def test_the_audit_names_a_file_to_who_may_read_its_name(
    alice: Person, workspace: Workspace, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "bonus round.txt", b"The keel was laid in spring.")
    clerk = person(workspace, "clerk", [INTERNAL], ("Admin",))

    def read_audit(who: Person, **headers: str) -> str:
        address = f"{who.base}admin/entities/auditentry/?action=file.uploaded"
        return who.client.get(address, headers=headers).content.decode()

    link = f'<a href="{alice.base}files/{file}/">bonus round.txt</a>'
    assert link in read_audit(clerk)
    assert "uploaded a file" in read_audit(clerk)
    assert "hat eine Datei hochgeladen" in read_audit(clerk, **{"accept-language": "de"})
    with service.open():
        File.objects.filter(pk=file).update(name_classification=5)
    assert link in read_audit(alice)
    told = read_audit(clerk)
    assert file in told
    assert "bonus round" not in told


def test_raising_a_heading_takes_it_out_of_the_paths_below_one_that_nobody_may_know_of(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    """To who may not know of that one, what stands under it stands under the heading before."""
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)
    body = "# Closure of the Leith office\n\n# Heron\n\n" + "Boxes are packed by the end of the week. " * 30
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(3, {1: [SECRET]}))
        file = ready(alice, contract, "move.md", body.encode())
    with viewer.scope.open():
        assert ContextRow.objects.filter(heading_path__contains="Leith", text__contains="Boxes").exists()
    relabel(steward, passage(steward, file, "Closure of the Leith office")["id"], [SECRET])
    with viewer.scope.open():
        assert not ContextRow.objects.filter(heading_path__contains="Leith").exists()


def test_raising_a_heading_takes_it_out_of_the_paths_below_it(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    body = b"# Closure of the Leith office\n\n" + b"Desks are packed by the end of the week. " * 30
    file = ready(alice, contract, "move.md", body)
    with viewer.scope.open():
        assert ContextRow.objects.filter(heading_path__contains="Leith").exists()
    relabel(steward, passage(steward, file, "Closure of the Leith office")["id"], [6])
    with viewer.scope.open():
        assert not ContextRow.objects.filter(heading_path__contains="Leith").exists()
    process_all_waiting(alice.scope.workspace)
    with viewer.scope.open():
        rows = ContextRow.objects.filter(file=file)
        assert rows.exists()
        assert not any("Leith" in row.text + row.heading_path for row in rows)
    assert "Leith" not in str(viewer.api.get(f"/api/files/{file}/reader/").json())


# Lowering


def test_lowering_by_a_steward_holds_through_a_new_version_and_a_model(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract)
    assert (
        relabel(steward, passage(steward, file, SALARY)["id"], [], "published in the annual report").status_code == 200
    )
    process_all_waiting(alice.scope.workspace)
    assert SALARY in texts(viewer, file)
    body = f"# Progress\n\n{SALARY}\n\nA new paragraph came.\n".encode()
    assert ready(alice, contract, content=body) == file
    assert SALARY in texts(viewer, file)


def test_what_was_not_known_at_the_decision_adds_to_it() -> None:
    decision = Vote("manual", frozenset({1}), "mine", by=7, over=frozenset({5}))
    assert decide_atoms([Vote("rules", frozenset({5})), decision], model_needed=True) == {1}
    assert decide_atoms(
        [Vote("rules", frozenset({5})), Vote("model", frozenset({5, 3})), decision], model_needed=True
    ) == {
        1,
        3,
    }


@pytest.mark.parametrize(
    ("hired", "edited"),
    [
        ("The crane is hired until May by the port.", "The crane is hired until June by the port."),
        ("起重机由港口租到五月。", "起重机由港口租到六月。"),
        ("クレーンは五月まで港が借りています。", "クレーンは六月まで港が借りています。"),
        ("เครนถูกเช่าโดยท่าเรือจนถึงเดือนพฤษภาคม", "เครนถูกเช่าโดยท่าเรือจนถึงเดือนมิถุนายน"),
    ],
    ids=["English", "Chinese", "Japanese", "Thai"],
)
def test_a_label_does_not_fall_by_itself(
    alice: Person, viewer: Person, contract: Contract, service: Scope, hired: str, edited: str
) -> None:
    def come(*lines: str) -> str:
        return ready(alice, contract, content="\n\n".join(["The storm came.", *lines, ""]).encode())

    file = come(hired)
    label(service, hired, 5)
    # An edit of the same paragraph, and the same paragraph in a new version: both keep what they had.
    come(edited, "New.")
    assert texts(viewer, file) == ["The storm came.", "[Financial]", "New."]
    come(edited, "Newer.")
    assert texts(viewer, file) == ["The storm came.", "[Financial]", "Newer."]


def test_a_manual_label_is_the_floor_of_an_edited_paragraph(
    alice: Person, steward: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract, content=b"One thing.\n\nThe plan for the site.\n")
    relabel(steward, passage(steward, file, "The plan for the site.")["id"], [6])
    process_all_waiting(alice.scope.workspace)
    ready(alice, contract, content=b"One thing.\n\nSomething else entirely stands here now.\n")
    assert texts(viewer, file) == ["One thing.", "[Secret]"]


def test_a_decision_made_while_a_new_version_is_worked_on_is_heeded(
    alice: Person, steward: Person, viewer: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingestion import pipeline, processing

    file = ready(alice, contract, content=b"One thing.\n\nThe plan for the site.\n")
    paragraph = passage(steward, file, "The plan for the site.")["id"]
    publish, calls = processing.publish_revision, []

    def decide_first(*args: Any) -> None:
        calls.append(1)
        publish(*args)

    def embed_and_decide(*args: Any) -> Any:
        if not calls:
            calls.append(0)
            from ingestion.relabelling import Decision, apply_decision

            apply_decision(
                Decision(alice.scope.workspace, UUID(paragraph), True, frozenset({6}), "late", steward.user.pk)
            )
        return embed(*args)

    embed = pipeline.embed_texts
    monkeypatch.setattr(processing, "publish_revision", decide_first)
    monkeypatch.setattr(pipeline, "embed_texts", embed_and_decide)
    ready(alice, contract, content=b"One thing.\n\nThe plan for the site.\n\nAnother.\n")
    assert texts(viewer, file) == ["One thing.", "[Secret]", "Another."]
    assert calls == [0, 1, 1]


# Bad input


def test_bad_decisions_are_refused_with_words(
    subtests: pytest.Subtests, alice: Person, steward: Person, contract: Contract
) -> None:
    file = ready(alice, contract)
    paragraph = passage(steward, file, STORM)
    for body, status in [
        ({"labels": [99], "reason": "x"}, 422),
        ({"labels": [1000], "reason": "x"}, 422),
        ({"labels": ["a"], "reason": "x"}, 400),
        ({"labels": [1], "reason": ""}, 400),
        ({"labels": [1], "reason": "   "}, 400),
        ({"labels": [1]}, 400),
        ({"reason": "x"}, 400),
        ({"labels": [-1], "reason": "x"}, 400),
    ]:
        with subtests.test(body=body):
            answer = steward.api.patch(f"/api/paragraphs/{paragraph['id']}/", body, format="json")
            assert answer.status_code == status
            assert answer.json()["error"]["detail"]
            assert passage(steward, file, STORM)["labels"] == []


# Typed text


def typed(alice: Person, body: str) -> str:
    made = alice.api.post("/api/entities/article/", {"name": "Guide", "body": body}, format="json")
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


def shown(person: Person, article: str) -> list[str | None]:
    return [block.get("text") for block in person.api.get(f"/api/entities/article/{article}/").json()["body"]]


def test_typed_text_is_hidden_until_labelled_and_then_shown_by_label(
    alice: Person, viewer: Person, cfo: Person
) -> None:
    article = typed(alice, "Doors open at eight.\n\nThe rent of the hall is 4,500 pounds.")
    assert shown(viewer, article) == []
    process_all_waiting(alice.scope.workspace)
    assert shown(viewer, article) == ["Doors open at eight.", None]
    assert shown(cfo, article) == ["Doors open at eight.", "The rent of the hall is 4,500 pounds."]


def test_typed_text_can_be_relabelled(alice: Person, steward: Person, viewer: Person, service: Scope) -> None:
    article = typed(alice, "Doors open at eight.\n\nThe caretaker keeps the spare badge.")
    process_all_waiting(alice.scope.workspace)
    with service.open():
        paragraph = FieldParagraph.objects.get(text__contains="badge").pk
    assert relabel(steward, str(paragraph), [6]).status_code == 200
    assert shown(viewer, article) == ["Doors open at eight.", None]
    with viewer.scope.open():
        assert not ContextRow.objects.filter(text__contains="badge").exists()
    process_all_waiting(alice.scope.workspace)
    with steward.scope.open():
        assert ContextRow.objects.get(text__contains="badge").data_classification == 6


def test_label_text_combines_rules_and_model_and_fails_closed(alice: Person, service: Scope) -> None:
    workspace = alice.scope.workspace
    assert label_text(workspace, "Shall we meet at ten?") == 0
    assert label_text(workspace, "The price is 4,500 pounds.") == 5
    both = label_text(workspace, "Jane Miller earns 68,400 pounds a year.")
    with service.open():
        from entities.access import list_atoms

        assert both is not None
        assert set(list_atoms(both)) == {3, 5}
    with scripted.use_scripted_model() as script:
        script.push(error=529)
        script.push(error=529)
        script.push(error=529)
        assert label_text(workspace, "Shall we meet at ten?") is None
    with scripted.use_scripted_model() as script:
        script.push(text="I would rather not say.")
        script.push(text="No.")
        assert label_text(workspace, "Shall we meet at ten?") is None


def test_a_file_that_is_relabelled_twice_in_a_row_ends_right(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    paragraph = passage(steward, file, STORM)["id"]
    relabel(steward, paragraph, [2])
    relabel(steward, paragraph, [])
    process_all_waiting(alice.scope.workspace)
    assert STORM in texts(viewer, file)
    with service.open():
        assert File.objects.get(pk=file).pending_revision_id is None
        assert len([v for v in Paragraph.objects.get(pk=paragraph).votes if v["source"] == "manual"]) == 2
