"""A file that somebody deletes while another works on it is not found, as one that never was; and what a rejected
version said of itself goes with it."""

from typing import Any

import pytest

from entities.access import Scope
from entities.types import Contract
from ingestion import api, retries, version_api, version_views, views
from ingestion.inline import process_all_waiting
from ingestion.models import File
from tests.conftest import Person
from tests.ingestion.helpers import ready, texts, upload

CUT = b"%PDF-1.7 cut"
DOORS = [
    (api, "api", "post", "files/{}/retry/", None),
    (api, "api", "patch", "files/{}/", {"strategy": "ocr"}),
    (api, "api", "delete", "files/{}/", None),
    (version_api, "api", "post", "files/{}/versions/1/restore/", None),
    (views, "page", "post", "files/{}/retry/", None),
    (views, "page", "post", "files/{}/delete/", None),
    (version_views, "page", "post", "files/{}/versions/1/restore/", None),
    (version_views, "page", "post", "files/{}/strategy/", {"strategy": "ocr"}),
]


def ask(who: Person, kind: str, method: str, path: str, body: Any) -> Any:
    if kind == "api":
        return getattr(who.api, method)(f"/api/{path}", body, format="json")
    return getattr(who.client, method)(f"{who.base}{path}", body or {})


@pytest.mark.parametrize("door", DOORS, ids=lambda door: f"{door[1]} {door[2]} {door[3]}")
def test_what_was_deleted_while_one_asked_is_not_found(
    door: Any, alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, kind, method, path, body = door
    file = upload(alice, contract, "cut.pdf", CUT).json()["id"]
    process_all_waiting(alice.scope.workspace)
    real = module.get_record_for

    def deleted_meanwhile(scope: Scope, *given: Any) -> Any:
        File.objects.filter(pk=file)._raw_delete("default")
        return real(scope, *given)

    monkeypatch.setattr(module, "get_record_for", deleted_meanwhile)
    answer = ask(alice, kind, method, path.format(file), body)
    assert answer.status_code == 404
    monkeypatch.undo()
    never = ask(alice, kind, method, path.format("00000000-0000-4000-8000-000000000000"), body)
    assert (never.status_code, never.content) == (404, answer.content) if kind == "api" else never.status_code == 404


def test_one_of_a_batch_that_was_deleted_does_not_keep_the_others(
    alice: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = "11111111-1111-4111-8111-111111111111"
    files = [upload(alice, contract, f"{n}.txt", f"Gate {n}.".encode(), batch=batch).json()["id"] for n in range(2)]
    with service.open():
        File.objects.update(state="failed", error_code="gave_up", claimed_until=None)
    real, first = retries.retry_file, min(files)

    def deleted_meanwhile(*, scope: Scope, file: File) -> File:
        File.objects.filter(pk=first)._raw_delete("default")
        return real(scope=scope, file=file)

    monkeypatch.setattr(retries, "retry_file", deleted_meanwhile)
    answer = alice.client.post(f"{alice.base}entities/{contract.pk}/files/retry/", {"batch": batch}, follow=True)
    assert "One file is tried again." in answer.content.decode()
    with service.open():
        assert [str(pk) for pk in File.objects.filter(state="pending").values_list("pk", flat=True)] == [max(files)]


def test_a_rejected_version_leaves_the_type_of_the_one_that_stays(
    alice: Person, steward: Person, contract: Contract
) -> None:
    """The name says Word, what is read is text, and what is rejected is a PDF that cannot be read."""
    file = ready(alice, contract, "letter.docx", b"The quay is closed.\n")
    assert alice.api.get(f"/api/files/{file}/").json()["media_type"] == "text/plain"
    assert upload(alice, contract, "letter.docx", CUT).json()["id"] == file
    process_all_waiting(alice.scope.workspace)
    assert alice.api.get(f"/api/files/{file}/").json()["state"] == "quarantined"
    answer = steward.api.post(f"/api/files/{file}/review/", {"decision": "reject"}, format="json")
    assert answer.status_code < 300, answer.content
    process_all_waiting(alice.scope.workspace)
    shown = alice.api.get(f"/api/files/{file}/").json()
    assert (shown["state"], shown["media_type"], shown["size"]) == ("ready", "text/plain", 20)
    assert texts(alice, file) == ["The quay is closed."]
