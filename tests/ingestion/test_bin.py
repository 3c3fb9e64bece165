"""The bin: what is deleted is gone for everybody, and comes back to who may delete it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.http import Http404
from django.utils import timezone

from entities.access import Scope, looking_into_bin
from entities.actions import create_entity
from entities.bin import PARENT_IN_BIN, PLACE_TAKEN, SOURCE_TAKEN
from entities.models import Entity, Workspace
from entities.models.classification import INTERNAL, PII
from entities.types import Contract, Project, Task
from ingestion import bin
from ingestion.actions import delete_file, upload_file
from ingestion.bin import empty_bin
from ingestion.models import ContextRow, File, Paragraph
from tests.conftest import Person, person
from tests.ingestion.helpers import ready
from tests.ingestion.test_attachments import message
from tests.processes import wait_for

WORDS = "sheet piling"


def found(who: Person) -> int:
    """How many results a search for words of the file has."""
    answer = who.api.get("/api/search/", {"q": WORDS})
    assert answer.status_code == 200, answer.content
    return len(answer.json()["results"])


def suggested(who: Person) -> set[str]:
    """What a word that is being typed is completed to."""
    answer = who.api.get("/api/suggest/", {"q": "pilin"})
    assert answer.status_code == 200, answer.content
    return {row["name"] for row in answer.json()["results"]}


def places(who: Person, contract: Contract) -> list[tuple[str, str | None]]:
    """The files of a record with their paths, where they stand in a folder."""
    files = who.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
    return [(file["id"], file["path"]) for file in files]


def entries(who: Person) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["name"]) for entry in who.api.get("/api/bin/").json()["results"]]


def test_a_deleted_file_is_gone_for_everybody_and_comes_back(
    alice: Person, viewer: Person, staff: Person, service: Scope, contract: Contract
) -> None:
    file = ready(alice, contract)
    assert found(viewer)
    assert "piling" in suggested(viewer)
    shown = viewer.api.get(f"/api/files/{file}/reader/").content
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    for who in (alice, viewer, staff):
        assert not found(who)
        assert who.api.get(f"/api/files/{file}/").status_code == 404
        assert who.api.get(f"/api/files/{file}/reader/").status_code == 404
        assert who.api.get(f"/api/entities/{contract.pk}/files/").json()["count"] == 0
        assert "piling" not in suggested(who)
    with service.open():
        # The service works with nothing of it either: no prompt, summary or Pulse is made from it.
        assert not File.objects.exists()
        assert not Paragraph.objects.exists()
        assert not ContextRow.objects.filter(file__isnull=False).exists()
    assert entries(alice) == [("file", "report.md")]
    assert entries(viewer) == []
    for act in (lambda who: who.api.post(f"/api/bin/{file}/restore/"), lambda who: who.api.delete(f"/api/bin/{file}/")):
        assert act(viewer).status_code == 404
    assert alice.api.post(f"/api/bin/{file}/restore/").status_code == 204
    assert alice.api.post(f"/api/bin/{file}/restore/").status_code == 404, "it is there no more"
    assert found(viewer)
    assert "piling" in suggested(viewer)
    assert entries(alice) == []
    assert viewer.api.get(f"/api/files/{file}/reader/").content == shown


def test_a_deleted_record_takes_what_belongs_to_it_and_brings_it_back(
    alice: Person, viewer: Person, service: Scope, contract: Contract
) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Pier", "contract_id": contract.pk})
        task = create_entity(scope=alice.scope, model=Task, fields={"name": "Dig", "project_id": project.pk})
        create_entity(scope=alice.scope, model=Task, fields={"name": "Fill", "project_id": project.pk})
    file = ready(alice, project)
    assert alice.api.delete(f"/api/entities/task/{task.pk}/").status_code == 204
    assert alice.api.delete(f"/api/entities/project/{project.pk}/").status_code == 204
    for who in (alice, viewer):
        assert not found(who)
        assert who.api.get(f"/api/files/{file}/").status_code == 404
        for kind in ("project", "task"):
            assert who.api.get(f"/api/entities/{kind}/").json()["count"] == 0
    with service.open():
        assert set(Entity.objects.values_list("pk", flat=True)) == {contract.pk}
        assert not File.objects.exists()
    assert entries(alice) == [("record", "Pier"), ("record", "Dig")]
    assert alice.api.post(f"/api/bin/{task.pk}/restore/").status_code == 409, "what it belongs to is in the bin"
    assert alice.api.post(f"/api/bin/{project.pk}/restore/").status_code == 204
    for _ in range(2):
        assert alice.api.post(f"/api/bin/{project.pk}/restore/").status_code == 404, "it is there no more"
        assert alice.client.post(f"{alice.base}bin/{project.pk}/restore/").status_code == 404
    assert found(viewer)
    assert viewer.api.get("/api/entities/task/").json()["count"] == 1, "the one that went by itself stays"
    assert entries(alice) == [("record", "Dig")]
    assert alice.api.post(f"/api/bin/{task.pk}/restore/").status_code == 204
    assert viewer.api.get("/api/entities/task/").json()["count"] == 2


def test_who_may_no_longer_delete_it_does_not_see_it_in_the_bin(
    alice: Person, staff: Person, viewer: Person, service: Scope, restricted: Contract
) -> None:
    assert alice.api.delete(f"/api/entities/contract/{restricted.pk}/").status_code == 204
    assert entries(staff) == [], "an editor who may not see the record"
    assert entries(viewer) == []
    assert entries(alice) == [("record", "Settlement")]
    with service.open(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM entities_entityusergrant")
    assert entries(alice) == []
    assert alice.api.post(f"/api/bin/{restricted.pk}/restore/").status_code == 404
    with service.open(), looking_into_bin():
        assert Entity.objects.filter(pk=restricted.pk, deleted_at__isnull=False).exists()


def test_the_sweep_deletes_for_good_what_has_been_there_long_enough(
    alice: Person, service: Scope, contract: Contract, restricted: Contract
) -> None:
    old, new = ready(alice, restricted), ready(alice, restricted, "new.md", b"A new one.")
    for path in (f"files/{old}/", f"files/{new}/", f"entities/contract/{contract.pk}/"):
        assert alice.api.delete(f"/api/{path}").status_code == 204
    with service.open(), looking_into_bin():
        long_ago = timezone.now() - timedelta(days=31)
        File.objects.filter(pk=old).update(deleted_at=long_ago)
        Entity.objects.filter(pk=contract.pk).update(deleted_at=long_ago)
    assert empty_bin(service.workspace) == 2
    assert entries(alice) == [("file", "new.md")]
    with service.open(), looking_into_bin():
        assert [str(pk) for pk in File.objects.values_list("pk", flat=True)] == [new]
        assert list(Entity.objects.values_list("pk", flat=True)) == [restricted.pk]


def test_a_file_whose_place_was_taken_meanwhile_comes_back_to_a_folder_of_its_own(
    alice: Person, contract: Contract
) -> None:
    first = ready(alice, contract)
    assert alice.api.delete(f"/api/files/{first}/").status_code == 204
    second = ready(alice, contract)
    assert alice.api.delete(f"/api/files/{second}/").status_code == 204
    third = ready(alice, contract)
    for file, folder in ((first, "/restored"), (second, "/restored2")):
        answer = alice.client.post(f"{alice.base}bin/{file}/restore/", follow=True)
        assert f"it is in the folder {folder}." in answer.content.decode()
    assert dict(places(alice, contract)) == {first: "restored/report.md", second: "restored2/report.md", third: None}


def test_several_come_back_though_one_of_them_is_gone(alice: Person, contract: Contract) -> None:
    gone, first = sorted(ready(alice, contract, f"{n}.md", b"A pier.") for n in range(2))
    other = ready(alice, contract, "other.md", b"A pile.")
    for file in (gone, first, other):
        assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    assert alice.api.delete(f"/api/bin/{gone}/").status_code == 204
    binned = alice.api.get("/api/bin/").json()["results"]
    taken = ready(alice, contract, next(entry["name"] for entry in binned if entry["id"] == first), b"A jetty.")
    undo = f"{alice.base}bin/{gone}/restore/"
    asked: list[str] = []

    def note(run: Any, sql: str, *rest: Any) -> Any:
        asked.append(str(sql))
        return run(sql, *rest)

    with connection.execute_wrapper(note):
        page = alice.client.post(undo, {"also": [first, other]}, follow=True).content.decode()
    assert "Where another file stands in the place of one, it is in the folder /restored." in page
    assert {file for file, _ in places(alice, contract)} == {first, other, taken}
    # They are files: none is sought among records first.
    assert any("app.bin" in sql for sql in asked)
    assert not any('"entities_entity"."deleted_at" DESC' in sql for sql in asked)
    # With none left there is nothing to restore; with their record in the bin, each waits for it.
    assert alice.client.post(undo, {"also": [first, other]}).status_code == 404
    assert alice.api.delete(f"/api/files/{first}/").status_code == 204
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    assert str(PARENT_IN_BIN) in alice.client.post(undo, {"also": [first]}, follow=True).content.decode()


def test_a_restored_file_gives_no_hint_of_one_in_its_place_that_its_owner_may_not_see(
    workspace: Workspace, service: Scope, contract: Contract
) -> None:
    clerk = person(workspace, "clerk", [INTERNAL], ("Admin", "Editor"))
    first = ready(clerk, contract)
    assert clerk.api.delete(f"/api/files/{first}/").status_code == 204
    hidden = ready(clerk, contract)
    with service.open():
        File.objects.filter(pk=hidden).update(name_classification=PII)
    answer = clerk.client.post(f"{clerk.base}bin/{first}/restore/", follow=True).content.decode()
    assert "Restored." in answer
    assert "folder" not in answer[answer.index("Restored.") :][:120]
    assert (first, None) in places(clerk, contract)


def test_a_message_that_was_sent_again_comes_back_with_what_came_in_it(alice: Person, contract: Contract) -> None:
    mail = message(("depths.csv", b"Place,Depth\nHeptagon quay,12\n")).as_bytes()
    first = ready(alice, contract, "berths.eml", mail)
    assert alice.api.delete(f"/api/files/{first}/").status_code == 204
    second = ready(alice, contract, "berths.eml", mail)
    assert alice.api.post(f"/api/bin/{first}/restore/").status_code == 204
    files = alice.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]
    assert sorted(file["name"] for file in files) == ["berths.eml", "berths.eml", "depths.csv", "depths.csv"]
    assert {file["origin"] for file in files} == {None, first, second}
    assert entries(alice) == []


def test_a_record_comes_back_without_one_that_it_merely_names(alice: Person, contract: Contract) -> None:
    with alice.scope.open():
        project = create_entity(scope=alice.scope, model=Project, fields={"name": "Pier", "contract_id": contract.pk})
    assert alice.api.delete(f"/api/entities/project/{project.pk}/").status_code == 204
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    assert alice.api.post(f"/api/bin/{project.pk}/restore/").status_code == 204
    assert entries(alice) == [("record", "Quay lease")]
    assert alice.client.get(f"{alice.base}entities/{project.pk}/").status_code == 200


@pytest.mark.parametrize(("hides", "says"), [(False, SOURCE_TAKEN), (True, PLACE_TAKEN)])
def test_a_record_whose_source_sent_another_stays_and_tells_only_what_may_be_seen(
    hides: bool, says: str, alice: Person, service: Scope, contract: Contract
) -> None:
    source = {"source_system": "erp", "source_id": "17"}
    with service.open():
        Entity.objects.filter(pk=contract.pk).update(**source)
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    with service.open():
        other = create_entity(scope=service, model=Contract, fields={"name": "Again"})
        Entity.objects.filter(pk=other.pk).update(visibility="restricted" if hides else "workspace", **source)
    answer = alice.api.post(f"/api/bin/{contract.pk}/restore/")
    assert answer.status_code == 409
    assert str(says) in answer.content.decode()
    assert entries(alice) == [("record", "Quay lease")]


def test_a_record_that_went_to_the_bin_meanwhile_gets_no_file(alice: Person, contract: Contract) -> None:
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    with pytest.raises(Http404), alice.scope.open():
        upload_file(scope=alice.scope, entity=contract, upload=ContentFile(b"Late.", name="late.md"))
    assert alice.api.post(f"/api/bin/{contract.pk}/restore/").status_code == 204
    assert places(alice, contract) == []


def test_one_that_cannot_be_deleted_does_not_hold_up_the_rest_of_the_bin(
    alice: Person, service: Scope, contract: Contract, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    oldest, bad, newest = (ready(alice, contract, f"{n}.md", f"Number {n}.".encode()) for n in "abc")
    for file in (newest, oldest, bad):
        assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    with service.open(), looking_into_bin():
        for file, days in ((oldest, 50), (bad, 40), (newest, 31)):
            File.objects.filter(pk=file).update(deleted_at=timezone.now() - timedelta(days=days))
    tried = []

    def delete_or_fail(*, scope: Scope, file: File) -> None:
        tried.append(str(file.pk))
        if str(file.pk) == bad:
            raise ValueError(file.name)
        delete_file(scope=scope, file=file)

    monkeypatch.setattr(bin, "delete_file", delete_or_fail)
    assert empty_bin(service.workspace) == 2
    assert tried == [oldest, bad, newest]
    assert entries(alice) == [("file", "b.md")]
    assert bad in caplog.text
    assert "b.md" not in caplog.text


def test_deleting_for_good_leaves_nothing_in_the_bin(alice: Person, staff: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    assert alice.api.delete(f"/api/files/{file}/?forever=1").status_code == 204
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    assert entries(alice) == [("record", "Quay lease")]
    assert alice.api.delete(f"/api/bin/{contract.pk}/").status_code == 204
    assert entries(alice) == []
    assert alice.api.post(f"/api/bin/{contract.pk}/restore/").status_code == 404


def test_the_page_offers_to_undo_and_to_restore(alice: Person, viewer: Person, contract: Contract) -> None:
    answer = alice.client.post(f"{alice.base}entities/{contract.pk}/delete/", follow=True)
    page = answer.content.decode()
    undo = f"{alice.base}bin/{contract.pk}/restore/"
    assert "Quay lease is in the bin." in page
    assert undo in page
    listed = alice.client.get(f"{alice.base}bin/").content.decode()
    assert "Quay lease" in listed
    assert "Quay lease" not in viewer.client.get(f"{viewer.base}bin/").content.decode()
    assert viewer.client.post(undo).status_code == 404
    assert alice.client.post(undo, follow=True).redirect_chain[-1][0] == f"{alice.base}entities/{contract.pk}/"
    assert viewer.client.get(f"{viewer.base}entities/{contract.pk}/").status_code == 200


@pytest.mark.usefixtures("hr")
def test_text_that_was_drawn_from_a_file_hides_with_it(alice: Person, service: Scope, contract: Contract) -> None:
    from entities.access import build_sources_visible_q
    from entities.models import Source

    file = ready(alice, contract)
    with service.open():
        row = ContextRow.objects.filter(file=None, entity=contract.pk).first() or ContextRow.objects.create(
            workspace_id=service.workspace, entity=contract, kind=1, text="x", digest="x", data_classification=0
        )
        passage = Paragraph.objects.filter(file=file, data_classification=0)[0].pk
        Source.objects.create(workspace_id=service.workspace, derived=row.pk, entity=contract, passage=passage)

    def shown() -> Any:
        with alice.scope.open():
            return ContextRow.objects.filter(build_sources_visible_q(alice.scope), pk=row.pk).exists()

    assert shown()
    alice.api.delete(f"/api/files/{file}/")
    assert not shown()
    alice.api.post(f"/api/bin/{file}/restore/")
    assert shown()


def test_what_was_asked_about_a_deleted_file_breaks_no_page(
    alice: Person, viewer: Person, steward: Person, contract: Contract
) -> None:
    file = ready(alice, contract)
    asked = viewer.api.post("/api/access-requests/", {"file": file, "labels": [5]}, format="json")
    assert asked.status_code == 201, asked.content
    alice.api.delete(f"/api/files/{file}/")
    for who in (viewer, steward, alice):
        for page in ("access-requests/", "desk/", f"entities/{contract.pk}/", "files/jobs/", "admin/ingestion/file/"):
            answer = who.client.get(f"{who.base}{page}")
            assert answer.status_code in (200, 403), (page, answer.status_code)
            assert "report.md" not in answer.content.decode(), page
        listed = who.api.get("/api/access-requests/")
        assert listed.status_code == 200
        assert "report.md" not in listed.content.decode()


def test_two_who_restore_a_record_at_once_are_not_both_told_that_they_did(
    transactional_db: None, alice: Person, contract: Contract, owner_connection: psycopg.Connection
) -> None:
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204

    def restore() -> int:
        try:
            return alice.api.post(f"/api/bin/{contract.pk}/restore/").status_code
        finally:
            connection.close()

    waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
    with ThreadPoolExecutor(2) as pool:
        with owner_connection.transaction():
            owner_connection.execute("SELECT FROM entities_entity WHERE id = %s FOR UPDATE", [contract.pk])
            both = [pool.submit(restore) for _ in range(2)]
            wait_for(lambda: owner_connection.execute(waiting).fetchone() == (2,), "both to find it in the bin")
        assert sorted(one.result(30) for one in both) == [204, 404]
