"""Bytes in the storage: kept once, gone with what last referred to them, and never from under an upload at work."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection

from entities.access import Scope
from entities.types import Contract
from ingestion import actions, blobs, tasks
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, File, Paragraph
from ingestion.sandbox import processes
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, ready, texts, upload


def stored(workspace: int) -> list[str]:
    """Paths of the bytes that a workspace has in the storage."""
    folder = f"blobs/{workspace}"
    prefixes = default_storage.listdir(folder)[0] if default_storage.exists(folder) else []
    return [
        f"{folder}/{prefix}/{name}" for prefix in prefixes for name in default_storage.listdir(f"{folder}/{prefix}")[1]
    ]


def make_old(path: str) -> None:
    then = time.time() - blobs.ABANDONED_SECONDS - 60
    os.utime(default_storage.path(path), (then, then))


@pytest.fixture
def broken_off(alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch) -> str:
    """Bytes of an upload that was rolled back after they had got their name; old ones."""

    def lose_the_database(*args: object, **fields: object) -> None:
        raise ConnectionError("the database went away")

    with monkeypatch.context() as patched:
        patched.setattr(actions, "record_action", lose_the_database)
        with pytest.raises(ConnectionError):
            upload(alice, contract)
    (path,) = stored(alice.scope.workspace)
    make_old(path)
    return path


def test_a_blob_is_kept_once_and_goes_with_its_last_file(
    transactional_db: None, alice: Person, contract: Contract, service: Scope
) -> None:
    first, second = ready(alice, contract, "one.md"), ready(alice, contract, "two.md")
    with service.open():
        path = Blob.objects.get().path
    assert alice.api.delete(f"/api/files/{first}/?forever=1").status_code == 204
    assert default_storage.exists(path)
    assert texts(alice, second)
    assert alice.api.delete(f"/api/files/{second}/?forever=1").status_code == 204
    assert not default_storage.exists(path)
    with service.open():
        assert not Blob.objects.exists()
        assert not Paragraph.objects.exists()


def test_bytes_of_a_deleted_record_go_with_the_next_tidying(alice: Person, contract: Contract, service: Scope) -> None:
    ready(alice, contract)
    (path,) = stored(alice.scope.workspace)
    tasks.tidy_storage()
    assert default_storage.exists(path)
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/?forever=1").status_code == 204
    tasks.tidy_storage()
    assert not default_storage.exists(path)
    with service.open():
        assert not Blob.objects.exists()


def test_refused_uploads_leave_no_bytes(alice: Person, contract: Contract) -> None:
    upload(alice, contract, content=b"")
    upload(alice, contract, collection="nosuch")
    assert default_storage.listdir("incoming")[1] == []
    assert stored(alice.scope.workspace) == []


def test_bytes_of_a_rolled_back_upload_go_when_they_are_old(alice: Person, broken_off: str) -> None:
    os.utime(default_storage.path(broken_off))
    tasks.tidy_storage()
    assert default_storage.exists(broken_off), "an upload may be about to commit"
    make_old(broken_off)
    tasks.tidy_storage()
    assert stored(alice.scope.workspace) == []


def test_old_bytes_of_a_file_stay(alice: Person, outsider: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    (path,) = stored(alice.scope.workspace)
    make_old(path)
    tasks.tidy_storage()
    assert b"".join(alice.api.get(f"/api/files/{file}/download/")) == REPORT


def test_what_a_killed_server_left_of_an_upload_goes_when_it_is_old(alice: Person) -> None:
    folders = [settings.FILE_UPLOAD_TEMP_DIR, default_storage.path("incoming")]
    for folder in folders:
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / "half").write_bytes(b"half of it")
        (Path(folder) / "fresh").write_bytes(b"on its way")
        then = time.time() - blobs.ABANDONED_SECONDS - 60
        os.utime(Path(folder) / "half", (then, then))
    tasks.tidy_storage()
    for folder in folders:
        assert [path.name for path in Path(folder).iterdir()] == ["fresh"]
        (Path(folder) / "fresh").unlink()


def in_thread(pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Any:
    def run() -> Any:
        try:
            return work()
        finally:
            connection.close()

    return pool.submit(run)


def test_an_upload_at_work_keeps_its_bytes_from_the_tidying(
    transactional_db: None, alice: Person, contract: Contract, broken_off: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, kept, go = actions._find_or_create_file, threading.Event(), threading.Event()

    def wait_before_the_rows(*given: Any) -> Any:
        make_old(broken_off)  # as it is on a storage that keeps the time of equal bytes
        kept.set()
        assert go.wait(20)
        return real(*given)

    monkeypatch.setattr(actions, "_find_or_create_file", wait_before_the_rows)
    with ThreadPoolExecutor(2) as pool:
        uploading = in_thread(pool, lambda: upload(alice, contract))
        assert kept.wait(20)
        tidying = in_thread(pool, tasks.tidy_storage)
        time.sleep(0.3)
        go.set()
        tidying.result(20)
        file = uploading.result(20).json()["id"]
    assert b"".join(alice.api.get(f"/api/files/{file}/download/")) == REPORT


def test_an_upload_that_comes_while_its_bytes_are_tidied_brings_them_anew(
    transactional_db: None, alice: Person, contract: Contract, broken_off: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, deleting = default_storage.delete, threading.Event()

    def delete_slowly(path: str) -> None:
        deleting.set()
        time.sleep(0.4)
        real(path)

    monkeypatch.setattr(default_storage._wrapped, "delete", delete_slowly)
    with ThreadPoolExecutor(2) as pool:
        tidying = in_thread(pool, tasks.tidy_storage)
        assert deleting.wait(20)
        file = in_thread(pool, lambda: upload(alice, contract)).result(20).json()["id"]
        tidying.result(20)
    assert b"".join(alice.api.get(f"/api/files/{file}/download/")) == REPORT


@pytest.mark.parametrize("gone", ["the file", "all of the storage", "the interpreter"])
def test_bytes_are_missing_where_the_storage_is_and_they_are_not(
    transactional_db: None,
    alice: Person,
    contract: Contract,
    service: Scope,
    monkeypatch: pytest.MonkeyPatch,
    gone: str,
) -> None:
    """What comes back by itself is waited for: a folder that is not mounted yet, an installation that is renewed."""
    file = upload(alice, contract).json()["id"]
    path = Path(default_storage.path(stored(alice.scope.workspace)[0]))
    place = path if gone == "the file" else path.parents[1]
    with monkeypatch.context() as patched:
        if gone == "the interpreter":
            patched.setattr(processes.sys, "executable", "/nowhere/python")
            processes.stop_template()
        else:
            place.rename(place.with_name("away"))
        process_all_waiting(service.workspace)
    shown = alice.api.get(f"/api/files/{file}/").json()
    if gone == "the file":
        assert (shown["state"], shown["error"]["code"]) == ("failed", "bytes_missing")
        place.with_name("away").unlink()
        return
    assert (shown["state"], shown["error"]) == ("pending", None)
    if gone != "the interpreter":
        place.with_name("away").rename(place)
    with service.open():
        File.objects.update(claimed_until=None)
    process_all_waiting(service.workspace)
    assert texts(alice, file)
