"""Versions and keys of what is no record: files, conversations, references; and buttons of old pages."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from chat.labelling import write_title
from chat.models import Session
from entities.access import Scope
from entities.models import Entity, WorkspaceSettings
from entities.models.entity import Visibility
from entities.types import Contract
from ingestion.inline import process_all_waiting
from tests.conftest import Person

WORDS = b"The quay was repaired in May."


def upload(who: Person, contract: Contract, content: bytes = WORDS, **headers: str) -> Any:
    file = SimpleUploadedFile("note.txt", content)
    return who.api.post(f"/api/entities/{contract.pk}/files/", {"file": file}, format="multipart", **headers)


def test_a_file_that_another_moved_is_not_moved_unseen(alice: Person, contract: Contract) -> None:
    made = upload(alice, contract).json()
    address = f"/api/files/{made['id']}/"
    etag = alice.api.get(address)["ETag"]
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(address)["ETag"] == etag, "a worker changes no version"
    moved = alice.api.patch(address, {"folder": "/a"}, format="json", HTTP_IF_MATCH=etag)
    assert moved.status_code == 202
    assert moved["ETag"] == alice.api.get(address)["ETag"] != etag
    refused = alice.api.patch(address, {"folder": "/b"}, format="json", HTTP_IF_MATCH=etag)
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (412, ["path"])
    assert alice.api.get(address).json()["path"] == "a/note.txt"
    assert alice.api.delete(address, HTTP_IF_MATCH=etag).status_code == 412
    assert alice.api.delete(address, HTTP_IF_MATCH=moved["ETag"]).status_code == 204


def test_an_upload_that_is_tried_again_is_one_file(alice: Person, contract: Contract) -> None:
    first, again = (upload(alice, contract, HTTP_IDEMPOTENCY_KEY="k") for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]
    assert alice.api.get(f"/api/entities/{contract.pk}/files/").json()["count"] == 1
    assert again.json()["revision"] == 1
    other = upload(alice, contract, b"The quay was repaired in June.", HTTP_IDEMPOTENCY_KEY="k")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "key_used")
    assert alice.api.get(f"/api/files/{first.json()['id']}/").json()["revision"] == 1


def begin(who: Person, contract: Contract, **headers: str) -> Any:
    return who.api.post("/api/chat/sessions/", {"entity": str(contract.pk)}, format="json", **headers)


def test_a_conversation_that_is_begun_twice_with_a_key_is_one(alice: Person, staff: Person, contract: Contract) -> None:
    first, again = (begin(alice, contract, HTTP_IDEMPOTENCY_KEY="k") for _ in range(2))
    assert first.json() == again.json()
    assert alice.api.get("/api/chat/sessions/").json()["count"] == 1
    assert begin(staff, contract, HTTP_IDEMPOTENCY_KEY="k").json()["id"] != first.json()["id"]
    assert alice.api.delete(f"/api/chat/sessions/{first.json()['id']}/").status_code == 204
    assert begin(alice, contract, HTTP_IDEMPOTENCY_KEY="k").status_code == 404


def test_a_conversation_that_was_changed_in_another_window(alice: Person, contract: Contract) -> None:
    made = begin(alice, contract)
    address, etag = f"/api/chat/sessions/{made.json()['id']}/", made["ETag"]
    pinned = alice.api.patch(address, {"pinned": True}, format="json", HTTP_IF_MATCH=etag)
    assert pinned["ETag"] == alice.api.get(address)["ETag"] != etag
    refused = alice.api.patch(address, {"archived": True}, format="json", HTTP_IF_MATCH=etag)
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (412, ["pinned"])
    assert alice.api.get(address).json()["archived"] is False
    assert alice.api.delete(address, HTTP_IF_MATCH=etag).status_code == 412
    assert alice.api.delete(address, HTTP_IF_MATCH=pinned["ETag"]).status_code == 204


def test_a_title_that_nobody_typed_is_no_conflict(alice: Person, contract: Contract) -> None:
    made = begin(alice, contract)
    address = f"/api/chat/sessions/{made.json()['id']}/"
    for by_person in (False, True):
        with Scope.for_service(alice.scope.workspace).open():
            row = Session.objects.get(pk=UUID(made.json()["id"]))
            write_title(row, "Who repairs the quay?", [], 0, by_person=by_person)
        assert alice.api.get(address).json()["title"] == "Who repairs the quay?"
        assert (alice.api.get(address)["ETag"] == made["ETag"]) is not by_person


def test_a_reference_that_another_changed(alice: Person, contract: Contract) -> None:
    body = {"source": str(contract.pk), "target": str(contract.pk), "kind": "CrossReference"}
    other = alice.api.post("/api/entities/contract/", {"name": "Crane hire", "counterparty": "Orion"}, format="json")
    made = alice.api.post("/api/references/", body | {"target": other.json()["id"]}, format="json")
    assert made.status_code == 201
    address, etag = f"/api/references/{made.json()['id']}/", made["ETag"]
    (row,) = alice.api.get("/api/references/").json()["results"]
    assert f'"{row["version"]}"' == etag
    changed = alice.api.patch(address, {"kind": "BuildsOn"}, format="json", HTTP_IF_MATCH=etag)
    assert changed.status_code == 200, changed.content
    refused = alice.api.patch(address, {"kind": "CrossReference"}, format="json", HTTP_IF_MATCH=etag)
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (412, ["kind"])
    assert alice.api.delete(address, HTTP_IF_MATCH=etag).status_code == 412
    assert alice.api.delete(address, HTTP_IF_MATCH=changed["ETag"]).status_code == 204


@pytest.mark.parametrize("kind", ["file", "session", "reference"])
def test_a_workspace_that_demands_versions_demands_them_everywhere(
    alice: Person, contract: Contract, service: Scope, kind: str
) -> None:
    if kind == "file":
        address, change = f"/api/files/{upload(alice, contract).json()['id']}/", {"folder": "/a"}
    elif kind == "session":
        address, change = f"/api/chat/sessions/{begin(alice, contract).json()['id']}/", {"title": "Quay"}
    else:
        project = alice.api.post("/api/entities/project/", {"name": "Move"}, format="json").json()["id"]
        body = {"source": str(contract.pk), "target": project, "kind": "CrossReference"}
        made = alice.api.post("/api/references/", body, format="json")
        address, change = f"/api/references/{made.json()['id']}/", {"kind": "BuildsOn"}
    with service.open():
        WorkspaceSettings.objects.update(needs_versions=True)
    assert alice.api.patch(address, change, format="json").status_code == 428
    assert alice.api.delete(address).status_code == 428
    with service.open():
        WorkspaceSettings.objects.update(needs_versions=False)
    assert alice.api.patch(address, change, format="json").status_code in (200, 202)


def test_the_button_of_an_old_page_archives_and_does_not_restore(alice: Person, contract: Contract) -> None:
    page = alice.client.get(f"{alice.base}entities/{contract.pk}/").content.decode()
    (wanted,) = re.findall(r'name="archived" value="(\d)"', page)
    for _ in range(2):
        alice.client.post(f"{alice.base}entities/{contract.pk}/archive/", {"archived": wanted})
    assert alice.api.get(f"/api/entities/contract/{contract.pk}/").json()["archived_at"]
    page = alice.client.get(f"{alice.base}entities/{contract.pk}/").content.decode()
    (wanted,) = re.findall(r'name="archived" value="(\d)"', page)
    alice.client.post(f"{alice.base}entities/{contract.pk}/archive/", {"archived": wanted})
    assert alice.api.get(f"/api/entities/contract/{contract.pk}/").json()["archived_at"] is None


def test_an_old_page_of_who_can_see_it_does_not_open_it_again(
    alice: Person, contract: Contract, service: Scope
) -> None:
    address = f"{alice.base}entities/{contract.pk}/share/"
    page = alice.client.get(address).content.decode()
    (was,) = re.findall(r'name="was" value="(\w+)"', page)
    old = {"act": "visibility", "was": was, "visibility": was}
    assert alice.client.post(address, old | {"visibility": "restricted"}).status_code == 302
    answer = alice.client.post(address, old, follow=True).content.decode()
    assert "Somebody else has changed this meanwhile." in answer
    with service.open():
        assert Entity.objects.get(pk=contract.pk).visibility == Visibility.RESTRICTED
    assert alice.client.post(address, old | {"was": "restricted"}).status_code == 302
    with service.open():
        assert Entity.objects.get(pk=contract.pk).visibility == Visibility.WORKSPACE
