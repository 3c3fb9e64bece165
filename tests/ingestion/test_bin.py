"""The bin: what is deleted is gone for everybody, and comes back to who may delete it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from entities.access import Scope, looking_into_bin
from entities.actions import create_entity
from entities.models import Entity
from entities.types import Contract, Project, Task
from ingestion.bin import empty_bin
from ingestion.models import ContextRow, File, Paragraph
from tests.conftest import Person
from tests.ingestion.helpers import ready

WORDS = "sheet piling"


def found(who: Person) -> int:
    """How many results a search for words of the file has."""
    answer = who.api.get("/api/search/", {"q": WORDS})
    assert answer.status_code == 200, answer.content
    return len(answer.json()["results"])


def entries(who: Person) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["name"]) for entry in who.api.get("/api/bin/").json()["results"]]


def test_a_deleted_file_is_gone_for_everybody_and_comes_back(
    alice: Person, viewer: Person, staff: Person, service: Scope, contract: Contract
) -> None:
    file = ready(alice, contract)
    assert found(viewer)
    shown = viewer.api.get(f"/api/files/{file}/reader/").content
    assert alice.api.delete(f"/api/files/{file}/").status_code == 204
    for who in (alice, viewer, staff):
        assert not found(who)
        assert who.api.get(f"/api/files/{file}/").status_code == 404
        assert who.api.get(f"/api/files/{file}/reader/").status_code == 404
        assert who.api.get(f"/api/entities/{contract.pk}/files/").json()["count"] == 0
        assert who.api.get("/api/search/suggest/", {"q": "pilin"}).status_code in (200, 404)
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
    assert found(viewer)
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


def test_a_name_that_came_again_meanwhile_does_not_stop_a_file_from_coming_back(
    alice: Person, contract: Contract
) -> None:
    first = ready(alice, contract)
    assert alice.api.delete(f"/api/files/{first}/").status_code == 204
    assert ready(alice, contract) != first
    assert alice.api.post(f"/api/bin/{first}/restore/").status_code == 204
    names = [file["name"] for file in alice.api.get(f"/api/entities/{contract.pk}/files/").json()["results"]]
    assert names == ["report.md", "report.md"]


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
    from entities.access import sources_visible
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
            return ContextRow.objects.filter(sources_visible(alice.scope), pk=row.pk).exists()

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
