"""A limited process that something outside ended, as a machine short of memory does: the file is not to blame."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now

from entities.access import Scope
from entities.types import Contract
from ingestion import claims, drift
from ingestion.extract import outside
from ingestion.models import File, State
from ingestion.processing import process_file
from ingestion.sandbox import ProcessKilled
from tests.conftest import Person
from tests.ingestion.helpers import upload

pytestmark = pytest.mark.django_db(transaction=True)


def kill_processes(*args: Any, **options: Any) -> Any:
    raise ProcessKilled


def try_again(service: Scope, workspace: int, file: str) -> File:
    with service.open():
        File.objects.filter(pk=file).update(claimed_until=Now() - timedelta(seconds=1))
    process_file(workspace, UUID(file))
    with service.open():
        return File.objects.get(pk=file)


def test_a_file_whose_process_is_killed_is_tried_again_and_is_never_called_damaged(
    alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    workspace = alice.scope.workspace
    file = upload(alice, contract, "plan.txt", b"The plan of the quay.").json()["id"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outside, "run_limited", kill_processes)
        for _ in range(claims.MAX_ATTEMPTS - 1):
            assert try_again(service, workspace, file).state == State.PENDING
        ended = try_again(service, workspace, file)
    assert (ended.state, ended.error_code) == (State.FAILED, "killed")
    shown = alice.api.get(f"/api/files/{file}/").json()
    assert "lack of memory" in shown["error"]["detail"]
    assert "damaged" not in shown["error"]["detail"]
    assert "memory" not in viewer.api.get(f"/api/files/{file}/").json()["error"]["detail"], "not who sent it"
    assert alice.api.post(f"/api/files/{file}/retry/").status_code == 202
    assert try_again(service, workspace, file).state == State.READY


def test_a_count_that_is_killed_is_made_again(
    alice: Person, viewer: Person, contract: Contract, service: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the count, the original would be withheld for ever. Rich Text is counted in a process of its own."""
    workspace = alice.scope.workspace
    file = upload(alice, contract, "plan.rtf", rb"{\rtf1 The plan of the quay.}").json()["id"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drift, "run_limited", kill_processes)
        assert try_again(service, workspace, file).state == State.PENDING
    assert try_again(service, workspace, file).state == State.READY
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 200
