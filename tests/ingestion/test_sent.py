"""Who sent a file reads it while it rests, and nobody else by that; what a label says afterwards holds for them too."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from entities.access import NoWorkspace, Scope, grant_entity, revoke_entity
from entities.actions import add_member
from entities.models import Entity, Role, Workspace, WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, INTERNAL
from entities.types import Contract
from ingestion.access import is_name_known
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, FileRevision, Kind, Paragraph
from ingestion.resting import apply_resting
from llm import scripted
from retrieval.gate import load_sent_rows
from tests.conftest import Person, person
from tests.ingestion.helpers import labelled, ready, texts
from tests.ingestion.test_resting import ILL, LETTER, PAY, read, search
from tests.oracle.worlds import JUDGED

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed")]
RESTS = [ILL, "[Financial]"]


@pytest.fixture
def sender(workspace: Workspace) -> Person:
    """May add files, and holds no level."""
    return person(workspace, "sender", [], ("Editor",))


def label(who: Person, service: Scope, text: str, labels: list[int]) -> None:
    with service.open():
        pk = Paragraph.objects.get(text=text).pk
    answer = who.api.patch(f"/api/paragraphs/{pk}/", {"labels": labels, "reason": "it says so"}, format="json")
    assert answer.status_code == 200, answer.content
    process_all_waiting(service.workspace)


def page(who: Person, file: str) -> str:
    return str(who.client.get(f"{who.base}files/{file}/").content.decode())


def found(who: Person) -> list[str]:
    """What a search by word finds of the letter, by the API and on the page."""
    by_api = sorted({text for text in search(who, "lungs") if "lungs" in text})
    shown = who.client.get(f"{who.base}search/", {"q": "lungs"}).content.decode()
    assert ("since the thing with his" in shown) == bool(by_api)
    return by_api


def test_who_sent_a_file_reads_it_while_it_rests_and_nobody_else_by_that(
    sender: Person, viewer: Person, cfo: Person, staff: Person, contract: Contract
) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    assert texts(sender, file) == RESTS
    assert ILL in page(sender, file)
    assert found(sender) == [ILL]
    assert read(viewer, file) == []
    assert found(viewer) == []
    assert texts(cfo, file) == ["[Internal]", PAY]
    assert found(cfo) == []
    assert ILL not in page(cfo, file)
    assert texts(staff, file) == RESTS
    assert found(staff) == [ILL]


def test_once_it_is_judged_its_label_holds_for_who_sent_it_too(
    sender: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    label(alice, service, ILL, [INTERNAL])  # what it rested as
    assert read(sender, file) == []
    assert found(sender) == []
    assert ILL not in page(sender, file)
    label(alice, service, ILL, [])
    assert texts(sender, file) == RESTS
    assert found(sender) == [ILL]


def test_once_something_is_found_in_it_its_label_holds_for_who_sent_it_too(
    sender: Person, staff: Person, contract: Contract
) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    assert texts(sender, file) == RESTS
    with scripted.use_scripted_model() as script:
        name, answer = labelled(3, {0: [INTERNAL]})  # what it rested as
        script.push(tool_use=(name, answer))
        assert ready(sender, contract, "letter.txt", LETTER + b"\nThe end.\n") == file
    assert texts(sender, file) == ["[Internal]", "[Financial]", "The end."]
    assert found(sender) == []
    assert ILL not in page(sender, file)
    assert found(staff) == [ILL]


def test_who_sent_an_earlier_version_reads_no_newer_one(
    sender: Person, alice: Person, staff: Person, contract: Contract
) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    assert ready(alice, contract, "letter.txt", LETTER + b"\nThe lungs, the end.\n") == file
    assert read(sender, file) == []
    assert found(sender) == []
    assert texts(staff, file) == [*RESTS, "The lungs, the end."]
    assert ready(sender, contract, "letter.txt", LETTER) == file
    assert texts(sender, file) == RESTS
    assert found(sender) == [ILL]


def test_who_lost_the_record_lost_what_they_sent(
    sender: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(visibility="restricted")
        grant_entity(contract, sender.user.pk)
    assert texts(sender, file) == RESTS
    assert found(sender) == [ILL]
    with service.open():
        revoke_entity(contract, sender.user.pk)
    assert sender.api.get(f"/api/files/{file}/reader/").status_code == 404
    assert found(sender) == []


def test_who_left_the_workspace_reads_nothing_and_who_comes_back_does(
    workspace: Workspace, sender: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    file, mine = ready(sender, contract, "letter.txt", LETTER), sender.scope.add_sent()
    assert texts(sender, file) == RESTS
    with service.open():
        roles = list(Role.objects.filter(group__user=sender.user.pk))
        sender.user.memberships.all().delete()
    assert sender.api.get(f"/api/files/{file}/reader/").status_code == 401
    assert sender.client.get(f"{sender.base}files/{file}/").status_code == 404
    with pytest.raises(NoWorkspace), mine.open():
        pass
    assert texts(staff, file) == RESTS
    with service.open():
        add_member(workspace, sender.user, roles)
    assert ILL in page(sender, file)


def test_a_file_in_the_bin_is_for_nobody(sender: Person, alice: Person, contract: Contract) -> None:
    file = ready(sender, contract, "letter.txt", LETTER)
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    assert sender.api.get(f"/api/files/{file}/reader/").status_code == 404
    assert found(sender) == []
    assert set(see(sender.scope.add_sent()).values()) == {0}


def see(scope: Scope) -> dict[str, Any]:
    """What row-level security shows a scope of the resting paragraph."""
    with scope.open(), connection.cursor() as cursor:
        rows = list(ContextRow.objects.filter(text__contains="lungs").values_list("number", flat=True))
        seen: dict[str, Any] = {"paragraphs": Paragraph.objects.filter(text=ILL).count(), "rows": len(rows)}
        for table in ("posting", "vector"):
            cursor.execute(f'SELECT count(DISTINCT "row") FROM ingestion_{table} WHERE kind = 2')
            seen[table] = cursor.fetchone()[0]
        cursor.execute("SELECT count(*) FROM ingestion_rowparagraph WHERE paragraph_id IS NOT NULL")
        seen["links"] = cursor.fetchone()[0]
        return seen


def test_only_a_scope_that_reads_what_one_sent_does_and_none_that_is_narrowed(
    workspace: Workspace, sender: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    ready(sender, contract, "letter.txt", LETTER)
    with service.open():
        internal = Role.objects.get(name="sender role").pk
    nothing = dict.fromkeys(("paragraphs", "rows", "posting", "vector", "links"), 0)
    mine = sender.scope.add_sent()
    assert see(mine) == dict.fromkeys(nothing, 1)
    for scope in (
        sender.scope,
        mine.limit_to([]),
        mine.limit_to([CONFIDENTIAL]),
        replace(mine, narrowed_to=-internal),
        viewer.scope.add_sent(),
        replace(mine, principal=viewer.user.pk),
    ):
        assert see(scope) == nothing, scope


def test_who_holds_what_it_rests_as_is_given_it_by_that_alone(
    sender: Person, staff: Person, contract: Contract, service: Scope
) -> None:
    for who in (sender, staff):
        file = ready(who, contract, f"{who.user.username}.txt", LETTER)
        assert texts(who, file) == RESTS
    for who, rows in ((sender, 1), (staff, 0)):
        with who.scope.add_sent().open():
            assert len(load_sent_rows()) == rows
    with service.open():
        WorkspaceSettings.objects.update(resting=CONFIDENTIAL)
    apply_resting(service.workspace)
    process_all_waiting(service.workspace)
    assert texts(staff, file) == RESTS
    assert found(staff) == [ILL]


def test_its_name_is_known_to_who_sent_it_where_it_is_found_as_where_it_is_read(
    sender: Person, viewer: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    def name(who: Person) -> list[Any]:
        shown = who.client.get(f"{who.base}search/", {"q": "lungs"}).content.decode()
        answer = who.api.get("/api/search/", {"q": "lungs"}).json()["results"]
        opened = page(who, file)
        for text in (shown, opened):
            assert ("letter.txt" in text) == ("Document, needs Internal" not in text)
        assert len({one["file"]["name"] for one in answer}) == 1
        return ["letter.txt" in shown, "letter.txt" in opened, answer[0]["file"]["name"]]

    file = ready(sender, contract, "letter.txt", LETTER)
    assert name(sender) == [True, True, "letter.txt"]
    label(alice, service, ILL, [])
    assert name(sender) == [True, True, "letter.txt"]
    assert name(viewer) == [False, False, None]
    with service.open():
        role, row = Role.objects.get(name="sender role").pk, File.objects.get(pk=file)
    for scope, known in (
        (sender.scope, True),
        (sender.scope.limit_to([]), False),
        (replace(sender.scope, narrowed_to=-role), False),
    ):
        with scope.open():
            assert is_name_known(scope, row) == known


def test_it_is_read_and_not_changed(sender: Person, contract: Contract) -> None:
    ready(sender, contract, "letter.txt", LETTER)
    with sender.scope.add_sent().open():
        assert Paragraph.objects.filter(text=ILL).count() == 1
        assert Paragraph.objects.filter(text=ILL).update(position=7) == 0
        assert Paragraph.objects.filter(text=ILL).delete()[0] == 0


def test_a_passage_with_a_judged_part_or_heading_of_its_label_is_for_who_holds_that(
    sender: Person, staff: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    body = b"# Tom and his family\n\nTom is away again since the thing with his lungs came back.\n\nHe may stay away.\n"
    file = ready(sender, contract, "letter.md", body)
    assert found(sender) != []
    label(alice, service, "Tom and his family", [INTERNAL])
    assert "Tom and his family" not in str(texts(sender, file))
    assert ILL in texts(sender, file)
    assert not any("family" in text for text in search(sender, "family lungs"))
    for result in sender.api.get("/api/search/", {"q": "family lungs"}).json()["results"]:
        assert "family" not in str(result)


@pytest.mark.parametrize("judged", ["Tom and his family", "He may stay away."])
def test_until_it_is_indexed_anew_a_passage_with_a_judged_part_is_not_found_by_its_sender(
    sender: Person, staff: Person, alice: Person, contract: Contract, service: Scope, judged: str
) -> None:
    body = b"# Tom and his family\n\nTom is away again since the thing with his lungs came back.\n\nHe may stay away.\n"
    ready(sender, contract, "letter.md", body)
    assert see(sender.scope.add_sent())["rows"] == 1
    with service.open():
        Paragraph.objects.filter(text=judged).update(votes=JUDGED)
    assert see(sender.scope.add_sent())["rows"] == 0
    assert see(staff.scope)["rows"] > 0


def test_a_passage_far_below_a_judged_heading_is_not_found_by_its_sender(
    sender: Person, contract: Contract, service: Scope
) -> None:
    plain = " ".join(["He came on foot and left again before noon, as on the other days of that week."] * 30)
    body = f"# Tom and his family\n\n{plain}\n\n{plain}\n\nThe thing with his lungs came back.\n"
    ready(sender, contract, "letter.md", body.encode())
    assert see(sender.scope.add_sent())["rows"] == 1
    with service.open():
        Paragraph.objects.filter(text="Tom and his family").update(votes=JUDGED)
        row = ContextRow.objects.get(text__contains="lungs", kind=Kind.FILE_CHUNK)
        assert "family" not in row.text
        assert "family" in row.heading_path
    assert see(sender.scope.add_sent())["rows"] == 0


def test_others_find_and_count_as_before(
    sender: Person, viewer: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    """The answers of everybody else are the same, to the letter, whoever of the others sent it."""

    def look(who: Person) -> list[Any]:
        asked: list[Callable[[], Any]] = [
            lambda: who.api.get("/api/search/", {"q": "salary lungs"}).json(),
            lambda: who.api.get(f"/api/files/{file}/").json(),
            lambda: who.api.get(f"/api/files/{file}/reader/").content,
        ]
        return [ask() for ask in asked]

    file = ready(sender, contract, "letter.txt", LETTER)
    first = [look(viewer), look(cfo)]
    with service.open():
        FileRevision.objects.update(created_by=0)
    assert [look(viewer), look(cfo)] == first
    assert read(sender, file) == []


def test_a_grant_of_ones_own_text_shows_it_once(
    sender: Person, alice: Person, contract: Contract, service: Scope
) -> None:
    """A steward may answer a request that was made before: what is read twice is shown once."""
    file = ready(sender, contract, "letter.txt", LETTER)
    asked = {"file": file, "labels": [INTERNAL]}
    wish = sender.api.post("/api/access-requests/", asked, format="json")
    assert wish.status_code == 201, wish.content
    granted = {"state": "granted", "extent": "file", "reason": ""}
    answer = alice.api.patch(f"/api/access-requests/{wish.json()['id']}/", granted, format="json")
    assert answer.status_code == 200, answer.content
    assert texts(sender, file) == RESTS


def test_a_request_is_about_the_placeholder_that_its_maker_sees(
    sender: Person, alice: Person, contract: Contract
) -> None:
    body = f"{ILL}\n\n{PAY}\n\nThe gate is shut.\n\nThe password of the gate is Summer!2019.\n".encode()
    file = ready(sender, contract, "letter.txt", body)
    blocks = sender.api.get(f"/api/files/{file}/reader/").json()["blocks"]
    hidden = [block for block in blocks if block["type"] == "placeholder"]
    assert len(hidden) == 2
    for block in hidden:
        labels = [one["value"] for one in block["requires"]]
        wish = {"file": file, "run": block["run"], "labels": labels}
        assert sender.api.post("/api/access-requests/", wish, format="json").status_code == 201
        assert sender.client.get(f"{sender.base}access-requests/new/", wish).status_code == 200
